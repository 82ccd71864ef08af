/** Tables and forms without rules between their rows. */
import { describe, expect, it } from 'vitest';

import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { rawPdf } from '../../support/documents/pdf-files.ts';
import { openDocument, plainTextsOf } from '../../support/documents/translated-document.ts';

/** Returns a text at a place, at 12 points. */
const at = (x: number, y: number, text: string): string =>
  `BT /Times 12 Tf ${x} ${y} Td (${text}) Tj ET`;

async function textsOf(content: readonly string[]): Promise<string[]> {
  const file = await rawPdf([{ content: content.join('\n') }]);
  return plainTextsOf(await openDocument(pdf, file));
}

describe('PDF rows without rules', () => {
  it('are separated by figures in any of their columns', async () => {
    const rows = [
      ['Morning watch', 'Harbour office', '8.30'],
      ['Bridge', 'Lower quay', '12.15'],
      ['Evening walk', 'Market', '18'],
    ];
    const content = rows.flatMap(([event = '', room = '', time = ''], row) => {
      const y = 700 - row * 14;
      return [at(60, y, time), at(110, y, event), at(200, y, room)];
    });
    const told = rows.flatMap(([event = '', room = '']) => [event, room]);
    expect((await textsOf(content)).sort()).toEqual(told.sort());
  });

  it('are separated by distances greater than those of lines within a cell', async () => {
    const content = [
      at(60, 700, 'Repairs of the old stone bridge'),
      at(60, 686, 'and of the road beside it'),
      at(240, 700, 'Harbour office'),
      at(60, 668, 'Inspection of the quay walls'),
      at(240, 668, 'River authority'),
      at(60, 650, 'Painting of the lamp posts'),
      at(240, 650, 'Town council'),
    ];
    expect((await textsOf(content)).sort()).toEqual([
      'Harbour office',
      'Inspection of the quay walls',
      'Painting of the lamp posts',
      'Repairs of the old stone bridge and of the road beside it',
      'River authority',
      'Town council',
    ]);
  });

  it('are those of a form where each has a line to write on', async () => {
    const labels = ['Name', 'Street and number', 'Town'];
    const content = labels.flatMap((label, row) => {
      const y = 700 - row * 18;
      return [at(60, y, label), `160 ${y - 2} m 400 ${y - 2} l S`];
    });
    expect(await textsOf(content)).toEqual(labels);
  });

  it('may have cells hardly further apart than words', async () => {
    const content = [
      ...[at(60, 700, 'Article'), at(103, 700, 'Purpose of use')],
      ...[at(60, 682, 'Rope'), at(103, 682, 'Mooring of boats')],
      ...[at(60, 664, 'Lamp'), at(103, 664, 'Light for the quay')],
    ];
    const told = ['Article', 'Lamp', 'Light for the quay', 'Mooring of boats', 'Purpose of use'];
    expect((await textsOf(content)).sort()).toEqual([...told, 'Rope'].sort());
  });

  it('are not assumed in text columns whose lines are level', async () => {
    const column = (name: string): string[] => [
      `${name} has risen by two metres since the`,
      'morning and the authority expects that',
      'it will rise further until the weekend and',
      'asks everybody to leave the lower town.',
    ];
    const content = ['River', 'Stream'].flatMap((name, side) =>
      column(name).map((line, row) => at(60 + side * 250, 700 - row * 19, line)),
    );
    expect(await textsOf(content)).toEqual([column('River').join(' '), column('Stream').join(' ')]);
  });

  it('begin below the heads of the columns, however close', async () => {
    const rows = [
      ['Region', 'Revenue', 'Employees'],
      ['North', '1,250', '31'],
    ];
    const content = rows.flatMap(([label = '', ...figures], row) => [
      at(60, 700 - row * 14, label),
      ...figures.map((figure, column) => at(160 + column * 90, 700 - row * 14, figure)),
    ]);
    expect((await textsOf(content)).sort()).toEqual(['Employees', 'North', 'Region', 'Revenue']);
  });

  it('are the lines of an address', async () => {
    const lines = ['Acme Supplies Ltd.', '12 Harbour Road', 'Bristol BS1 4QA'];
    const content = lines.map((line, row) => at(60, 700 - row * 14, line));
    expect(await textsOf(content)).toEqual(lines);
  });

  it('are the two lines of a short address, not of a phrase', async () => {
    const addresses = [
      ['Mary Green', '12 Station Road'],
      ['12 Station Road', 'Bristol Harbour'],
    ];
    const phrase = ['Delivered on', '12 June 2027'];
    const content = [...addresses, phrase].flatMap((lines, block) =>
      lines.map((line, row) => at(60, 700 - block * 60 - row * 14, line)),
    );
    expect(await textsOf(content)).toEqual([...addresses.flat(), phrase.join(' ')]);
  });

  it('are the addresses and telephone numbers of a person, not those within a sentence', async () => {
    const person = [
      'John Smith',
      'Head of the office',
      'john.smith@harbour.example',
      '+44 117 496 0123',
      'Fax: 0117 496 0124',
    ];
    const sentence = [
      'Please send the whole order to',
      'john.smith@harbour.example',
      'before noon on Monday',
    ];
    const content = [person, sentence].flatMap((lines, block) =>
      lines.map((line, row) => at(60, 700 - block * 120 - row * 14, line)),
    );
    // Telephone numbers without a word are not translated.
    const worded = person.filter((line) => /\p{L}/u.test(line));
    expect(await textsOf(content)).toEqual([...worded, sentence.join(' ')]);
  });

  it('are the lines of opening hours, not of prose that begin with capitals', async () => {
    const hours = ['2 tickets', 'Monday 9.00 to 17.00', 'Tuesday closed', 'Friday 9.00 to 12.00'];
    const prose = [
      'Die Wartung der Heizung beginnt',
      'Montag 8 Uhr. Mieter bleiben bitte zu',
      'Hause.',
    ];
    const placed = (lines: readonly string[], y: number): string[] =>
      lines.map((line, row) => at(60, y - row * 14, line));
    const content = [...placed(hours, 700), ...placed(prose, 500)];
    expect(await textsOf(content)).toEqual([...hours, prose.join(' ')]);
  });

  it('are not the lines of a cell beside a word and its figure', async () => {
    const lines = ['Der Preis gilt bis Ende Mai und', 'Juni'];
    const content = lines.map((line, row) => at(60, 700 - row * 14, line));
    const beside = ['Preis', '12,50'].map((line, row) => at(260, 700 - row * 14, line));
    expect(await textsOf([...content, ...beside])).toContain(lines.join(' '));
  });
});
