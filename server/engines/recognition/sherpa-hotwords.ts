/** Spoken terms as hotwords: phrases that a model's tokens can spell. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SherpaChildOptions, SherpaModel } from './sherpa-config.ts';
import { readSentencePieces } from './sentence-pieces.ts';

/** Families that sherpa-onnx can bias. */
const BIASED = new Set(['streaming-transducer', 'transducer', 'nemo-transducer']);

/** Whether spoken terms make a model hear them: a transducer whose tokens are known to be spelled from. */
export function hearsHotwords({ family, files, modelingUnit }: SherpaModel): boolean {
  if (!BIASED.has(family)) return false;
  const hasPieces = files['bpeModel'] !== undefined || files['bpeVocab'] !== undefined;
  return hasPieces || modelingUnit === 'cjkchar';
}

/** What is left of the hotwords for a model that can be biased, in the case of its tokens. */
export function spellableHotwords({ model, hotwords }: SherpaChildOptions): {
  hotwords: string[];
  /** File with the pieces that words are put together from. */
  bpeVocab: string | undefined;
  /** To be called when the recogniser has read it. */
  release: () => void;
} {
  if (hotwords.length === 0 || !hearsHotwords(model)) {
    return { hotwords: [], bpeVocab: undefined, release: () => {} };
  }
  const tokens = readFileSync(model.files['tokens'] ?? '', 'utf8');
  const withoutMarks = tokens.replaceAll(/<[^<>\s]*>/g, '');
  const isUpper = /\p{Lu}/u.test(withoutMarks) && !/\p{Ll}/u.test(withoutMarks);
  const isLower = !/\p{Lu}/u.test(withoutMarks);
  // A line is a phrase, and ` :2.0`, `#` and `@` would be read as commands.
  const phrases = hotwords
    .map((term) => term.replaceAll(/[\s:#@/]+/g, ' ').trim())
    .filter((term) => term !== '')
    .map((term) => (isUpper ? term.toUpperCase() : isLower ? term.toLowerCase() : term));
  return { hotwords: [...new Set(phrases)], ...vocabularyOf(model) };
}

/** The list of pieces that sherpa-onnx reads; releases without one have the model it is made from. */
function vocabularyOf({ files }: SherpaModel): {
  bpeVocab: string | undefined;
  release: () => void;
} {
  const { bpeVocab, bpeModel } = files;
  if (bpeVocab !== undefined || bpeModel === undefined) return { bpeVocab, release: () => {} };
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-pieces-'));
  const file = path.join(folder, 'bpe.vocab');
  const lines = readSentencePieces(readFileSync(bpeModel)).map(
    ({ piece, score }) => `${piece}\t${score}`,
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { bpeVocab: file, release: () => rmSync(folder, { recursive: true, force: true }) };
}
