/** Importing and searching memories, with many segments and against brute force. */
import fc from '../support/suite/properties.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTranslationMemories,
  type TranslationMemories,
} from '../../server/memories/translation-memories.ts';
import type { Storage } from '../../server/stores.ts';
import { matchScore, readMemoryText } from '../../server/memories/matching/memory-text.ts';
import { createCorpus } from '../bench/memory/corpus.ts';
import { databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount, quietLog } from '../storage/samples.ts';
import { tmxFile } from '../support/product/translation-memories.ts';

const openDatabase = databasesOfThisFile();
const SEGMENTS = 1_000;
const THRESHOLD = 75;
/** Never aborted. */
const untilEnd = new AbortController().signal;

/** Segments and changed copies, each with the best score of any segment. */
function compareAll() {
  const corpus = createCorpus(7);
  const sentences = Array.from({ length: SEGMENTS }, () => corpus.sentence());
  const all = sentences.map((sentence) => readMemoryText([sentence]));
  const queries = sentences.slice(0, 100).map((sentence) => {
    const query = corpus.changed(sentence, 0.2);
    const text = readMemoryText([query]);
    const scores = all.map((each) =>
      each.text === text.text ? 100 : matchScore(text, each, THRESHOLD),
    );
    return { query, score: Math.max(...scores) };
  });
  return { sentences, queries };
}

async function* bytesOf(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}

const compared = compareAll();

describe('translation memories', () => {
  let storage: Storage;
  let memories: TranslationMemories;
  let accountId: string;

  beforeAll(async () => {
    ({ storage } = await openDatabase('sqlite'));
    memories = createTranslationMemories({ memories: storage.translationMemories, log: quietLog });
    ({
      account: { accountId },
    } = await openAccount(storage));
  });

  const importCsv = (content: string, service = memories) =>
    service.import(accountId, { name: 'm', format: 'csv', bytes: bytesOf(content) });
  const searchOf = (id: string, threshold = THRESHOLD) =>
    memories.searchFor({ accountId, id, threshold, source: 'en', target: 'de' });

  it('yield nearly all best matches of a comparison with every segment', async () => {
    const { sentences, queries } = compared;
    const lines = sentences.map((sentence, index) => `"${sentence}",Satz ${index}`);
    const { translation_memory_id: id, segment_count } = await importCsv(
      `en,de\n${lines.join('\n')}`,
    );
    expect(segment_count).toBe(SEGMENTS);
    const search = await searchOf(id);
    const found = await search.find(
      queries.map(({ query }) => [query]),
      untilEnd,
    );
    let expected = 0;
    let best = 0;
    for (const [index, { score }] of queries.entries()) {
      const [match] = found[index]!;
      if (score < THRESHOLD) {
        expect(match).toBeUndefined();
        continue;
      }
      expected += 1;
      if (match?.score === score) best += 1;
      else expect(match?.score ?? 0).toBeLessThan(score);
    }
    expect(expected).toBeGreaterThan(50);
    expect(best / expected).toBeGreaterThanOrEqual(0.95);
  });

  it("yield each text's own match, however many searches run at once", async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `Gate w${index} of pier p${index * 7}`);
    const lines = texts.map((text, index) => `${text},Tor ${index}`);
    const { translation_memory_id: id } = await importCsv(`en,de\n${lines.join('\n')}`);
    const search = await searchOf(id, 100);
    const found = await search.find(
      texts.map((text) => [` ${text} `]),
      untilEnd,
    );
    expect(found.map(([match]) => match?.translation)).toEqual(
      texts.map((_, index) => [' ', `Tor ${index}`, ' ']),
    );
  });

  it('give a translation the blanks of the text, not those of the file', async () => {
    const content = tmxFile([{ en: 'Close the door. ', de: '\n  Mach die Tür zu. ' }]);
    const file = { name: 'm', format: 'tmx' as const, bytes: bytesOf(content) };
    const { translation_memory_id: id } = await memories.import(accountId, file);
    const found = await (await searchOf(id)).find([['Close the door.\t']], untilEnd);
    expect(found[0]?.[0]?.translation).toEqual(['Mach die Tür zu.', '\t']);
  });

  it('leave nothing of a failed import, and have a limit of segments', async () => {
    const small = createTranslationMemories({
      ...{ memories: storage.translationMemories, log: quietLog, maxSegments: 1_200 },
    });
    const lines = (count: number) => 'en,de\n' + 'Close the door,Mach die Tür zu\n'.repeat(count);
    const before = (await memories.list(accountId, { offset: 0, limit: 1 })).total_count;
    await expect(importCsv(lines(1_201), small)).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    async function* broken() {
      yield Buffer.from(lines(900));
      throw new Error('The connection has broken.');
    }
    const file = { name: 'm', format: 'csv' as const, bytes: broken() };
    await expect(memories.import(accountId, file)).rejects.toThrow('has broken');
    expect((await importCsv(lines(1_200), small)).segment_count).toBe(1_200);
    await Promise.all([small.tidy(), memories.tidy()]);
    const { total_count } = await memories.list(accountId, { offset: 0, limit: 1 });
    expect(total_count).toBe(before + 1);
    expect(await storage.translationMemories.sweep(0)).toBe(false);
  });

  it('have one import at a time in an account, and two in a process', async () => {
    let proceed = (): void => undefined;
    const held = new Promise<void>((resolve) => (proceed = resolve));
    async function* slow() {
      yield Buffer.from('en,de\nHouse,Haus\n');
      await held;
    }
    const accounts = await Promise.all([1, 2, 3].map(() => openAccount(storage)));
    const [first = '', second = '', third = ''] = accounts.map((each) => each.account.accountId);
    const start = (id: string) => memories.import(id, { name: 'm', format: 'csv', bytes: slow() });
    const busy = { code: 'too_many_requests' };
    const one = start(first);
    await expect(start(first)).rejects.toMatchObject(busy);
    const both = [one, start(second)];
    await expect(start(third)).rejects.toMatchObject(busy);
    proceed();
    await Promise.all(both);
    expect((await start(first)).segment_count).toBe(1);
  });

  it('stop a search on abort', async () => {
    const { translation_memory_id: id } = await importCsv('en,de\nClose the door,Tür zu\n');
    const abort = new AbortController();
    let reads = 0;
    const store = {
      ...storage.translationMemories,
      buckets: (...asked: Parameters<typeof storage.translationMemories.buckets>) => {
        reads += 1;
        if (reads === 2) abort.abort(new Error('gone'));
        return storage.translationMemories.buckets(...asked);
      },
      segments: (...asked: Parameters<typeof storage.translationMemories.segments>) => {
        if (abort.signal.aborted) reads += 1;
        return storage.translationMemories.segments(...asked);
      },
    };
    const service = createTranslationMemories({ memories: store, log: quietLog });
    const search = await service.searchFor({
      ...{ accountId, id, threshold: THRESHOLD, source: 'en', target: 'de' },
    });
    const many = Array.from({ length: 100 }, () => ['Close the door']);
    await expect(search.find(many, abort.signal)).rejects.toThrow('gone');
    expect(reads).toBe(2);
  });

  it('survive any file', async () => {
    const scrap = fc.constantFrom(
      ...['<tmx>', '<tu>', '</tu>', '<tuv xml:lang="de">', '<seg>', '</seg>', '<bpt i="1">', '"'],
      ...['<![CDATA[', ']]>', '&amp;', '\u0000', '\ufeff', ',', '\n', 'en,de\n', 'House', '<!--'],
      tmxFile([{ en: 'House', de: 'Haus' }]),
    );
    const file = fc.array(scrap, { maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(file, fc.constantFrom('tmx', 'csv'), async (content, format) => {
        const bytes = bytesOf(content);
        const imported = memories.import(accountId, { name: 'm', format, bytes });
        const outcome = await imported.then(
          (memory) => memories.delete(accountId, memory.translation_memory_id),
          (error: unknown) => error,
        );
        if (outcome !== undefined) expect(outcome).toMatchObject({ code: 'invalid_request' });
      }),
      { numRuns: 40 },
    );
    await memories.tidy();
  });
});
