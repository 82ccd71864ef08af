/** Translation models made for a test, in the formats of Firefox's, which translate word by word. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  encodeMarianModel,
  encodeShortlist,
  encodeVocabulary,
  floatItem,
  INTGEMM8,
  weightItem,
  type MarianItem,
  type VocabularyPiece,
} from './marian-files.ts';
import {
  embedding,
  layers,
  LEAST_HIDDEN,
  networkSettings,
  type NetworkSize,
} from './word-network.ts';

/** Size of a model; by default the smallest that translates. */
export interface TranslatorSize extends Partial<NetworkSize> {
  /** Size of the vocabulary, if larger than the words need. */
  pieces?: number;
  /** Number of pieces that are candidates for every source piece, and of further candidates for each. */
  candidates?: number;
}

/** The size that Firefox calls `tiny`. */
export const tinySize: TranslatorSize = {
  encoders: 6,
  decoders: 2,
  hidden: 1536,
  pieces: 32_000,
  candidates: 50,
};

export interface WordTranslator extends TranslatorSize {
  /** Translations of words; other words are copied. */
  words: Readonly<Record<string, string>>;
  /** Words that move behind a following word of `movables`. */
  movers?: readonly string[];
  movables?: readonly string[];
  /** Whether each language has a vocabulary of its own, as for scripts that share nothing. */
  isSplit?: boolean;
  /**
   * Whether unused weights are nonzero, as in learned models, because pages of zeros may take no memory.
   * Translations are wrong then.
   */
  isDense?: boolean;
}

/** Makes the files of a model. A shared vocabulary is the same buffer for both languages. */
export function makeWordTranslator({
  words,
  movers = [],
  movables = [],
  isSplit = false,
  isDense = false,
  ...size
}: WordTranslator) {
  const { encoders = 1, decoders = 1, hidden = LEAST_HIDDEN, candidates = 0 } = size;
  const all = Object.entries(words);
  const shared = piecesOf(isSplit ? Object.keys(words) : all.flat(), size.pieces);
  const target = isSplit ? piecesOf(Object.values(words).reverse(), size.pieces) : shared;
  const targetIds = new Map(target.map(({ piece }, id) => [piece, id]));
  const translations = shared.map(({ piece }) => {
    const translation = words[piece.slice(1)];
    return targetIds.get(translation === undefined ? piece : `▁${translation}`) ?? 0;
  });
  const [sourceName, targetName] = isSplit ? ['encoder_Wemb', 'decoder_Wemb'] : ['Wemb', 'Wemb'];
  const items = [
    embedding(sourceName, shared, { translations, movers, movables }),
    ...(isSplit ? [embedding(targetName, target, { translations: [], movers, movables })] : []),
    ...layers({ encoders, decoders, hidden }),
    ...(isSplit ? [] : [floatItem('none_QuantMultA', [127 / 3], [1])]),
    // Marian takes it for an embedding because of its name, so it is packed like one.
    weightItem(`${targetName}_QuantMultA`, Float32Array.of(127 / 3), { rows: 1, columns: 1 }),
    floatItem('decoder_ff_logit_out_b', new Float32Array(target.length)),
  ];
  const pieces = [shared.length, target.length];
  const sourceVocabulary = encodeVocabulary(shared);
  return {
    model: encodeMarianModel(
      isDense ? items.map(withoutZeros) : items,
      networkSettings({ encoders, decoders, hidden, pieces, isSplit }),
    ),
    sourceVocabulary,
    targetVocabulary: isSplit ? encodeVocabulary(target) : sourceVocabulary,
    shortlist: encodeShortlist(
      translations.map((id) => [...new Set([id, ...neighbours(id, candidates, target.length)])]),
      { frequent: Math.max(candidates, 8) },
    ),
  };
}

/** One nonzero weight in fifty is enough: a memory page has thousands. */
const DENSE_EVERY = 50;

function withoutZeros(item: MarianItem): MarianItem {
  if (item.type !== INTGEMM8) return item;
  const data = Buffer.from(item.data);
  // The last four bytes are the scale.
  for (let at = 0; at < data.length - 4; at += DENSE_EVERY) {
    if (data[at] === 0) data.writeInt8(at % (2 * DENSE_EVERY) === 0 ? 1 : -1, at);
  }
  return { ...item, data };
}

function neighbours(id: number, count: number, pieces: number): number[] {
  return Array.from({ length: count }, (_, index) => (id + (index + 1) * 617) % pieces);
}

const SPELLED = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** Returns the pieces: end of sentence, unknown, bytes, single characters, and whole words. */
function piecesOf(words: readonly string[], least = 0): VocabularyPiece[] {
  const whole = new Set(words);
  const pieces: VocabularyPiece[] = [
    { piece: '</s>', score: 0, type: 'control' },
    { piece: '<unk>', score: 0, type: 'unknown' },
    ...Array.from({ length: 256 }, (_, byte): VocabularyPiece => {
      const hexadecimal = byte.toString(16).toUpperCase().padStart(2, '0');
      return { piece: `<0x${hexadecimal}>`, score: 0, type: 'byte' };
    }),
    { piece: '▁', score: -10, type: 'usual' },
    ...SPELLED.slice(1).map((piece): VocabularyPiece => ({ piece, score: -10, type: 'usual' })),
    ...[...whole].map((word): VocabularyPiece => ({ piece: `▁${word}`, score: -1, type: 'usual' })),
  ];
  // Kernels process columns in groups of eight.
  while (pieces.length % 8 !== 0 || pieces.length < least) {
    pieces.push({ piece: `<unused${pieces.length}>`, score: -100, type: 'usual' });
  }
  return pieces;
}

/** Writes a model's folder with its description. */
export function writeWordTranslator(
  folder: string,
  { source, target, ...translator }: WordTranslator & { source: string; target: string },
): void {
  const made = makeWordTranslator(translator);
  mkdirSync(folder, { recursive: true });
  const pair = `${source}${target}`;
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(path.join(folder, name), content);
  write(`model.${pair}.intgemm.alphas.bin`, made.model);
  write(`lex.50.50.${pair}.s2t.bin`, made.shortlist);
  if (made.sourceVocabulary === made.targetVocabulary) {
    write(`vocab.${pair}.spm`, made.sourceVocabulary);
  } else {
    write(`srcvocab.${pair}.spm`, made.sourceVocabulary);
    write(`trgvocab.${pair}.spm`, made.targetVocabulary);
  }
  const description = { kind: 'translation', family: 'marian', languages: [source, target] };
  write('dragoman-model.json', JSON.stringify(description));
}
