import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  MAX_DICTIONARY_BYTES,
  mergeEntries,
  parseEntries,
  type EntriesFormat,
} from '../../../server/glossaries/terms/entries.ts';
import { turnsDuring } from '../../support/machine/event-loop-turns.ts';

const parse = (text: string, format: EntriesFormat = 'tsv') =>
  parseEntries({ text, format, sourceLang: 'en', targetLang: 'de' });

const detailOf = (text: string, format: EntriesFormat = 'tsv') =>
  parse(text, format).then(
    ({ tsv }) => `accepted: ${tsv}`,
    (error: unknown) => {
      expect(error).toMatchObject({
        code: 'invalid_request',
        message: 'Invalid glossary entries provided',
      });
      return (error as { detail: string }).detail;
    },
  );

describe('glossary entries as TSV', () => {
  it.each([
    ['LF', 'a b\tc\nd\te f\n'],
    ['CRLF', 'a b\tc\r\nd\te f\r\n'],
    ['CR', 'a b\tc\rd\te f'],
    ['empty lines', '\n\na b\tc\n\n\nd\te f\n\n'],
    ['a byte order mark', '\uFEFFa b\tc\nd\te f'],
  ])('are read with %s', async (_, text) => {
    expect(await parse(text)).toEqual({ tsv: 'a b\tc\nd\te f', entryCount: 2 });
  });

  it('keep quotation marks and commas unchanged', async () => {
    expect((await parse('"a", b\t"c"')).tsv).toBe('"a", b\t"c"');
  });

  it.each([
    [
      'a\tb\nc',
      'Entry with the index 1 (starting at position 4) has no tab between source and target',
    ],
    ['a\tb\tc', 'Entry with the index 0 (starting at position 0) has 3 fields'],
    ['a\tb\ten\tde', 'Entry with the index 0 (starting at position 0) has 4 fields'],
    ['a\tb\n\tc', 'Key with the index 1 (starting at position 4) is empty'],
    ['a\t', 'Value with the index 0 (starting at position 2) is empty'],
    [' a\tb', 'Key with the index 0 (starting at position 0) starts with white space'],
    ['a\tb\u00a0', 'Value with the index 0 (starting at position 2) ends with white space'],
    ['a\t\u3000b', 'Value with the index 0 (starting at position 2) starts with white space'],
    ['a\u0007\tb', 'Key with the index 0 (starting at position 0) contains the character U+0007'],
    [
      'a\t😀\u0085b',
      'Value with the index 0 (starting at position 2) contains the character U+0085',
    ],
    [
      'a\tb\u2028c',
      'Value with the index 0 (starting at position 2) contains the character U+2028',
    ],
    [
      'a\tb\nc\t\ud800',
      'Value with the index 1 (starting at position 6) contains the character U+D800',
    ],
    [
      `${'ä'.repeat(513)}\tb`,
      'Key with the index 0 (starting at position 0) is longer than 1024 bytes',
    ],
    ['', 'There is no entry'],
    ['\n\r\n', 'There is no entry'],
    ['\t'.repeat(1_000_000), 'Entry with the index 0 (starting at position 0) has too many fields'],
  ])('are refused: %j', async (text, detail) => {
    expect(await detailOf(text)).toBe(detail);
  });

  it('are refused with a repeated phrase, with positions in code points', async () => {
    expect(await detailOf('Hello\tGuten!\nHello\tHallo')).toBe(
      'Key with the index 1 (starting at position 13) duplicates key with the index 0 (starting at position 0)',
    );
    expect(await detailOf('😀\tx\na\ty\n\na\tz')).toBe(
      'Key with the index 2 (starting at position 9) duplicates key with the index 1 (starting at position 4)',
    );
  });

  it('may have phrases of 1,024 bytes, and a phrase again in other case', async () => {
    const longest = 'ä'.repeat(512);
    const text = `${longest}\t${longest}\nUs\ta\nus\tb\nUS\tc`;
    expect(await parse(text)).toEqual({ tsv: text, entryCount: 4 });
  });

  it('are refused above 10 MiB', async () => {
    const lines = MAX_DICTIONARY_BYTES / 1024;
    const line = (index: number) => `${index}\t`.padEnd(1023, 'x');
    const text = `${Array.from({ length: lines }, (_, index) => line(index)).join('\n')}\n`;
    expect((await parse(text)).entryCount).toBe(lines);
    await expect(parse(`${text}\n`)).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});

describe('glossary entries as CSV', () => {
  it.each([
    ['plain fields', 'a b,c\r\nd,e', 'a b\tc\nd\te'],
    ['quoted fields', '"a, ""b""",c\n"d","e"\n', 'a, "b"\tc\nd\te'],
    ['their own languages', 'a,b,en,de\nc,d,EN,de-AT\ne,f,,\n', 'a\tb\nc\td\ne\tf'],
    ['other languages, left out', 'a,b,en,de\na,c,en,fr\nx,,de,en\nd,e', 'a\tb\nd\te'],
    ['tabs in place of nothing', '\uFEFFa,b', 'a\tb'],
  ])('are read with %s', async (_, text, tsv) => {
    expect((await parse(text, 'csv')).tsv).toBe(tsv);
  });

  it.each([
    ['a', 'Entry with the index 0 (starting at position 0) has no comma between source and target'],
    ['a,b,en', 'Entry with the index 0 (starting at position 0) has 3 fields'],
    ['a,b,en,de,x', 'Entry with the index 0 (starting at position 0) has too many fields'],
    ['a,b,?,de', 'Entry with the index 0 (starting at position 0) names a language that is none'],
    [
      'a,b\nc"d,e',
      'Entry with the index 1 (starting at position 4) has a quote inside a field without quotes',
    ],
    ['a,"b', 'Entry with the index 0 (starting at position 0) has a quote that is not closed'],
    ['"a"b,c', 'Entry with the index 0 (starting at position 0) goes on after a closing quote'],
    ['"a\nb",c', 'Key with the index 0 (starting at position 0) contains the character U+000A'],
    ['a,"\t"', 'Value with the index 0 (starting at position 2) contains the character U+0009'],
    ['"",b', 'Key with the index 0 (starting at position 0) is empty'],
    ['a, b', 'Value with the index 0 (starting at position 2) starts with white space'],
    [
      '\u00e4,b\na\u0308,c',
      'Key with the index 1 (starting at position 4) duplicates key with the index 0 (starting at position 0)',
    ],
    [
      'a,b\n"a",c',
      'Key with the index 1 (starting at position 4) duplicates key with the index 0 (starting at position 0)',
    ],
    [
      `"${'""'.repeat(1_000_000)}`,
      'Entry with the index 0 (starting at position 0) is longer than 1024 bytes',
    ],
    ['a,b,fr,de', 'There is no entry'],
  ])('are refused: %j', async (text, detail) => {
    expect(await detailOf(text, 'csv')).toBe(detail);
  });
});

const phrase = fc
  .stringMatching(/^[a-cä"' ,😀]{1,6}$/u)
  .filter((text) => text === text.trim() && text !== '');
const phrases = fc.dictionary(phrase, phrase, { minKeys: 1, noNullPrototype: true });
const tsvOf = (entries: Record<string, string>) =>
  Object.entries(entries)
    .map((entry) => entry.join('\t'))
    .join('\n');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('glossary entries in either format', () => {
  it('are equivalent as TSV and as CSV', async () => {
    await fc.assert(
      fc.asyncProperty(phrases, async (entries) => {
        const tsv = tsvOf(entries);
        const csv = Object.entries(entries)
          .map((entry) => entry.map(quoted).join(','))
          .join('\r\n');
        const expected = { tsv, entryCount: Object.keys(entries).length };
        expect(await parse(tsv)).toEqual(expected);
        expect(await parse(csv, 'csv')).toEqual(expected);
      }),
    );
  });

  it('merge as objects do: known phrases in place, new ones appended', async () => {
    await fc.assert(
      fc.asyncProperty(phrases, phrases, async (existing, added) => {
        const merged = Object.entries(existing).map(([key, value]) => [
          key,
          Object.hasOwn(added, key) ? added[key] : value,
        ]);
        const news = Object.entries(added).filter(([key]) => !Object.hasOwn(existing, key));
        const all = [...merged, ...news];
        expect(await mergeEntries(tsvOf(existing), tsvOf(added))).toEqual({
          tsv: all.map((entry) => entry.join('\t')).join('\n'),
          entryCount: all.length,
        });
      }),
    );
  });
});

it('new entries replace all with the same letters, composed or not', async () => {
  const existing = 'x\ty\na\u0308\told\n\u00e4\tolder';
  const merged = { tsv: 'x\ty\n\u00e4\tnew', entryCount: 2 };
  expect(await mergeEntries(existing, '\u00e4\tnew')).toEqual(merged);
});

it('reading and merging 5 MiB yields to other work', async () => {
  const text = Array.from({ length: 100_000 }, (_, index) => {
    const key = `source phrase number ${index}`;
    return `${key}\t${'x'.repeat(50 - key.length)}`;
  }).join('\n');
  let entryCount = 0;
  const turns = await turnsDuring(async () => {
    const { tsv } = await parse(text);
    ({ entryCount } = await mergeEntries(tsv, text));
  });
  expect(entryCount).toBe(100_000);
  // A slower machine takes more turns, not fewer.
  expect(turns.count).toBeGreaterThan(10);
  expect(turns.longestShare).toBeLessThan(0.25);
});
