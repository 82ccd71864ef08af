/**
 * Inline markup through the Apertium engine: where the marks end up, and how the work grows with their
 * number.
 */
import fc from '../support/suite/properties.ts';
import { describe, expect, test } from 'vitest';
import {
  joinPieces,
  splitSegment,
  withoutSeams,
} from '../../server/engines/translation/segment-pieces.ts';
import { putMarksBack } from '../../server/engines/translation/marked-spans.ts';
import { takeMarksApart } from '../../server/engines/translation/marked-text.ts';
import { repairMarks } from '../../server/text/repair.ts';
import { plainText, type Mark, type TextSegment } from '../../server/text/text-segment.ts';
import { turnsDuring } from '../support/machine/event-loop-turns.ts';
import { expectSteadyTime } from '../support/machine/processor-time.ts';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import { marked, markedSegments, markFaults, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const toSpanish = { source: 'en', target: 'es', signal };

const engine = await apertiumOfFile();

describe('marks in Apertium translations', () => {
  const examples: [string, string, string][] = [
    ['follow a word that moves', 'I like the <1>red</1> car.', 'Me gusta el coche <1>rojo</1>.'],
    [
      'stay nested',
      'The <1>big <2>white</2> house</1> is old.',
      'La <1>casa <2>blanca</2> grande</1> es vieja.',
    ],
    [
      'change places with their words',
      'In the <2>old red</2> <3>office</3>.',
      'En la <3>oficina</3> <2>roja vieja</2>.',
    ],
    [
      'that stand alone stay between their neighbours',
      'The new file<3/> is here, <4/> now.',
      'El archivo nuevo<3/> está aquí, <4/> ahora.',
    ],
    [
      'of a word that is dropped stay, empty, where no word is free',
      '<1>She</1> <2>works</2>.',
      '<1></1><2>Trabaja</2>.',
    ],
    [
      'of a word that is merged go around what it has become',
      'They <1>will</1> come.',
      '<1>Vendrán</1>.',
    ],
    [
      'of a word that is dropped go to the nearest',
      'Please <1>do</1> come.',
      'Por favor <1>viene</1>.',
    ],
    [
      'may begin with signs that no dictionary knows',
      'Now <1>“Never.” She left.</1> <2>“</2>Go” <3>\\red</3>.',
      'Ahora <1>“Nunca.” Salió.</1> <2>“</2>Ir” <3>\\rojo</3>.',
    ],
    ['within a word take it whole', 'It is <1>un</1>usual.', 'Es <1>inusual</1>.'],
    [
      'follow the parts of a compound that no dictionary has',
      'The <1>deep-sea</1> potential of <2>well-armed methods</2>.',
      'El potencial de <1>mar profundo</1> de <2>métodos bien armados</2>.',
    ],
    [
      'follow the parts of a compound of web pages',
      'Our <1>award-winning, family-run</1> <2>restaurant</2> is <3>user-friendly</3>.',
      'Nuestro <2>restaurante</2> <1>premiado, familiar</1> es <3>fácil de usar</3>.',
    ],
    [
      'within such a compound too',
      'The long-<1>term</1> potential.',
      'El potencial de <1>plazo</1> largo.',
    ],
    [
      'of names stay around them, and no blank is left before a full stop',
      '<1>Spider-Man</1> is the <2>co-founder</2>; it was a <3>first-rate change</3>.',
      '<1>Spider-Man</1> es el <2>cofundador</2>; era un <3>primer cambio de tasa</3>.',
    ],
    [
      'within one name do nothing to another',
      'The <1>Rita</1>-Jones, and <2>GPL-3.0-or-later</2> now.',
      'La <1>Rita</1>-Jones, y <2>GPL-3.0-or-later</2> ahora.',
    ],
    ['within a formula stay there', 'H<1>2</1>O is here.', 'H<1>2</1>O está aquí.'],
    [
      'take their quotation marks along',
      'He said <1>“good morning”</1> (<2>yes</2>).',
      'Dijo <1>“buenos días”</1> (<2>sí</2>).',
    ],
    [
      'stay on their side of a separator',
      '<1>Name</1> | Age | <2>The red car</2><3/> • <4/>now',
      '<1>Nombre</1> | Edad | <2>El coche rojo</2><3/> • <4/>ahora',
    ],
    [
      'keep the quotation marks around them',
      'The "<1>red</1>" car and the (‘<2>free world</2>’) market.',
      'El coche "<1>rojo</1>" y el (‘<2>mundo libre</2>’) mercado.',
    ],
    [
      'keep arrows, stars and emoji at their ends',
      'The <1>★ red 🎉</1> car; <2><3>read</3> it →</2> now.',
      'El coche <1>★ rojo 🎉</1>; <2><3>leído</3> lo →</2> ahora.',
    ],
    [
      'keep arrows at their beginnings, and a mark beside a word within the quotation marks',
      '<1>« Previous page</1> and “<2>white <3/></2>” bread',
      '<1>« Página anterior</1> y pan “<2><3/> blanco</2>”',
    ],
    [
      'without words keep their blanks',
      'The dog<1> </1>and <2></2> the house.',
      'El perro<1> </1>y <2></2> la casa.',
    ],
  ];

  test.each(examples)('%s', async (_name, source, target) => {
    const [answer] = await engine.translate([marked(source)], toSpanish);
    expect(written(answer!)).toBe(target);
  });

  test('stay with their words through both steps of a pivot route', async () => {
    const segment = marked('The <1>computer</1> of my <2>father</2> is <3>very slow</3>.');
    const [answer] = await engine.translate([segment], { ...toSpanish, target: 'fr' });
    expect(written(answer!)).toBe("<1>L'ordinateur</1> de mon <2>père</2> est <3>très lent</3>.");
  });

  test('keep one of the blanks around them when they move', async () => {
    const segment = marked('près de <1/> ‘la rivière’ bleue');
    const [answer] = await engine.translate([segment], { ...toSpanish, source: 'fr' });
    expect(written(answer!)).toBe('cerca ‘del río’ <1/> azul');
  });

  test('get the blanks that French typography requires', async () => {
    const segment = marked('¿Quieres eliminar «<1/>»?');
    const [answer] = await engine.translate([segment], { signal, source: 'es', target: 'fr' });
    expect(written(answer!)).toBe('Tu veux supprimer «\u00a0<1/>\u00a0»\u00a0?');
  });

  test('omit a full stop that followed them', async () => {
    const segment = marked('The word has <1>many</1> meanings. <2><3>Many</3> meanings.</2> Yes.');
    const [answer] = await engine.translate([segment], { ...toSpanish, target: 'fr' });
    expect(written(answer!)).toBe(
      'Le mot a <1>beaucoup de significations</1>. <2><3>Beaucoup de significations</3>.</2> Oui.',
    );
  });

  test("show no trace of Apertium's signs for unknown words", async () => {
    const segment = marked('The <1>Zyxqwv *is* #big</1> @home<2/>.');
    for (const target of ['es', 'ca', 'fr']) {
      const [answer] = await engine.translate([segment], { ...toSpanish, target });
      expect(plainText(answer!)).toContain('Zyxqwv');
      expect(plainText(answer!).replaceAll(/[^*#@]/g, '')).toBe('**#@');
    }
  });

  test('leave the words of most sentences unchanged', async () => {
    const sources = [
      'The red car is <1>in front of</1> the house.',
      'She <1>does not work</1> on Sundays.',
      '<1>What do you want?</1>',
      'I have seen <1>the big <2>white</2> dogs</1> of my father.',
    ].map(marked);
    const answers = await engine.translate(sources, toSpanish);
    const plainAnswers = await translateTexts(engine, sources.map(plainText), toSpanish);
    expect(answers.map(plainText)).toEqual(plainAnswers);
  });
});

describe('a long segment with marks', () => {
  const cut = (segment: TextSegment, maxLength = 40) => [
    ...splitSegment(segment, { language: 'en', maxLength }),
  ];
  const joined = (segment: TextSegment, maxLength?: number) =>
    joinPieces(
      cut(segment, maxLength).map(({ content, seams }) =>
        seams === undefined ? content : withoutSeams(content, seams),
      ),
    );

  test('is restored by joining its pieces, each of which is well nested', () => {
    const segments = fc
      .array(markedSegments({ isHostile: true }), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.flatMap((part, i) => part.map((each) => renumbered(each, i * 2_000))));
    fc.assert(
      fc.property(segments, fc.integer({ min: 8, max: 60 }), (segment, maxLength) => {
        expect(written(joined(segment, maxLength))).toBe(written(segment));
        for (const { content } of cut(segment, maxLength)) {
          if (typeof content !== 'string') expect(markFaults(content, content)).toEqual([]);
        }
      }),
    );
  });

  test('is cut between elements where possible', () => {
    const segment = marked('<1>One is here. Two is here.</1> Three is here. <2>Four is here.</2>');
    expect(cut(segment).map(({ content }) => written(content as TextSegment))).toEqual([
      '<1>One is here. Two is here.</1>',
      ' ',
      'Three is here. <2>Four is here.</2>',
    ]);
  });

  test('is translated completely, including an element around all of it', async () => {
    const houses = Array.from(
      { length: 40 },
      (_, i) => `The <${10 + 2 * i}>red</${10 + 2 * i}> house <${11 + 2 * i}/>is new. `,
    );
    const rivers = 'The river is long. '.repeat(40);
    const segment = marked(`<1>${houses.join('')}<2>${rivers}</2></1>`);
    const [answer] = await engine.translate([segment], toSpanish);
    expect(markFaults(segment, answer!)).toEqual([]);
    expect(repairMarks(segment, answer!)).toBe(answer);
    expect(plainText(answer!).match(/casa/g)).toHaveLength(40);
    expect(plainText(answer!).match(/río/g)).toHaveLength(40);
    expect(written(answer!).match(/<\d+>roja<\/\d+>/g)).toHaveLength(40);
  });

  test('with thousands of marks does not block the event loop for long', async () => {
    await translateTexts(engine, ['Ready.'], toSpanish);
    const nest = (count: number, inner: string): TextSegment => [
      ...ends('open', count),
      inner,
      ...ends('close', count),
    ];
    const cases: TextSegment[] = [
      nest(10_000, 'The house is new.'),
      ['The ', ...nest(10_000, 'red'), ' house.'],
      Array.from({ length: 1_000 }, (_, i) => (i % 2 ? 'a ' : { mark: 'lone', id: i })),
      [
        'The ',
        ...Array.from({ length: 20_000 }, (_, id): Mark => ({ mark: 'lone', id })),
        'red car.',
      ],
      ends('open', 400)
        .flatMap((mark): TextSegment => ['a ', mark])
        .concat(ends('close', 400)),
    ];
    for (const segment of cases) {
      let answer: TextSegment | undefined;
      const work = async () => void ([answer] = await engine.translate([segment], toSpanish));
      const { longestMs } = await turnsDuring(work, { pauseMs: 10 });
      expect(markFaults(segment, answer!)).toEqual([]);
      expect(longestMs).toBeLessThan(3_000);
    }
  });
});

describe('the work for marks', () => {
  const segments: Record<string, (parts: string) => string> = {
    'within one word': (letter) => letter,
    'around a word each': (letter) => `${letter} `,
  };

  test.each(Object.entries(segments))('grows linearly with their number: %s', (_name, text) => {
    const work = (size: number): void => {
      const elements = Array.from({ length: size }, (_, id): TextSegment => [
        { mark: 'open', id },
        text('a'),
        { mark: 'close', id },
      ]);
      const taken = takeMarksApart(elements.flat());
      expect(putMarksBack(taken.tokens, taken).length).toBeGreaterThan(size);
    };
    return expectSteadyTime(work, { size: 8_000, littleMs: 20 });
  });
});

function ends(mark: 'open' | 'close', count: number): Mark[] {
  const ids = Array.from({ length: count }, (_, id) => id);
  return (mark === 'open' ? ids : ids.reverse()).map((id): Mark => ({ mark, id }));
}

function renumbered(part: string | Mark, offset: number): string | Mark {
  return typeof part === 'string' ? part : { ...part, id: part.id + offset };
}
