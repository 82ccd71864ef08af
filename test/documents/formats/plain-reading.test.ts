/** Words of the plain page beside those read without its rules. */
import { describe, expect, it } from 'vitest';
import { withPlainWords } from '../../../server/documents/formats/image/plain-reading.ts';
import {
  type OcrWord,
  type PixelBox,
  type RawPixels,
} from '../../../server/documents/formats/image/ocr.ts';
import type { Rule } from '../../../server/documents/formats/image/rules.ts';
import type { PlacedLine } from '../../../server/documents/formats/image/table-cells.ts';
import { line } from './placed-line.ts';

const HEIGHT = 20;
const LETTER = 10;

/** Returns a word on a line at the given top, with a width proportional to its letters. */
function word(text: string, { left, top = 20, confidence = 95 }: Place): OcrWord {
  const box = { left, right: left + text.length * LETTER, top, bottom: top + HEIGHT };
  return { text, box, confidence };
}

interface Place {
  left: number;
  top?: number;
  confidence?: number;
}

/** Returns a white page that is black between pairs of columns of pixels. */
function page(...inked: { from: number; to: number }[]): RawPixels {
  const [width, height] = [400, 100];
  const data = new Uint8Array(width * height).fill(255);
  for (const { from, to } of inked) {
    for (let y = 22; y < 38; y++) data.fill(0, y * width + from, y * width + to);
  }
  return { data, width, height, channels: 1 };
}

interface Reading {
  own: readonly PlacedLine[];
  plain: readonly PlacedLine[];
  rules?: readonly Rule[];
  strikes?: readonly PixelBox[];
  bare?: RawPixels;
  /** Readings of the scanned page, and other readings. */
  others?: readonly PlacedLine[];
  worded?: readonly OcrWord[];
}

function texts({
  own,
  plain,
  rules = [],
  strikes = [],
  bare = page(),
  others = [],
  worded = [],
}: Reading): string[] {
  const read = { plain: [...plain, ...others], page: [own, others], original: others };
  const lines = withPlainWords(own, { rules, strikes, bare, worded: new Set(worded), ...read });
  return lines.map(({ words }) => words.map(({ text }) => text).join(' '));
}

const open = word('Open', { left: 20 });
const until = word('until', { left: 70 });
const noon = word('noon', { left: 130 });

describe('a line that its words prove to be text', () => {
  const unsure = [
    word('Open', { left: 20, confidence: 50 }),
    word('until', { left: 70, confidence: 20 }),
  ];

  it('is added with all of them, however unsure they are', () => {
    expect(texts({ own: [], plain: [line(...unsure)], worded: unsure })).toEqual(['Open until']);
    expect(texts({ own: [], plain: [line(...unsure)] })).toEqual([]);
  });

  it('includes words that another reading of it lacks', () => {
    const plain = [line(...unsure, noon)];
    expect(texts({ own: [line(noon)], plain, worded: [...unsure, noon] })).toEqual([
      'Open until noon',
    ]);
  });
});

describe('a page read without its rules', () => {
  it('gets a word that only the plain page has in a line', () => {
    expect(texts({ own: [line(open, noon)], plain: [line(open, until, noon)] })).toEqual([
      'Open until noon',
    ]);
  });

  it('gets a line that only the plain page has, after its predecessor', () => {
    const below = line(word('Closed', { left: 20, top: 50 }));
    const last = line(word('Thanks', { left: 20, top: 80 }));
    expect(texts({ own: [line(open), last], plain: [line(open), below, last] })).toEqual([
      'Open',
      'Closed',
      'Thanks',
    ]);
  });

  it('gets a less sure one-word line that continues a hyphenated word', () => {
    const rest = line(word('mas.', { left: 20, top: 50, confidence: 80 }));
    const begun = line(word('Michael-', { left: 20 }));
    expect(texts({ own: [begun], plain: [begun, rest] })).toEqual(['Michael-', 'mas.']);
    expect(texts({ own: [line(open)], plain: [line(open), rest] })).toEqual(['Open']);
  });

  it('gets all of a line that only the plain page has, if most of it is sure', () => {
    const field = [word('Keys', { left: 20, top: 50, confidence: 65 })];
    const others = ['are', 'kept', 'here'].map((text, at) =>
      word(text, { left: 70 + 50 * at, top: 50 }),
    );
    expect(texts({ own: [line(open)], plain: [line(open), line(...field, ...others)] })).toEqual([
      'Open',
      'Keys are kept here',
    ]);
    expect(texts({ own: [line(open)], plain: [line(open), line(...field)] })).toEqual(['Open']);
  });

  it('gets no word twice that was read slightly beside its place', () => {
    const astray = line(open, word('until', { left: 122 }));
    expect(texts({ own: [line(open, until)], plain: [astray] })).toEqual(['Open until']);
  });

  it('gets a sure word in place of a doubtful one, and never the reverse', () => {
    const doubtful = word('unlil', { left: 70, confidence: 50 });
    expect(texts({ own: [line(open, doubtful)], plain: [line(open, until)] })).toEqual([
      'Open until',
    ]);
    expect(texts({ own: [line(open, until)], plain: [line(open, doubtful)] })).toEqual([
      'Open until',
    ]);
  });

  it('gets back the bar of an e that was removed with a strike', () => {
    const { box } = word('bc', { left: 20 });
    const struck = { ...word('be-seen', { left: 20, confidence: 40 }) };
    const letters = ['b', 'e', '-', 's', 'e', 'e', 'n'].map((text, at) => ({
      text,
      box: { ...box, left: 20 + at * LETTER, right: 30 + at * LETTER },
    }));
    const own = line(word('bc', { left: 20, confidence: 80 }), word('seen', { left: 50 }));
    const plain = line({ ...struck, letters });
    const strikes = [{ left: 10, right: 100, top: 29, bottom: 31 }];
    expect(texts({ own: [own], plain: [plain], strikes })).toEqual(['be seen']);
    expect(texts({ own: [own], plain: [plain] })).toEqual(['bc seen']);
  });

  it('gets the reading without an inner capital, where only strokes differ', () => {
    const odd = word('lIkley', { left: 20, confidence: 80 });
    const sound = word('Ilkley', { left: 20, confidence: 60 });
    expect(texts({ own: [line(odd)], plain: [line(sound)] })).toEqual(['Ilkley']);
    expect(texts({ own: [line(sound)], plain: [line(odd)] })).toEqual(['Ilkley']);
  });

  it('gets words separate that were read as one, where they are surer', () => {
    const one = word('Openuntil', { left: 20, confidence: 90 });
    const two = line(word('Open', { left: 20 }), word('until', { left: 62 }));
    expect(texts({ own: [line(one)], plain: [two] })).toEqual(['Open until']);
  });

  it('gets a word that was read twice in place of fragments that do not spell it', () => {
    const bits = [
      word('un', { left: 70, confidence: 96 }),
      word('ntl', { left: 92, confidence: 97 }),
    ];
    const spelt = [word('un', { left: 70, confidence: 96 }), word('til', { left: 90 })];
    const likely = [line(open, word('until', { left: 70, confidence: 90 }))];
    expect(texts({ own: [line(open, ...bits)], plain: [], others: likely })).toEqual([
      'Open until',
    ]);
    const [first, second] = bits;
    const torn = [line(second ?? open), line(open, first ?? open)];
    expect(texts({ own: torn, plain: [], others: likely })).toEqual(['Open until']);
    const elided = [line(open, word('d’until', { left: 70, confidence: 90 }))];
    const apart = [word('d', { left: 70 }), word('until', { left: 90, confidence: 58 })];
    expect(texts({ own: [line(open, ...apart)], plain: [], others: elided })).toEqual([
      'Open d’until',
    ]);
    // Read only once, it may be wrong.
    expect(texts({ own: [line(open, ...bits)], plain: likely })).toEqual(['Open un ntl']);
    expect(texts({ own: [line(open, ...spelt)], plain: [], others: likely })).toEqual([
      'Open un til',
    ]);
  });

  it('gets a whole word in place of an equally sure part', () => {
    const part = word('rust', { left: 80, confidence: 92 });
    const whole = word('Crust', { left: 70, confidence: 90 });
    expect(texts({ own: [line(open, part)], plain: [], others: [line(open, whole)] })).toEqual([
      'Open Crust',
    ]);
    expect(texts({ own: [line(open, part)], plain: [line(open, whole)] })).toEqual(['Open rust']);
    expect(texts({ own: [line(open, whole)], plain: [], others: [line(open, part)] })).toEqual([
      'Open Crust',
    ]);
  });

  it('gets no letters before a word that are misread rules and boxes', () => {
    const field = word('Field', { left: 80, confidence: 92 });
    for (const text of ['|Field', 'IField', 'DField']) {
      const others = [line(open, word(text, { left: 70, confidence: 91 }))];
      expect(texts({ own: [line(open, field)], plain: [], others })).toEqual(['Open Field']);
    }
  });

  it('gets the surer of two words that differ only in a capital', () => {
    const capital = line(open, word('Until', { left: 70, confidence: 93 }));
    const surer = line(open, word('until', { left: 70, confidence: 95 }));
    expect(texts({ own: [capital], plain: [surer] })).toEqual(['Open until']);
    expect(texts({ own: [surer], plain: [capital] })).toEqual(['Open until']);
  });

  it('gets a struck single word without its strike', () => {
    const box = { left: 20, right: 80, top: 50, bottom: 70 };
    const letters = ['-', 'n', 'i', 'n', 'e', '-'].map((text, at) => ({
      text,
      box: { ...box, left: 20 + at * LETTER, right: 30 + at * LETTER },
    }));
    const struck = line({ text: '-nine-', box, confidence: 64, letters });
    const strikes = [{ left: 15, right: 85, top: 59, bottom: 61 }];
    const bare = page();
    const read = {
      plain: [line(open), struck],
      page: [[struck]],
      original: [struck],
      rules: [],
      bare,
    };
    const found = (struckBy: PixelBox[]): string[] =>
      withPlainWords([line(open)], { ...read, strikes: struckBy }).flatMap(({ words }) =>
        words.map(({ text }) => text),
      );
    expect(found(strikes)).toEqual(['Open', 'nine']);
    expect(found([])).toEqual(['Open']);
    // A rule below the word leaves its hyphens.
    const raised = letters.map(({ text, box: { left, right } }) => ({
      text,
      box: { left, right, top: 57, bottom: 61 },
    }));
    const below = [{ left: 15, right: 85, top: 68, bottom: 70 }];
    const underlined = line({ text: '-nine-', box, confidence: 64, letters: raised });
    const kept = { ...read, plain: [line(open), underlined], strikes: below };
    expect(
      withPlainWords([line(open)], { ...kept, page: [[underlined]], original: [underlined] }).at(-1)
        ?.words[0]?.text,
    ).toBe('-nine-');
  });

  it('gets no misread bars and dots', () => {
    const leader = { box: { left: 60, right: 380, top: 36, bottom: 39 } };
    const rules = [{ ...leader, isUpright: false, isDashed: true }];
    const bars = line(open, word('|', { left: 70 }), word('J', { left: 90 }));
    const dots = line(open, word('eeeee', { left: 70 }), word('scesces', { left: 130 }));
    expect(texts({ own: [line(open)], plain: [bars, dots], rules })).toEqual(['Open']);
  });

  it('gets no part of a word whose other letters were not read', () => {
    const part = line(open, word('ntil', { left: 82 }));
    const bare = page({ from: 72, to: 80 }, { from: 82, to: 120 });
    expect(texts({ own: [line(open)], plain: [part], bare })).toEqual(['Open']);
  });

  it('gets a long single word where the rest of the page is sure text', () => {
    const alone = line(word('Pterostichus', { left: 20, top: 60, confidence: 80 }));
    const sign = line(word('ATK', { left: 20, top: 60, confidence: 80 }));
    const sure = Array.from({ length: 10 }, () => line(open));
    const read = { own: [line(open)], plain: [line(open), alone] };
    expect(texts({ ...read, others: sure })).toEqual(['Open', 'Pterostichus']);
    expect(texts({ ...read, others: sure.slice(1) })).toEqual(['Open']);
    expect(texts({ own: [line(open)], plain: [line(open), sign], others: sure })).toEqual(['Open']);
  });

  it("gets such a word, however unsure, if the scan's reading is much the same", () => {
    const name = (text: string, confidence: number) =>
      line(word(text, { left: 20, top: 60, confidence }));
    const sure = Array.from({ length: 10 }, () => line(open));
    const plain = [line(open), name('Ynysybwi', 30)];
    const read = (scanned: PlacedLine) =>
      withPlainWords([line(open)], {
        rules: [],
        bare: page(),
        plain: [...plain, scanned],
        page: [plain],
        original: [...sure, scanned],
      }).flatMap(({ words }) => words.map(({ text }) => text));
    expect(read(name('Ynysybwl', 12))).toEqual(['Open', 'Ynysybwi']);
    expect(read(name('Cwmbrana', 12))).toEqual(['Open']);
  });

  it('gets a word with two equal readings, even if its place is too narrow for its letters', () => {
    const narrow = line(open, word('until', { left: 82 }));
    const bare = page({ from: 72, to: 80 }, { from: 82, to: 132 });
    const read = { own: [line(open)], plain: [narrow], bare };
    expect(texts(read)).toEqual(['Open']);
    expect(texts({ ...read, others: [narrow] })).toEqual(['Open until']);
  });
});
