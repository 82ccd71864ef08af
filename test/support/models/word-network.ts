/**
 * Networks that translate word by word, with weights that are written down instead of learned.
 *
 * Each piece has a code, a pattern of signs. The embedding of a piece contains its own code in one part and
 * that of its translation in another. At each step the decoder attends to the piece at its own position
 * (positions are compared by the sine waves added to the embeddings) and moves the second code to where the
 * first is compared with all pieces. Two marks in the embedding identify words that swap places in the target
 * ("red house": "casa roja"): the encoder finds the marks of a word's neighbours, and rotates the waves of
 * both words by one position.
 */
import { floatItem, weightItem, type MarianItem } from './marian-files.ts';

const SIZE = 256;
const HALF = SIZE / 2;
const HEADS = 8;
const HEAD_SIZE = SIZE / HEADS;
/** Fewest hidden units of a layer, all of which are used. */
export const LEAST_HIDDEN = 256;
/** Waves that distinguish positions: every second one of the fast waves. */
const waves = Array.from({ length: HEAD_SIZE / 2 }, (_, index) => index * 2);
/** Offsets of a piece's own code and of its translation's code, among the slow waves. */
const OWN = 32;
const TRANSLATED = HALF + 32;
const CODE_SIZE = 94;
/**
 * A component that is near 0 before each norm, so that its value is what the norm has subtracted from all.
 */
const ZERO = HALF - 1;
/** Marks: a word that moves behind the next, one that may move before it, and the neighbours' marks. */
const MOVES_ON = 1;
const MOVES_BACK = 3;
const MOVER_BEFORE = 5;
const MOVABLE_AFTER = 7;
const STRENGTH = 3;
const FLAG_STRENGTH = 6;

/** A matrix written row by row, with a row per output. */
class Matrix {
  readonly values: Float32Array;
  readonly #columns: number;

  constructor(rows: number, columns: number) {
    this.values = new Float32Array(rows * columns);
    this.#columns = columns;
  }

  set(output: number, input: number, value: number): void {
    this.values[output * this.#columns + input] = value;
  }
}

function frequency(wave: number): number {
  return 10 ** ((-4 * wave) / (HALF - 1));
}

/** Reads the waves of a position into a head, rotated by a number of positions. */
function readWaves(matrix: Matrix, head: number, turnedBy: number, weight: number): void {
  for (const [index, wave] of waves.entries()) {
    const [cosine, sine] = [
      Math.cos(frequency(wave) * turnedBy),
      Math.sin(frequency(wave) * turnedBy),
    ];
    const row = head * HEAD_SIZE + index * 2;
    matrix.set(row, ZERO, -(cosine + sine) * weight);
    matrix.set(row + 1, ZERO, -(cosine - sine) * weight);
    // sin(a + b) = sin a cos b + cos a sin b
    matrix.set(row, wave, cosine * weight);
    matrix.set(row, HALF + wave, sine * weight);
    matrix.set(row + 1, HALF + wave, cosine * weight);
    matrix.set(row + 1, wave, -sine * weight);
  }
}

const SHARPNESS = 16;

function matrix(rows: number, columns: number, write: (matrix: Matrix) => void = () => undefined) {
  const made = new Matrix(rows, columns);
  write(made);
  return made.values;
}

/** Returns the tensors of one attention, in which each head looks at the position a given distance away. */
function attention(
  prefix: string,
  distances: readonly number[],
  { values, outputs }: { values: (matrix: Matrix) => void; outputs: (matrix: Matrix) => void },
): MarianItem[] {
  const square = { rows: SIZE, columns: SIZE };
  const query = matrix(SIZE, SIZE, (m) => {
    for (const [head, distance] of distances.entries()) readWaves(m, head, distance, SHARPNESS);
  });
  const key = matrix(SIZE, SIZE, (m) => {
    for (const head of distances.keys()) readWaves(m, head, 0, SHARPNESS);
  });
  return [
    ...affine(`${prefix}_Wq`, query, { ...square, largest: 3 }),
    ...affine(`${prefix}_Wk`, key, { ...square, largest: 3 }),
    ...affine(`${prefix}_Wv`, matrix(SIZE, SIZE, values), { ...square, largest: 3 }),
    ...affine(`${prefix}_Wo`, matrix(SIZE, SIZE, outputs), { ...square, largest: 3 }),
    ...['bq', 'bk', 'bv', 'bo'].map((name) =>
      floatItem(`${prefix}_${name}`, new Float32Array(SIZE)),
    ),
  ];
}

/** Returns a weight matrix, and the scale of its input. */
function affine(
  name: string,
  values: Float32Array,
  { rows, columns, largest }: { rows: number; columns: number; largest: number },
): MarianItem[] {
  return [
    weightItem(name, values, { rows, columns }),
    floatItem(`${name}_QuantMultA`, [127 / largest], [1]),
  ];
}

function norm(prefix: string, scale = new Float32Array(SIZE).fill(1)): MarianItem[] {
  return [
    floatItem(`${prefix}_ln_scale`, scale),
    floatItem(`${prefix}_ln_bias`, new Float32Array(SIZE)),
  ];
}

const GATE = 2;
const FLAG_LEVEL = 2;

/** Returns an encoder layer that rotates the waves of words that swap places, and leaves the rest alone. */
function turningEncoder(prefix: string, units: number): MarianItem[] {
  const beside = attention(`${prefix}_self`, [-1, -1, -1, -1, 1, 1, 1, 1], {
    values: (m) => {
      m.set(0, MOVES_ON, 1);
      m.set(4 * HEAD_SIZE, MOVES_BACK, 1);
    },
    outputs: (m) => {
      m.set(MOVER_BEFORE, 0, 1);
      m.set(MOVABLE_AFTER, 4 * HEAD_SIZE, 1);
    },
  });
  const biases = new Float32Array(units);
  let unit = 0;
  const hidden = new Matrix(units, SIZE);
  const shifted = new Matrix(SIZE, units);
  for (const [one, other, turnedBy] of [
    [MOVES_ON, MOVABLE_AFTER, 1],
    [MOVES_BACK, MOVER_BEFORE, -1],
  ] as const) {
    for (const wave of waves) {
      const angle = frequency(wave) * turnedBy;
      const [cosine, sine] = [Math.cos(angle) - 1, Math.sin(angle)];
      for (const [at, across, slope] of [
        [wave, HALF + wave, sine],
        [HALF + wave, wave, -sine],
      ] as const) {
        for (const sign of [1, -1]) {
          hidden.set(unit, at, sign * cosine);
          hidden.set(unit, across, sign * slope);
          hidden.set(unit, ZERO, -sign * (cosine + slope));
          hidden.set(unit, one, GATE / FLAG_LEVEL);
          hidden.set(unit, other, GATE / FLAG_LEVEL);
          biases[unit] = -GATE;
          shifted.set(at, unit, sign / 2);
          unit += 1;
        }
      }
    }
  }
  return [
    ...beside,
    ...norm(`${prefix}_self_Wo`),
    ...feedForward(prefix, units, { hidden: hidden.values, biases, outputs: shifted.values }),
  ];
}

function feedForward(
  prefix: string,
  units: number,
  {
    hidden = matrix(units, SIZE),
    biases = new Float32Array(units),
    outputs = matrix(SIZE, units),
  }: { hidden?: Float32Array; biases?: Float32Array; outputs?: Float32Array } = {},
): MarianItem[] {
  return [
    ...affine(`${prefix}_ffn_W1`, hidden, { rows: units, columns: SIZE, largest: 3 }),
    floatItem(`${prefix}_ffn_b1`, biases),
    ...affine(`${prefix}_ffn_W2`, outputs, { rows: SIZE, columns: units, largest: 6 }),
    floatItem(`${prefix}_ffn_b2`, new Float32Array(SIZE)),
    ...norm(`${prefix}_ffn_ffn`),
  ];
}

const nowhere = new Array<number>(HEADS).fill(0);
const nothing = { values: () => undefined, outputs: () => undefined };

/** Returns an encoder layer without effect, to give a network a realistic depth and cost. */
function idleEncoder(prefix: string, units: number): MarianItem[] {
  return [
    ...attention(`${prefix}_self`, nowhere, nothing),
    ...norm(`${prefix}_self_Wo`),
    ...feedForward(prefix, units),
  ];
}

/**
 * Returns a decoder layer. The last one attends to the piece at its own position and outputs its translation;
 * the others have no effect.
 */
function decoder(prefix: string, units: number, isLast: boolean): MarianItem[] {
  const square = { rows: SIZE, columns: SIZE, largest: 6 };
  const codeAlone = new Float32Array(SIZE).fill(1, OWN, OWN + CODE_SIZE);
  const says = {
    values: (m: Matrix) => {
      for (let at = 0; at < CODE_SIZE; at += 1) m.set(at, TRANSLATED + at, 1);
    },
    outputs: (m: Matrix) => {
      for (let at = 0; at < CODE_SIZE; at += 1) m.set(OWN + at, at, 8);
    },
  };
  return [
    ...affine(`${prefix}_rnn_W`, matrix(SIZE, SIZE), square),
    ...affine(`${prefix}_rnn_Wf`, matrix(SIZE, SIZE), square),
    floatItem(`${prefix}_rnn_bf`, new Float32Array(SIZE)),
    ...norm(`${prefix}_rnn_ffn`),
    ...attention(`${prefix}_context`, nowhere, isLast ? says : nothing),
    ...norm(`${prefix}_context_Wo`, isLast ? codeAlone : undefined),
    ...feedForward(prefix, units),
  ];
}

/** Returns the signs of a code: as many of one as of the other, and reproducible by number. */
function code(number: number): Int8Array {
  let state = number * 0x9e3779b1 + 0x6d2b79f5;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const signs = new Int8Array(CODE_SIZE).fill(1, 0, CODE_SIZE / 2).fill(-1, CODE_SIZE / 2);
  for (let at = CODE_SIZE - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [signs[at], signs[other]] = [signs[other] ?? 0, signs[at] ?? 0];
  }
  return signs;
}

/** Size of a network. */
export interface NetworkSize {
  encoders: number;
  decoders: number;
  /** Hidden units of each layer, {@link LEAST_HIDDEN} or more. */
  hidden: number;
}

/** Returns the settings of the network, as marian writes them. */
export function networkSettings({
  encoders,
  decoders,
  hidden,
  pieces,
  isSplit,
}: NetworkSize & { pieces: readonly number[]; isSplit: boolean }): string {
  return [
    'bert-train-type-embeddings: true\nbert-type-vocab-size: 2\ndec-cell: ssru',
    'dec-cell-base-depth: 2\ndec-cell-high-depth: 1',
    `dec-depth: ${decoders}\ndim-emb: ${SIZE}\ndim-rnn: 1024`,
    `dim-vocabs:\n  - ${pieces.join('\n  - ')}`,
    `enc-cell: gru\nenc-cell-depth: 1\nenc-depth: ${encoders}\nenc-type: bidirectional`,
    'factors-combine: sum\nfactors-dim-emb: 0\ninput-types:\n  []',
    'layer-normalization: false\nlemma-dim-emb: 0\nright-left: false\nskip: false',
    `tied-embeddings: ${isSplit}\ntied-embeddings-all: ${!isSplit}\ntied-embeddings-src: false`,
    'transformer-aan-activation: swish\ntransformer-aan-depth: 2\ntransformer-aan-nogate: false',
    'transformer-decoder-autoreg: rnn\ntransformer-depth-scaling: false',
    `transformer-dim-aan: 2048\ntransformer-dim-ffn: ${hidden}\ntransformer-ffn-activation: relu`,
    `transformer-ffn-depth: 2\ntransformer-guided-alignment-layer: last\ntransformer-heads: ${HEADS}`,
    'transformer-no-projection: false\ntransformer-postprocess: dan\ntransformer-postprocess-emb: d',
    'transformer-postprocess-top: ""\ntransformer-preprocess: ""\ntransformer-tied-layers:\n  []',
    'transformer-train-position-embeddings: false\ntype: transformer\nulr: false\nulr-dim-emb: 0',
    'ulr-trainable-transformation: false\nversion: v1.9.0\n',
  ].join('\n');
}

/** Returns a row for each piece: its own code, that of its translation, and its marks. */
export function embedding(
  name: string,
  pieces: readonly { piece: string }[],
  {
    translations,
    movers,
    movables,
  }: {
    translations: readonly number[];
    /** Words that move behind the next one, and words that let them pass. */
    movers: readonly string[];
    movables: readonly string[];
  },
): MarianItem {
  const rows = new Matrix(pieces.length, SIZE);
  const scale = 1 / Math.sqrt(SIZE);
  for (const [id, { piece }] of pieces.entries()) {
    const own = code(id);
    const translation = translations[id] ?? id;
    const translated = translation === id ? own : code(translation);
    for (let at = 0; at < CODE_SIZE; at += 1) {
      rows.set(id, OWN + at, (own[at] ?? 0) * STRENGTH * scale);
      // Slow cosines stay near 1 for long: subtracting 1 keeps the mean, which the norms subtract, near 0.
      rows.set(id, TRANSLATED + at, ((translated[at] ?? 0) * STRENGTH - 1) * scale);
    }
    const flag = (words: readonly string[]) => (words.includes(piece.slice(1)) ? 1 : -1);
    rows.set(id, MOVES_ON, flag(movers) * FLAG_STRENGTH * scale);
    rows.set(id, MOVES_BACK, flag(movables) * FLAG_STRENGTH * scale);
  }
  return weightItem(name, rows.values, { rows: pieces.length, columns: SIZE, isEmbedding: true });
}

/** Returns the layers of a network. */
export function layers({ encoders, decoders, hidden }: NetworkSize): MarianItem[] {
  return [
    ...Array.from({ length: encoders }, (_, index) =>
      (index === 0 ? turningEncoder : idleEncoder)(`encoder_l${index + 1}`, hidden),
    ),
    ...Array.from({ length: decoders }, (_, index) =>
      decoder(`decoder_l${index + 1}`, hidden, index === decoders - 1),
    ),
  ].flat();
}
