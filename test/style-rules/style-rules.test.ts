import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStyleRuleLists, type StyleRuleLists } from '../../server/style-rules/style-rules.ts';
import { createTextStyle } from '../../server/style-rules/text-style.ts';
import { styledTranslation } from '../../server/translation/wishes.ts';
import type { SegmentTranslationOptions } from '../../server/translation/translation.ts';
import { openStorage } from '../../server/storage/open-storage.ts';
import type { Storage } from '../../server/stores.ts';
import type { TextSegment } from '../../server/text/text-segment.ts';
import { openAccount, quietLog } from '../storage/samples.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-styles-'));
let storage: Storage;
let lists: StyleRuleLists;
let nowMs = Date.UTC(2026, 10, 21, 12);
beforeAll(async () => {
  storage = await openStorage({ url: undefined, dataFolder: folder, log: quietLog });
  lists = createStyleRuleLists({ styleRules: storage.styleRules, now: () => nowMs });
});
afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const newAccountId = async () => (await openAccount(storage)).account.accountId;

describe('style rule lists', () => {
  it('have creation and modification times in milliseconds of UTC', async () => {
    const accountId = await newAccountId();
    const { style_id } = await lists.create(accountId, { name: 'A', language: 'en' });
    nowMs += 90_061_007;
    await lists.addInstruction(accountId, style_id, { label: 'a', prompt: 'b' });
    expect(await lists.get(accountId, style_id)).toMatchObject({
      creation_time: '2026-11-21T12:00:00.000Z',
      updated_time: '2026-11-22T13:01:01.007Z',
    });
  });

  it('are limited to 1,000 for an account by its quota', async () => {
    const accountId = await newAccountId();
    const row = { name: 'A', language: 'en', version: 1, configuredRules: {}, instructions: [] };
    const at = { createdAtMs: nowMs, updatedAtMs: nowMs };
    await Promise.all(
      Array.from({ length: 999 }, () =>
        storage.styleRules.create(accountId, { styleId: randomUUID(), ...row, ...at }, 1000),
      ),
    );
    const create = () => lists.create(accountId, { name: 'A', language: 'en' });
    const { style_id } = await create();
    await expect(create()).rejects.toMatchObject({ code: 'quota_exceeded', status: 456 });
    await lists.delete(accountId, style_id);
    expect(await create()).toMatchObject({ version: 1 });
  });
});

describe('a translation in a style', () => {
  /** Returns the options that engines receive; the engines answer every segment unchanged. */
  async function asked(options: Partial<SegmentTranslationOptions>) {
    const heard: SegmentTranslationOptions[] = [];
    const style = createTextStyle({
      target: 'es-419',
      rules: { punctuation: { quotation_mark: 'use_guillemets' } },
      instructions: [
        { prompt: 'for all', sourceLanguage: null },
        { prompt: 'for Portuguese', sourceLanguage: 'pt' },
      ],
    });
    const { translateSegments } = styledTranslation(
      {
        async translateSegments(segments, given) {
          heard.push(given);
          return { segments, engine: 'paper', generation: 'classic' };
        },
      },
      style,
    );
    const segments: TextSegment[] = [
      ['"', { mark: 'open', id: 1 }, 'uno', { mark: 'close', id: 1 }, '"'],
      ['dos'],
    ];
    const { signal } = new AbortController();
    const answer = await translateSegments(segments, {
      source: 'pt-BR',
      target: 'es-419',
      signal,
      quality: 'latency',
      instructions: ['first'],
      ...options,
    });
    return { answer: answer.segments, heard: heard[0], segments };
  }

  it("merges the list's options with the request's, and keeps marks in place", async () => {
    const { answer, heard } = await asked({});
    expect(heard).toMatchObject({
      instructions: ['first', 'for all', 'for Portuguese'],
      styleRules: ['Quotation mark: use guillemets.'],
      prefersFollower: false,
    });
    expect(answer).toEqual([
      ['«', { mark: 'open', id: 1 }, 'uno', { mark: 'close', id: 1 }, '»'],
      ['dos'],
    ]);
  });

  it("uses only the request's options where nothing is translated", async () => {
    const { answer, heard, segments } = await asked({ source: 'es' });
    expect(heard?.instructions).toEqual(['first']);
    expect(heard?.styleRules).toBeUndefined();
    expect(answer).toEqual(segments);
  });
});
