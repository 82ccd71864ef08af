import fc, { codePoint } from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { applyEdits, untouchableSpans } from '../../../server/text/wording/edits.ts';
import {
  safeGrammar,
  clearSuggestion,
  spellingWords,
} from '../../../server/text/wording/sure-corrections.ts';
import { isSoundImprovement } from '../../../server/text/wording/soundness.ts';
import {
  englishVariantOf,
  inEnglishVariant,
} from '../../../server/text/wording/english-variants.ts';
import { expectSteadyTime } from '../../support/machine/processor-time.ts';

it('does not separate a letter from its accent', () => {
  const text = 'e\u0301te\u0301 te house';
  const at = (start: number) => ({ start, end: start + 2, text: 'the' });
  expect(applyEdits(text, [at(2), at(6)])).toBe('e\u0301te\u0301 the house');
  expect(applyEdits('e\u0301te', [at(2)])).toBe('e\u0301te');
});

const untouchable = (text: string) =>
  untouchableSpans(text).map(({ start, end }) => text.slice(start, end));
const judged = (text: string, language: string) =>
  spellingWords(text, language, untouchableSpans(text)).map(({ lookedUp }) => lookedUp);

/** Texts of parts each of which has been fatal to some expression. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'the ',
        'the',
        ' ,',
        '. a',
        'Color',
        'colour ',
        '`',
        '<',
        '>',
        '{',
        '}',
        '\n',
      ),
      fc.constantFrom('http://a.b/?c=d', 'a@b.c', 'x_y', '…', '😀', '\ud800', 'é', '’', '1,2'),
      fc.string({ unit: codePoint, maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('text that must not change', () => {
  it.each([
    ['See https://example.org/a?b=c, or write to max@example.org.', 2],
    ['Open report_final.pdf and config.yaml.', 2],
    ['Run `npm run build` with {name} and %s or <b> now.', 4],
    ['It costs 3.50 or 20% more, see #48213.', 3],
    ['GitHub, camelCase and foo() are code, /usr/bin too.', 4],
    ['Plain words, "quotes" (and brackets): none!', 0],
  ])('is found in %j', (text, count) => {
    expect(untouchable(text)).toHaveLength(count);
  });
});

describe('words with a checked spelling', () => {
  it('exclude names, numbers, compounds, abbreviations and code', () => {
    const text = 'Gestern kam Yıldırım aus dem E-Mail-Haus. Morgen geht USB2 zu foo_bar, l’ami.';
    expect(judged(text, 'de')).toEqual(['gestern', 'kam', 'aus', 'dem', 'morgen', 'geht', "l'ami"]);
  });
});

describe('the intended suggestion', () => {
  it.each([
    ['es', 'manana', ['manaba', 'manan', 'manzana', 'mañana', 'banana'], 'mañana'],
    ['es', 'haser', ['hacer', 'haber', 'ha ser'], 'hacer'],
    ['de', 'nciht', ['nicht'], 'nicht'],
    ['de', 'vergesen', ['vergessen', 'verlesen'], 'vergessen'],
    ['fr', 'achetter', ['acheter', 'tacheter'], 'acheter'],
    ['it', 'bichiere', ['bicchiere', 'bicchieraie'], 'bicchiere'],
    ['en', 'mondays', ['Mondays', "Monday's"], 'Mondays'],
    ['de', 'wiedre', ['wieder', 'widre'], 'wieder'],
    ['fr', 'paris', ['Paris', 'parie'], undefined],
    ['it', 'tazo', ['tazza', 'tasto', 'tatto'], undefined],
    ['de', 'hau', ['haus', 'hat', 'bau'], undefined],
    ['es', 'kubectl', ['cuba', 'cubículo'], undefined],
    ['en', 'bloke', ['broke', 'bake', 'bike'], undefined],
    ['en', 'soupçon', ['soupcon'], undefined],
    ['it', 'feed', ['fede'], undefined],
    ['pt', 'acção', ['cação'], undefined],
    ['de', 'loga', ['log', 'logo', 'Yoga'], undefined],
  ])('in %s for %s', (language, word, suggestions, meant) => {
    expect(clearSuggestion(word, suggestions, language)).toBe(meant);
  });
});

describe('safe grammar', () => {
  it.each([
    ['de', 'Er kam und und ging.', 'Er kam und ging.'],
    ['de', 'Die, die die Arbeit machen, die die anderen lassen.', undefined],
    ['fr', 'Vous vous êtes trompés, nous nous en souvenons.', undefined],
    ['fr', 'Pourquoi ? Parce que !', undefined],
    [
      'es',
      'Va con con su hijo, la la la, muy muy bonito.',
      'Va con su hijo, la la la, muy muy bonito.',
    ],
    ['en', 'He had had enough. That that is so is known.', undefined],
    ['en', 'What it is is a mess that we look for for the garden.', undefined],
    ['de', 'Die eine eine Ärztin kommt mit mit ihm, wenn ich ich wäre.', undefined],
    ['fr', 'Le son son de guitare, ce qui est est exposé, chacune une.', undefined],
    ['pt', 'Ele para para pensar, o que que é?', undefined],
    ['it', 'Su su, lo lo sai, ciascuna una.', undefined],
    ['it', 'Era chiuso , quindi siamo tornati .', 'Era chiuso, quindi siamo tornati.'],
    ['en', 'Wait . . . what , now', 'Wait . . . what, now'],
    ['en', 'It rained. we stayed in.', 'It rained. We stayed in.'],
    ['en', 'See approx. three, dept. heads, e.g. these, www.a.b. c', undefined],
    ['en', 'A smile :) and ... more ,5 of it', undefined],
    ['ja', 'the the', undefined],
  ])('in %s: %s', (language, text, mended) => {
    expect(safeGrammar(text, language)).toBe(mended ?? text);
  });

  it('is idempotent and leaves untouchable parts', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom('de', 'en', 'es', 'fr', 'it', 'pt'), (text, to) => {
        const once = safeGrammar(text, to);
        expect(safeGrammar(once, to)).toBe(once);
        for (const part of untouchable(text)) expect(once).toContain(part);
      }),
      { numRuns: 300 },
    );
  });
});

describe('American and British spelling', () => {
  it.each([
    ['The color of the theater was gray.', 'The colour of the theatre was grey.'],
    ['They ORGANIZED it; organizing is labor.', 'They ORGANISED it; organising is labour.'],
    ['Analyzing traveled, canceled, modeling', 'Analysing travelled, cancelled, modelling'],
    ['Favorite neighbors are "honorable".', 'Favourite neighbours are "honourable".'],
  ])('of %j can be converted', (american, british) => {
    expect(inEnglishVariant(american, 'en-GB')).toBe(british);
    expect(inEnglishVariant(british, 'en-US')).toBe(american);
    expect(inEnglishVariant(british, 'en-GB')).toBe(british);
    expect([englishVariantOf(american), englishVariantOf(british)]).toEqual(['en-US', 'en-GB']);
  });

  it.each([
    'We flew from Pearl Harbor to the Lincoln Center.',
    'Open color.css at https://color.org/center or mail gray@example.com.',
    'Set `color: gray` and {color} in the backgroundColor.',
    'He checks the meter, tires quickly and writes a draft of the program.',
    'Write background-color: gray or border-color: gray; here.',
    'A whiskey beside the dialog box.',
  ])('is kept in names, code and words with different meanings: %j', (text) => {
    expect(inEnglishVariant(text, 'en-GB')).toBe(text);
  });

  it('is undetermined for a text that has neither', () => {
    expect(englishVariantOf('Hello, this is a text.')).toBeUndefined();
  });

  it('conversion is idempotent for any text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const british = inEnglishVariant(text, 'en-GB');
        expect(inEnglishVariant(british, 'en-GB')).toBe(british);
        for (const part of untouchable(text)) expect(british).toContain(part);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an unsound improvement', () => {
  const text = 'Please send 20 boxes to Oslo by 3 May, see https://example.org/a, said Miriam.';
  it.each([
    ['loses a number', text.replace('20 boxes', 'boxes')],
    ['changes a number', text.replace('20', '200')],
    ['invents a number', `${text} 7`],
    ['loses an address', text.replace('https://example.org/a', 'our page')],
    ['loses a name', text.replace('Oslo', 'town')],
    ['is empty', ''],
    ['is a summary', 'Boxes 20 3'],
    [
      'answers instead',
      `Sure! ${text} I hope that this helps, and that you like it. Ask me again.`,
    ],
    [
      'is another text',
      'Kindly 20 forward those crates 3 towards Oslo https://example.org/a Miriam',
    ],
    ['has a preface', `Corrected text: ${text}`],
    ['has a note', `${text} (Corrected by AI)`],
    ['is bold', `**${text}**`],
    ['is quoted', `"${text}"`],
  ])('%s', (_, improved) => {
    expect(isSoundImprovement(text, improved, { task: 'correct', language: 'en' })).toBe(false);
  });

  const order = 'We should not buy it now. They wait for the answer. Please tell Anna tomorrow.';
  it.each([
    ['loses a denial', 'correct', order.replace('not ', '')],
    ['wins a denial', 'correct', order.replace('it now', 'it not')],
    ['says the opposite', 'correct', order.replace('buy', 'sell')],
    ['loses its end', 'correct', order.replace(' Please tell Anna tomorrow.', '')],
    ['loses a sentence', 'correct', order.replace(' They wait for the answer.', '')],
    ['adds an answer', 'correct', `Sure! ${order}`],
    ['loses a denial', 'rephrase', order.replace('should not', 'ought to')],
    ['loses its end', 'rephrase', 'We should not buy this now. They expect an answer from Anna.'],
    ['adds an answer', 'rephrase', `Sure! ${order}`],
    ['adds a preface', 'rephrase', `Here is a better version: ${order}`],
    ['is wrapped', 'rephrase', `**${order}**`],
    ['adds a note', 'rephrase', `${order} (I kept it short.)`],
  ] as const)('%s, to %s', (_, task, improved) => {
    expect(isSoundImprovement(order, improved, { task, language: 'en' })).toBe(false);
  });

  it.each([
    ['correct', 'He have recieved 2 mail from Oslo', 'He has received 2 mails from Oslo.'],
    ['correct', 'wat is teh tiem', 'What is the time?'],
    ['correct', 'i dont has alot off time', "I don't have a lot of time."],
    ['correct', 'She said "we go home', 'She said, "We go home."'],
    ['rephrase', 'It is not possible to do that.', 'Doing that is impossible.'],
    [
      'rephrase',
      "It's late. We don’t know why they won't come.",
      'It is late. We do not know why they will not come.',
    ],
    [
      'rephrase',
      text,
      'Kindly ship 20 boxes to Oslo by 3 May (https://example.org/a), Miriam said.',
    ],
  ] as const)('to %s does not include a sound one', (task, original, improved) => {
    expect(isSoundImprovement(original, improved, { task, language: 'en' })).toBe(true);
  });
});

describe('the work of the wording rules', () => {
  const SIZE = 80_000;
  const shapes = {
    letters: 'a',
    blanks: ' ',
    'a letter and blanks': 'a  ',
    ticks: '`',
    angles: '<',
    'full stops': 'a.',
    words: 'the the ',
    colors: 'Color color. ',
    apostrophes: "a'",
    hyphens: 'a-',
  };
  it.each(Object.entries(shapes))('grows linearly with the length for %s', (_, shape) => {
    const work = (length: number) => {
      const text = shape.repeat(length / shape.length);
      safeGrammar(text, 'en');
      inEnglishVariant(text, 'en-GB');
      spellingWords(text, 'en', untouchableSpans(text));
      isSoundImprovement(text, `${text}a`, { task: 'correct', language: 'en' });
    };
    return expectSteadyTime(work, { size: SIZE, littleMs: 100 });
  });
});

describe('edits', () => {
  it('are applied in any order; of overlapping edits only the first is applied', () => {
    const edits = [
      { start: 4, end: 5, text: 'X' },
      { start: 0, end: 2, text: '' },
      { start: 1, end: 3, text: 'no' },
      { start: 6, end: 6, text: '!' },
    ];
    expect(applyEdits('abcdef', edits)).toBe('cdXf!');
  });
});
