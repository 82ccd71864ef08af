/** Models with damaged files: each fault is detected and reported with its reason. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createNeural } from '../../server/engines/translation/neural.ts';
import { findModels } from '../../server/models/find-models.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { quickStart, writeTranslationModels } from '../support/models/translation-models.ts';
import { makeWordTranslator } from '../support/models/word-translator.ts';
import { recordingLog } from './apertium-support.ts';

const MODEL = 'model.enes.intgemm.alphas.bin';
const VOCABULARY = 'vocab.enes.spm';
const SHORTLIST = 'lex.50.50.enes.s2t.bin';

const other = makeWordTranslator({ words: { one: 'uno' }, pieces: 512, candidates: 100 });
const replaced = (bytes: Buffer, at: number, by: string | Buffer) => {
  const changed = Buffer.from(bytes);
  Buffer.from(by as string).copy(changed, at);
  return changed;
};
const huge = Buffer.from(BigUint64Array.of(2n ** 60n).buffer);

/** Damage to a file, and the reported reason. */
const damages: [file: string, happened: (bytes: Buffer) => Buffer, said: RegExp][] = [
  [MODEL, (bytes) => bytes.subarray(0, bytes.length - 1), /is damaged/],
  [MODEL, (bytes) => bytes.subarray(0, 100), /is damaged/],
  [MODEL, () => Buffer.alloc(0), /is damaged/],
  [MODEL, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), /is damaged/],
  [MODEL, (bytes) => replaced(bytes, 8, huge), /is damaged/],
  [MODEL, (bytes) => replaced(bytes, 16, huge), /is damaged/],
  [MODEL, () => Buffer.from('<!doctype html><title>404</title>'), /is damaged/],
  [MODEL, (bytes) => replaced(bytes, bytes.indexOf('Wemb\0'), 'Xemb'), /no network/],
  [MODEL, (bytes) => replaced(bytes, 16 + 8, Buffer.from([4, 4])), /more than 8 bits/],
  [VOCABULARY, (bytes) => bytes.subarray(0, bytes.length - 1), /is damaged/],
  [VOCABULARY, () => Buffer.alloc(0), /is damaged/],
  [VOCABULARY, () => Buffer.from('Not Found'), /is damaged/],
  [VOCABULARY, () => other.sourceVocabulary, /another model/],
  [SHORTLIST, (bytes) => bytes.subarray(0, bytes.length - 4), /is damaged/],
  [SHORTLIST, () => Buffer.alloc(48), /is damaged/],
  [SHORTLIST, (bytes) => replaced(bytes, 56, huge), /is damaged/],
  [SHORTLIST, () => other.shortlist, /another model/],
];

test('a model with a damaged file is not used, and the file and the remedy are reported', async () => {
  const folder = temporaryFolder();
  writeTranslationModels(folder);
  const whole = path.join(folder, 'translation-en-es');
  rmSync(path.join(folder, 'translation-de-en'), { recursive: true });
  for (const [index, [file, happened]] of damages.entries()) {
    const copy = path.join(folder, `damaged-${index}`);
    cpSync(whole, copy, { recursive: true });
    writeFileSync(path.join(copy, file), happened(readFileSync(path.join(whole, file))));
  }
  const { models, unusable } = await findModels(folder);
  expect(unusable).toEqual([]);
  const engines = await createNeural({ log: recordingLog(), models });
  const [engine, ...refused] = engines;
  assert.ok(engine !== undefined && 'pairs' in engine);
  expect(engine.pairs).toEqual([{ source: 'en', target: 'es' }]);
  const reasons = new Map(refused.map((each) => [each.name, 'reason' in each ? each.reason : '']));
  for (const [index, [file, , said]] of damages.entries()) {
    const reason = reasons.get(`damaged-${index}`);
    expect(reason, `${index} ${file}`).toMatch(said);
    expect(reason).toContain(`models install damaged-${index}`);
    expect(reason).toMatch(file === MODEL ? /model\.enes/ : /vocab\.enes|lex\.50/);
  }
});

test("a model that passes the checks but does not load is unavailable, with its runtime's reason", async () => {
  const folder = temporaryFolder();
  writeTranslationModels(folder);
  const file = path.join(folder, 'translation-en-es', MODEL);
  const bytes = readFileSync(file);
  writeFileSync(file, replaced(bytes, bytes.indexOf('decoder_l1_rnn_W\0'), 'decoder_l1_xxx_W'));
  const { models } = await findModels(folder);
  const log = recordingLog();
  const [engine] = await createNeural({ log, models, compilerFlags: quickStart });
  assert.ok(engine !== undefined && 'translate' in engine);
  try {
    const pair = { source: 'en', target: 'es', signal: new AbortController().signal };
    const ask = () => engine.translate([['The house.']], pair);
    const refusal = expect.objectContaining({
      code: 'engine_unavailable',
      message: expect.stringMatching(
        /translation-en-es does not load \(.{10,}\)\. Install it again: .*models install/,
      ) as unknown,
    }) as unknown;
    await expect(ask()).rejects.toEqual(refusal);
    // It is not started again for each text.
    const starts = log.lines.length;
    await Promise.all([1, 2, 3].map(() => expect(ask()).rejects.toEqual(refusal)));
    expect(log.lines).toHaveLength(starts);
  } finally {
    await engine.close();
  }
});

test('a folder with fewer than two languages is not a translation model', async () => {
  const folder = temporaryFolder();
  writeTranslationModels(folder);
  for (const [name, languages] of Object.entries({ one: ['en'], same: ['en', 'en'] })) {
    const place = path.join(folder, name);
    mkdirSync(place);
    cpSync(path.join(folder, 'translation-en-es'), place, { recursive: true });
    const description = { kind: 'translation', family: 'marian', languages };
    writeFileSync(path.join(place, 'dragoman-model.json'), JSON.stringify(description));
  }
  const { models, unusable } = await findModels(folder);
  const engines = await createNeural({ log: recordingLog(), models });
  const missing = [...engines.filter((each) => 'reason' in each), ...unusable];
  expect(missing.map(({ name }) => name).sort()).toEqual(['one', 'same']);
});
