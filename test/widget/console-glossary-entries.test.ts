/** Entries in the glossary editor, without its page. */
import fc from '../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { parseEntries } from '../../server/glossaries/terms/entries.ts';
import { phraseFault } from '../../shared/glossary-phrase.ts';
import { DictionaryDraft, entriesOf } from '../../widget/console/glossaries/dictionary-draft.ts';
import {
  decodeText,
  readEntries,
  writeCsv,
  writeTsv,
} from '../../widget/console/glossaries/entry-file.ts';

const pair = { source: 'en', target: 'de' };
const entry = (source: string, target = `${source} (de)`) => ({ source, target });
const phrase = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !phraseFault(text));
const dictionary = fc.uniqueArray(fc.record({ source: phrase, target: phrase }), {
  selector: ({ source }) => source,
  minLength: 1,
  maxLength: 12,
});

describe('a file of glossary entries', () => {
  it('is read as written, by the page and by the server', async () => {
    await fc.assert(
      fc.asyncProperty(dictionary, async (entries) => {
        for (const format of ['tsv', 'csv'] as const) {
          const text = format === 'tsv' ? writeTsv(entries) : writeCsv(entries, pair);
          const sent = { text, format, sourceLang: 'en', targetLang: 'de' };
          expect(entriesOf((await parseEntries(sent)).tsv)).toEqual(entries);
          expect(readEntries(text, pair)).toEqual({ entries, faults: [], foreignCount: 0 });
        }
      }),
      { numRuns: 300, examples: [[[entry('"', '"')]]] },
    );
  });

  it('may come from a spreadsheet: commas, semicolons, tabs, quotation marks, UTF-16', () => {
    const expected = [entry('one, two', 'eins, "zwei"'), entry('line', 'Zeile')];
    const lines = (separator: string) =>
      `"one, two"${separator}"eins, ""zwei"""\r\nline${separator}Zeile\r\n\r\n`;
    expect(readEntries(lines(','), pair).entries).toEqual(expected);
    expect(readEntries(lines(';'), pair).entries).toEqual(expected);
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('ä\tö\r\n', 'utf16le')]);
    expect(readEntries(decodeText(utf16), pair).entries).toEqual([entry('ä', 'ö')]);
    expect(readEntries('\uFEFFa\tb', pair).entries).toEqual([entry('a', 'b')]);
    expect(() => decodeText(Buffer.from('caf\xe9', 'latin1'))).toThrow(TypeError);
  });

  it('may begin with the names of its columns', () => {
    for (const names of [
      'source,target',
      'Source_term,Target_term',
      'en,de',
      'EN-GB,de-AT',
      'english,GERMAN',
    ]) {
      expect(readEntries(`${names}\ncar,Auto`, pair)).toEqual({
        entries: [entry('car', 'Auto')],
        faults: [],
        foreignCount: 0,
      });
    }
    const words = 'English;German;notes\ncar;Auto;a vehicle\nen;de;on labels';
    expect(readEntries(words, pair).entries).toEqual([entry('car', 'Auto'), entry('en', 'de')]);
    const phrases = [entry('source', 'Quelle'), entry('target', 'Ziel')];
    expect(readEntries('source,Quelle\ntarget,Ziel', pair).entries).toEqual(phrases);
    const labels = [entry('EN', 'DE')];
    expect(readEntries(writeCsv(labels, pair), pair).entries).toEqual(labels);
  });

  it('has unusable lines reported, and its other lines used', () => {
    const text = [
      ...['house,Haus', 'alone', ',nothing', '"open,Zeile', 'house,Heim', `${'x'.repeat(1025)},y`],
      ...['"two', 'lines",b', 'casa,house,es,en', 'car,Auto,EN,de-DE'],
    ].join('\n');
    const { entries, faults, foreignCount } = readEntries(text, pair);
    expect(entries).toEqual([entry('house', 'Haus'), entry('car', 'Auto')]);
    expect(foreignCount).toBe(1);
    expect(faults).toEqual([
      { line: 2, fault: 'has one phrase only' },
      { line: 3, fault: 'has a source phrase that is empty' },
      { line: 4, fault: 'has a quote that is not closed, or text after one' },
      { line: 5, fault: 'repeats the phrase of line 1' },
      { line: 6, fault: 'has a source phrase that is longer than 1024 bytes' },
      { line: 7, fault: 'has a source phrase that contains the character U+000A' },
    ]);
  });
});

describe('a glossary draft', () => {
  const saved = () => new DictionaryDraft([entry('a'), entry('b'), entry('c')]);

  it('knows its difference from the saved state, and discards it on request', () => {
    const draft = saved();
    const [, second, third] = draft.entries;
    expect(draft.put(entry('d'))).toBeUndefined();
    expect(draft.put(entry('b', 'other'), second)).toBeUndefined();
    draft.remove(third!);
    expect(draft.changes).toEqual({ added: 1, changed: 1, removed: 1 });
    expect(draft.entries.map((each) => draft.mark(each))).toEqual(['added', 'saved', 'changed']);
    draft.put(entry('c'));
    expect(draft.changes).toEqual({ added: 1, changed: 1, removed: 0 });
    draft.discard();
    expect(draft.isChanged).toBe(false);
    expect(draft.entries).toEqual([entry('a'), entry('b'), entry('c')]);
  });

  it('is searched without regard to case, accents and the encoding of letters', () => {
    const entries = [entry('Cafe\u0301', 'İstanbul'), entry('カ\u3099ス', 'gas')];
    const draft = new DictionaryDraft(entries);
    for (const words of ['caf\u00e9', ' CAFE', 'istanbul']) {
      expect(draft.search(words)).toEqual([entries[0]]);
    }
    expect(draft.search('ガス')).toEqual([entries[1]]);
    expect(draft.search('kaffee')).toEqual([]);
  });

  it('keeps a row that was begun during saving', () => {
    const draft = saved();
    draft.row = { over: 'new', ...entry('d') };
    const renewed = draft.renewed([entry('a')]);
    expect(renewed.row).toEqual(draft.row);
    expect(renewed.isChanged).toBe(true);
    draft.row = { over: draft.entries[0]!, ...entry('d') };
    expect(draft.renewed([entry('a')]).isChanged).toBe(false);
  });

  it('rejects what the server would reject', () => {
    const draft = saved();
    expect(draft.put(entry('a', 'again'))).toBe('has a source phrase that is there already');
    expect(draft.put(entry('b', 'x'), draft.entries[0])).toContain('there already');
    expect(draft.put(entry(' d'))).toContain('white space');
    expect(draft.put(entry('d', ''))).toContain('empty');
    expect(draft.isChanged).toBe(false);
  });

  it('is sent as additions only while nothing is removed', () => {
    const draft = saved();
    draft.take([entry('a', 'new'), entry('d')], { inPlaceOfAll: false });
    expect(draft.plan).toEqual({ kind: 'add', tsv: 'a\tnew\nd\td (de)' });
  });

  it('keeps concurrent changes of others', () => {
    const draft = saved();
    draft.remove(draft.entries[0]!);
    draft.put(entry('b', 'mine'), draft.entries[0]);
    const { plan } = draft;
    const current = 'a\ttheirs\nb\ttheirs\nc\ttheirs\ne\ttheirs';
    expect(plan.kind === 'rewrite' && writeTsv(plan.over(current))).toBe(
      'b\tmine\nc\ttheirs\ne\ttheirs',
    );
  });

  it('finds words in either phrase, in any case', () => {
    expect(
      saved()
        .search(' B (DE')
        .map(({ source }) => source),
    ).toEqual(['b']);
    expect(saved().search('')).toHaveLength(3);
  });
});
