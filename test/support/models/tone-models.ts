/**
 * Tiny models for sherpa-onnx, made for a test. Each word is a tone of its own pitch: recognisers detect it
 * by the energy in a few bands of the spectrum, and voices speak it as a wave.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encodeOnnx, field, type GraphConstant, type OnnxModel } from './onnx-writer.ts';

/** Pitch of each word, far enough apart for a spectrum of 80 bands. */
const pitchesHz: Readonly<Record<string, number>> = {
  one: 320,
  two: 470,
  three: 660,
  four: 900,
  five: 1250,
  six: 1700,
  seven: 2300,
  eight: 3100,
};

const RATE_HZ = 16_000;
const BANDS = 80;
const WORD_MS = 240;
const GAP_MS = 120;
/** Log energy from which a band counts as a tone, well above silence and well below any tone. */
const AUDIBLE = -4;
const FULL_VOLUME = 12_000;

/** Speaks a sentence in tones, s16le at 16 kHz, with silence around it. Throws for unknown words. */
export function saidInTones(
  text: string,
  { padStartMs = 500, padEndMs = 1000, pitches = pitchesHz } = {},
): Buffer {
  const words = text.split(' ').map((word) => {
    const hz = pitches[word];
    if (hz === undefined) throw new Error(`There is no tone for ${word}`);
    return Buffer.concat([tone(hz, WORD_MS), Buffer.alloc(GAP_MS * 32)]);
  });
  return Buffer.concat([Buffer.alloc(padStartMs * 32), ...words, Buffer.alloc(padEndMs * 32)]);
}

function tone(hz: number, lengthMs: number): Buffer {
  const samples = Int16Array.from({ length: (lengthMs * RATE_HZ) / 1000 }, (_, index) => {
    // Soft edges, because a click would be heard in every band.
    const edge = Math.min(1, index / 320, ((lengthMs * RATE_HZ) / 1000 - index) / 320);
    return Math.round(FULL_VOLUME * edge * Math.sin((2 * Math.PI * hz * index) / RATE_HZ));
  });
  return Buffer.from(samples.buffer);
}

/** An output of a model: a word piece, its pitch, and a bonus for preferring it. */
export interface TonePiece {
  piece: string;
  hz: number;
  bonus?: number;
}

const wordPieces: readonly TonePiece[] = Object.entries(pitchesHz).map(([word, hz]) => ({
  piece: `▁${word}`,
  hz,
}));

/** NeMo's features of whole recordings use Slaney's mel scale; the others use HTK's. */
type PitchScale = 'htk' | 'slaney';

/** Returns weights from bands to pieces: the mean of a tone's band and its two neighbours. */
function weights(pieces: readonly TonePiece[], scale: PitchScale, columns: number): number[] {
  const matrix = new Array<number>(BANDS * columns).fill(0);
  pieces.forEach(({ hz }, column) => {
    const center = bandOf(hz, scale);
    for (let band = center - 1; band <= center + 1; band += 1) {
      matrix[band * columns + column] = 1 / 3;
    }
  });
  return matrix;
}

function bandOf(hz: number, scale: PitchScale): number {
  const htk = (f: number): number => 1127 * Math.log(1 + f / 700);
  const slaney = (f: number): number =>
    f < 1000 ? (3 * f) / 200 : 15 + (27 * Math.log(f / 1000)) / Math.log(6.4);
  const [mel, low, high] = scale === 'htk' ? [htk, 20, 7600] : [slaney, 0, 8000];
  return Math.round(((mel(hz) - mel(low)) / (mel(high) - mel(low))) * (BANDS + 1)) - 1;
}

/** Returns the bias of each piece, and of the blank that stands for silence. */
function biases(pieces: readonly TonePiece[], blank: number): number[] {
  const bias = pieces.map(({ bonus = 0 }) => bonus);
  bias.splice(blank, 0, AUDIBLE);
  return bias;
}

/**
 * Returns nodes that turn features (bands before time) into the energy of each piece, four frames at a time.
 */
function toneEnergy(features: string): OnnxModel['nodes'] {
  return [
    {
      operator: 'AveragePool',
      inputs: [features],
      outputs: ['pooled'],
      attributes: { kernel_shape: [4], strides: [4] },
    },
    {
      operator: 'Transpose',
      inputs: ['pooled'],
      outputs: ['frames'],
      attributes: { perm: [0, 2, 1] },
    },
    { operator: 'MatMul', inputs: ['frames', 'bands'], outputs: ['energy'] },
  ];
}

/** Writes a NeMo-style CTC model, streaming or for whole recordings. */
export function writeToneCtc(folder: string, { isStreaming }: { isStreaming: boolean }): void {
  mkdirSync(folder, { recursive: true });
  const count = wordPieces.length + 1;
  const blank = wordPieces.length;
  const scale = isStreaming ? 'htk' : 'slaney';
  const caches = isStreaming ? ['channel', 'time', 'channel_len'] : [];
  const cacheShape = (name: string) => (name === 'channel_len' ? ['N'] : ['N', 1, 1, 1]);
  const cacheType = (name: string) => (name === 'channel_len' ? 'int64' : 'float');
  const values = (prefix: string) =>
    caches.map((name) => ({
      name: `${prefix}_${name}`,
      type: cacheType(name),
      shape: cacheShape(name),
    })) as OnnxModel['inputs'];
  const model = encodeOnnx({
    inputs: [
      { name: 'audio_signal', type: 'float', shape: ['N', BANDS, 'T'] },
      { name: 'length', type: 'int64', shape: ['N'] },
      ...values('cache'),
    ],
    outputs: [
      { name: 'logprobs', type: 'float', shape: ['N', 'F', count] },
      { name: 'logprobs_length', type: 'int64', shape: ['N'] },
      ...values('next'),
    ],
    constants: [
      {
        name: 'bands',
        type: 'float',
        shape: [BANDS, count],
        values: weights(wordPieces, scale, count),
      },
      { name: 'bias', type: 'float', shape: [count], values: biases(wordPieces, blank) },
      { name: 'four', type: 'int64', shape: [1], values: [4] },
    ],
    nodes: [
      ...toneEnergy('audio_signal'),
      { operator: 'Add', inputs: ['energy', 'bias'], outputs: ['logits'] },
      {
        operator: 'LogSoftmax',
        inputs: ['logits'],
        outputs: ['logprobs'],
        attributes: { axis: 2 },
      },
      { operator: 'Div', inputs: ['length', 'four'], outputs: ['logprobs_length'] },
      ...caches.map((name) => ({
        operator: 'Identity',
        inputs: [`cache_${name}`],
        outputs: [`next_${name}`],
      })),
    ],
    metadata: {
      vocab_size: wordPieces.length,
      subsampling_factor: 4,
      normalize_type: '',
      ...(isStreaming && {
        window_size: 16,
        chunk_shift: 16,
        ...Object.fromEntries(
          [1, 2, 3].flatMap((n) => [
            [`cache_last_channel_dim${n}`, 1],
            [`cache_last_time_dim${n}`, 1],
          ]),
        ),
      }),
    },
  });
  writeFileSync(path.join(folder, 'model.onnx'), model);
  writeTokens(folder, [...wordPieces.map(({ piece }) => piece), '<blk>']);
}

/** Writes a streaming transducer in the style of icefall's LSTM models, for a list of pieces. */
export function writeToneTransducer(folder: string, pieces: readonly TonePiece[]): void {
  mkdirSync(folder, { recursive: true });
  // The blank is token 0.
  const count = pieces.length + 1;
  const shifted = [{ piece: '<blk>', hz: 0 }, ...pieces];
  const bands: GraphConstant = {
    ...{ name: 'bands', type: 'float', shape: [BANDS, count] },
    values: withoutColumn(weights(shifted, 'htk', count), 0, count),
  };
  const state = (name: string) => ({ name, type: 'float', shape: [1, 'N', 1] }) as const;
  const encoder = encodeOnnx({
    inputs: [{ name: 'x', type: 'float', shape: ['N', 'T', BANDS] }, state('h'), state('c')],
    outputs: [
      { name: 'encoder_out', type: 'float', shape: ['N', 'F', count] },
      state('new_h'),
      state('new_c'),
    ],
    constants: [bands, { name: 'bias', type: 'float', shape: [count], values: biases(pieces, 0) }],
    nodes: [
      {
        operator: 'Transpose',
        inputs: ['x'],
        outputs: ['turned'],
        attributes: { perm: [0, 2, 1] },
      },
      ...toneEnergy('turned'),
      { operator: 'Add', inputs: ['energy', 'bias'], outputs: ['encoder_out'] },
      { operator: 'Identity', inputs: ['h'], outputs: ['new_h'] },
      { operator: 'Identity', inputs: ['c'], outputs: ['new_c'] },
    ],
    metadata: {
      ...{ model_type: 'lstm', num_encoder_layers: 1, T: 16, decode_chunk_len: 16 },
      ...{ rnn_hidden_size: 1, d_model: 1 },
    },
  });
  const decoder = encodeOnnx({
    inputs: [{ name: 'y', type: 'int64', shape: ['N', 1] }],
    outputs: [{ name: 'decoder_out', type: 'float', shape: ['N', count] }],
    constants: [
      { name: 'said', type: 'float', shape: [count, count], values: suppression(shifted) },
      { name: 'axis', type: 'int64', shape: [1], values: [1] },
    ],
    nodes: [
      { operator: 'Squeeze', inputs: ['y', 'axis'], outputs: ['last'] },
      {
        operator: 'Gather',
        inputs: ['said', 'last'],
        outputs: ['decoder_out'],
        attributes: { axis: 0 },
      },
    ],
    metadata: { vocab_size: count, context_size: 1 },
  });
  const joiner = encodeOnnx({
    inputs: [
      { name: 'encoder_out', type: 'float', shape: ['N', count] },
      { name: 'decoder_out', type: 'float', shape: ['N', count] },
    ],
    outputs: [{ name: 'logit', type: 'float', shape: ['N', count] }],
    nodes: [{ operator: 'Add', inputs: ['encoder_out', 'decoder_out'], outputs: ['logit'] }],
    metadata: { joiner_dim: count },
  });
  writeFileSync(path.join(folder, 'encoder.onnx'), encoder);
  writeFileSync(path.join(folder, 'decoder.onnx'), decoder);
  writeFileSync(path.join(folder, 'joiner.onnx'), joiner);
  writeTokens(
    folder,
    shifted.map(({ piece }) => piece),
  );
}

/** Suppresses repetition while a tone lasts: pieces of one pitch exclude each other until another follows. */
function suppression(pieces: readonly TonePiece[]): number[] {
  const NEVER = -60;
  return pieces.flatMap((last) => pieces.map(({ hz }) => (hz !== 0 && hz === last.hz ? NEVER : 0)));
}

function withoutColumn(matrix: number[], column: number, columns: number): number[] {
  return matrix.map((value, index) => (index % columns === column ? 0 : value));
}

/** Writes a VITS-style voice that speaks each letter as a wave of its own pitch. */
export function writeToneVoice(
  folder: string,
  { sampleRateHz, letterMs }: { sampleRateHz: number; letterMs: number },
): void {
  mkdirSync(folder, { recursive: true });
  const letters = [' ', ...Array.from({ length: 26 }, (_, n) => String.fromCodePoint(97 + n))];
  const length = (sampleRateHz * letterMs) / 1000;
  const waves = letters.flatMap((letter, number) =>
    Array.from({ length }, (_, index) =>
      letter === ' ' ? 0 : 0.5 * Math.sin((2 * Math.PI * letterHz(number) * index) / sampleRateHz),
    ),
  );
  const scale = (name: string) => ({ name, type: 'float', shape: [1] }) as const;
  const model = encodeOnnx({
    inputs: [
      { name: 'x', type: 'int64', shape: ['N', 'L'] },
      { name: 'x_length', type: 'int64', shape: ['N'] },
      ...[scale('noise_scale'), scale('length_scale'), scale('noise_scale_w')],
    ],
    outputs: [{ name: 'y', type: 'float', shape: ['N', 1, 'S'] }],
    constants: [
      { name: 'waves', type: 'float', shape: [letters.length, length], values: waves },
      { name: 'flat', type: 'int64', shape: [3], values: [1, 1, -1] },
    ],
    nodes: [
      { operator: 'Gather', inputs: ['waves', 'x'], outputs: ['spoken'], attributes: { axis: 0 } },
      { operator: 'Reshape', inputs: ['spoken', 'flat'], outputs: ['y'] },
    ],
    metadata: {
      ...{ sample_rate: sampleRateHz, n_speakers: 1, language: 'English', comment: 'tones' },
      ...{ frontend: 'characters', add_blank: 0, use_eos_bos: 0, punctuation: '. ! ?' },
    },
  });
  writeFileSync(path.join(folder, 'model.onnx'), model);
  writeTokens(folder, letters);
}

/** Writes a CT-Transformer-style punctuation model that adds a comma after certain words. */
export function writePunctuation(folder: string, commaAfter: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const tokens = ['<unk>', ...commaAfter];
  const punctuations = ['<unk>', '_', '，', '。', '？', '、'];
  const choices = tokens.flatMap((token) => {
    const choice = token === '<unk>' ? '_' : '，';
    return punctuations.map((punctuation) => (punctuation === choice ? 1 : 0));
  });
  const model = encodeOnnx({
    inputs: [
      { name: 'inputs', type: 'int32', shape: ['N', 'T'] },
      { name: 'text_lengths', type: 'int32', shape: ['N'] },
    ],
    outputs: [{ name: 'logits', type: 'float', shape: ['N', 'T', punctuations.length] }],
    constants: [
      {
        ...{ name: 'choices', type: 'float', shape: [tokens.length, punctuations.length] },
        values: choices,
      },
    ],
    nodes: [
      {
        ...{ operator: 'Gather', inputs: ['choices', 'inputs'], outputs: ['logits'] },
        attributes: { axis: 0 },
      },
    ],
    metadata: {
      tokens: tokens.join('|'),
      vocab_size: tokens.length,
      punctuations: punctuations.join('|'),
      unk_symbol: '<unk>',
    },
  });
  writeFileSync(path.join(folder, 'model.onnx'), model);
}

/** Returns the pitch of a letter, numbered from 1. */
export function letterHz(number: number): number {
  return 300 + number * 60;
}

function writeTokens(folder: string, tokens: readonly string[]): void {
  const lines = tokens.map((token, index) => `${token} ${index}`);
  writeFileSync(path.join(folder, 'tokens.txt'), `${lines.join('\n')}\n`);
}

/** Encodes the pieces of a SentencePiece model: field 1, each with its text in 1 and its score in 2. */
export function encodeSentencePieces(pieces: readonly { piece: string; score: number }[]): Buffer {
  const FLOAT_2 = (2 << 3) | 5;
  const encoded = pieces.map(({ piece, score }) => {
    const number = Buffer.alloc(5);
    number.writeUInt8(FLOAT_2);
    number.writeFloatLE(score, 1);
    // Field 3 is the type of a piece; 1 is the usual one.
    return field(1, Buffer.concat([field(1, piece), number, field(3, 1)]));
  });
  // Real models contain further fields.
  return Buffer.concat([...encoded, field(2, 'trainer'), field(3, 'normalizer')]);
}
