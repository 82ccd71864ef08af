import { describe, expect, test } from 'vitest';
import { createApertium } from '../../server/engines/translation/apertium.ts';
import { plainText } from '../../server/text/text-segment.ts';
import {
  apertiumOfFile,
  containing,
  recordingLog,
  temporaryFolder,
  translateTexts,
} from './apertium-support.ts';
import { marked, textsOf, written } from './marked-segments.ts';
import { describeTranslationConformance } from './translation-conformance.ts';
import { answeredBefore } from './translation-texts.ts';

const signal = new AbortController().signal;

const engine = await apertiumOfFile();

describeTranslationConformance({
  // A pivot route with two steps.
  name: 'Apertium from en to fr',
  // Seven programs for each step.
  engine,
  pair: { source: 'en', target: 'fr' },
});

/** For each pair by itself, see apertium-modes.ts. */
describe('Apertium translates', () => {
  /** Text that stays unchanged: hyphenated words of the dictionaries, names, formulas, addresses. */
  const hyphens: [source: string, target: string, text: string, expected: RegExp][] = [
    ['en', 'es', 'long-term potential', /potencial a largo plazo/i],
    ['en', 'es', 'a long\u2011term plan', /un plan a largo plazo/i],
    ['en', 'es', 'The US-based company', /la empresa basada en EE\.UU\./i],
    [
      'en',
      'es',
      'high-quality, low-cost solutions',
      /^soluciones de alta calidad y de bajo coste$/i,
    ],
    ['en', 'ca', 'a German-speaking country', /un país que parla alemany/],
    ['en', 'fr', 'a 10-year-old boy', /un garçon de 10 ans/i],
    ['en', 'pt', 'the potential of well-known methods', /métodos conhecidos/],
    ['en', 'it', 'user-friendly open-source tools', /^(?!.*-)(\S{2,10} ?)+$/],
    ['en', 'es', 'a state-of-the-art system', /un sistema de última generación/i],
    ['en', 'es', 'my mother-in-law', /mi suegra/i],
    ['en', 'es', 'Jean-Luc Picard', /^Jean-Luc Picard$/],
    ['en', 'es', 'COVID-19 - and UTF-8', /COVID-19 - y UTF-8/],
    ['en', 'es', 'a-b@example.org and foo-bar.html', /@example\.org .* foo-/],
    // No blank appears before a full stop or comma.
    ['en', 'es', 'It was a first-rate change.', /^Era .* de tasa\.$/],
    ['en', 'es', 'It was a deep-sea, back-door plan.', /^Era un mar profundo, .*\S\.$/],
    ['en', 'es', 'He is the vice-president.', /vicepresidente\.$/],
    ['en', 'es', 'the 2.5-litre engine', /^El motor de 2\.5 litros$/i],
    ['en', 'es', 'a 1.5-hour meeting', /reunión de 1\.5 horas$/i],
    ['en', 'es', 'a U.S.-based company', /^Una empresa basada en EE\.UU\.$/],
    ['en', 'es', 'Bye ; a first-rate change.', /^\S+ ; .* de tasa\.$/],
    // Names and identifiers stay unchanged.
    ['en', 'es', 'Mr. Smith-Jones came.', /Smith-Jones vino/],
    ['en', 'es', 'Spider-Man is a hero.', /^Spider-Man es un héroe\.$/],
    ['en', 'ca', 'The Rolls-Royce was red.', /^El Rolls-Royce era vermell\.$/],
    ['en', 'es', 'Use en-US or pt-BR.', /en-US o pt-BR\.$/],
    ['en', 'fr', 'The code is under GPL-3.0-or-later now.', / GPL-3\.0-or-later maintenant\.$/],
    ['en', 'es', 'Install python-3.11-dev and node-v20.', /python-3\.11-dev y node-v20\.$/],
    ['en', 'es', 'The option --dry-run.', / --dry-run\.$/],
    ['fr', 'es', 'Le fichier GPL-3.0-or-later est neuf.', / GPL-3\.0-or-later es nuevo\.$/],
    ['es', 'en', 'Spider-Man es un héroe.', /^Spider-Man is a hero\.$/],
    ['es', 'pt', 'El señor Smith-Jones vino ayer.', / Smith-Jones veio ontem\.$/],
    // Prefixes: as one word, or together with the word.
    ['en', 'es', 'She is the co-founder.', / cofundadora?\.$/],
    ['en', 'es', 'He was re-elected in May.', / reelegido en mayo\.$/],
    ['en', 'es', 'A multi-lingual server; a semi-final.', /multilingüe; una semifinal\.$/],
    ['en', 'es', 'He is self-employed.', /^Es self-employed\.$/],
    ['en', 'es', 'Self-service is open.', /^Self-service está abierto\.$/],
    ['en', 'es', 'Re-open the door.', /^Reabr\S+ la puerta\.$/],
    ['en', 'es', 'The re-sign of the re-formed team.', /re-sign .*re-formed/],
    ['en', 'es', 'This is an anti-war film.', / anti-war película\.$/],
    ['en', 'es', 'FIRST-RATE CHANGES', /CAMBIOS DE TASA$/],
    ['es', 'en', 'El partido pro-europeo; la ex-Yugoslavia.', /pro-european; .*ex-Yugoslavia/i],
    ['pt', 'es', 'deu-me o livro', /me dio el libro/],
    ['fr', 'es', 'vient-il demain ?', /^¿viene mañana/],
    ['fr', 'es', 'les relations franco-allemandes', /franco-alemanas/],
    // Hyphenated pronouns in the dictionaries, beside or within compounds.
    [
      'en',
      'es',
      'The "red" car, and the **big** house.',
      /^El coche "rojo", y la casa \*\*grande\*\*\.$/,
    ],
    ['fr', 'en', 'La voiture « rouge » est grande', /^The «red» car is big$/],
    ['en', 'fr', 'The «red» car', /^La voiture «\u00a0rouge\u00a0»$/],
    [
      'en',
      'es',
      'The *red* car, ***big*** or _old_',
      /^El coche \*rojo\*, \*\*\*grande\*\*\* o _viejo_$/,
    ],
    [
      'en',
      'fr',
      'At 10 a.m. (i.e. today) we go. At 5 p.m. It rained.',
      /10 a\.m\. \(i\.e\. aujourd'hui\).* 5 p\.m\. /,
    ],
    ['en', 'es', 'Red Car | Name | the "old" house', /^Coche rojo \| Nombre \| la casa "vieja"$/],
    ['en', 'es', 'Red car\\n\\nName\\tC:\\nabla', /^Coche rojo\\n\\nNombre\\tC:\\nabla$/],
    [
      'en',
      'ca',
      String.raw`Don\'t eat the \"red\" fish of Anna.`,
      /^No .*peixos \\"vermells\\" d\\'Anna\.$/,
    ],
    ['en', 'es', 'Anna Smith · Project Manager', /^Anna Smith · Director de proyecto$/],
    ['en', 'es', 'He said “yes” to a 5" disk.', /^Dijo “sí” a un 5" disco\.$/],
    ['en', 'fr', 'CO₂ and H₂O on 5 m²', /^CO₂ et H₂O .*5 m²$/],
    ['fr', 'es', 'Reste-t-elle ici ?', /^¿Qued[ae] aquí\?$/],
    ['fr', 'es', 'Comment va-t-on au port ?', /^¿Cómo se va al puerto\?$/],
    ['fr', 'es', "Quand l'a-t-il vendu ?", /^¿Cuando lo ha vendido\?$/],
    ['fr', 'es', "Peut-être mange-t-il l'après-midi.", /^Tal vez come la tarde\.$/],
    ['ca', 'es', "Porta-m'ho demà.", /^Llévamelo mañana\.$/],
    ['ca', 'es', 'Porta-m’ho demà.', /^Llévamelo mañana\.$/],
    ['ca', 'es', "Dóna-te'n tres.", /^Date tres\.$/],
    ['ca', 'en', "Compra-me'n dos.", /^Buy me two\.$/],
    ['en', 'es', "a five-year-old's bike", /de un niño de cinco años$/i],
    // Compounds of web pages, from a table.
    [
      'en',
      'es',
      'We build cost-effective, easy-to-use tools.',
      /^Construimos herramientas rentables y fáciles de usar\.$/,
    ],
    ['en', 'es', 'It was an all-inclusive trip.', /^Era un viaje todo incluido\.$/],
    ['en', 'ca', 'It has a user-friendly interface.', / una interfície fàcil d'utilitzar\.$/],
    ['en', 'fr', 'It is a cost-effective solution.', / une solution rentable\.$/],
    ['en', 'pt', 'The tools are up-to-date.', / são atualizadas\.$/],
    ['en', 'it', 'a second-hand car', /^una macchina di seconda mano$/i],
    ['en', 'es', 'Cost-Effective Solutions', /^Soluciones rentables$/i],
    ['en', 'es', 'COST-EFFECTIVE TOOLS', /^HERRAMIENTAS RENTABLES$/],
    ['en', 'es', 'The archaic tools are eco-friendly.', /herramientas arcaicas son ecológicas\.$/],
    ['en', 'es', 'A high-quality film and a high-quality book.', /de alta .* de alta calidad\.$/],
    // A compound without a rule does not spoil its neighbours.
    ['en', 'es', 'The two-bedroom flat has a fire-red door.', / de dos dormitorios /],
    ['en', 'es', 'Check-in begins at noon.', /^Check-in empieza/],
    ['en', 'es', 'ISBN 978-3-16-148410-0', /^ISBN 978-3-16-148410-0$/],
    // The article of a feminine word with a stressed initial a, at the beginning of a sentence.
    ['en', 'es', 'The area is large. Water is red.', /^El área es grande\. El agua es roja\.$/],
    ['en', 'es', 'THE AREA IS LARGE.', /^EL ÁREA ES GRANDE\.$/],
    // Two adjectives stay together.
    ['es', 'en', 'Un curso teórico-práctico.', /^A practical theoretical course\.$/],
    ['es', 'en', 'El ex-presidente y el coche-bomba.', /^The ex-president and the car-bomb\.$/],
    ['pt', 'en', 'um curso teórico-prático', /^a practical theoretical course$/i],
  ];

  /** Apertium's rules drop the blank at a comma between words of a description. */
  test.each([
    ['es', 'He is a tall, hungry man.', 'Es un hombre alto, famélico.'],
    ['es', 'The clean, bright room was empty.', 'La sala limpia, brillante estaba vacía.'],
    ['fr', 'The clean, bright room was empty.', 'La salle nette, brillante était vide.'],
    ['es', 'In 2,500 cases , Paris, France, wins.', /2,500 casos , París, Francia, gana\.$/],
  ])('into %s with blanks around commas: %s', async (target, text, expected) => {
    const [answer] = await translateTexts(engine, [text], { source: 'en', target, signal });
    if (typeof expected === 'string') expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });

  test('compounds and commas in texts with marks', async () => {
    const translateInto = async (target: string, text: string) => {
      const [answer = []] = await engine.translate([marked(text)], {
        source: 'en',
        target,
        signal,
      });
      return written(answer);
    };
    expect(await translateInto('es', 'An <1>all-inclusive</1> trip')).toBe(
      'Un viaje <1>todo incluido</1>',
    );
    expect(await translateInto('es', 'A <1>tall</1>, <2>hungry</2> man.')).toBe(
      'Un hombre <1>alto</1>, <2>famélico</2>.',
    );
    expect(await translateInto('es', '<1>cost-effective</1>, <2>easy-to-use</2> tools')).toBe(
      'herramientas <1>rentables</1>, <2>fáciles de usar</2>',
    );
    expect(await translateInto('fr', 'An <1>all-inclusive</1> trip')).toBe(
      'Un voyage <1>tout compris</1>',
    );
  });

  test.each(hyphens)('%s to %s with hyphens: %s', async (source, target, text, expected) => {
    const [answer] = await translateTexts(engine, [text], { source, target, signal });
    expect(answer).toMatch(expected);
  });

  /** An apostrophe is a genitive, a contraction or a part of a word; a quotation mark is neither. */
  const quotes: [source: string, target: string, text: string, expected: string][] = [
    ['en', 'es', "The 'small' house is red.", "La casa 'pequeña' es roja."],
    ['en', 'es', 'He said ‘single’ twice.', 'Dijo ‘solo’ dos veces.'],
    ['en', 'es', "She said 'stop'.", "Dijo 'parada'."],
    ['en', 'ca', "The 'south' park", "El parc 'del sud'"],
    ['en', 'es', "the dogs' park", "los perros' parque"],
    ['en', 'es', "Peter's house", 'La casa de Peter'],
    ['en', 'es', "the 'red car", "el 'coche rojo"],
    ['en', 'es', "the ''red'' car", "el coche ''rojo''"],
    ['en', 'es', "The 'old' and 'new' cars", "Los coches 'viejos' y 'nuevos'"],
    ['en', 'es', '‘The car is red. The house is old.’', '‘El coche es rojo. La casa es vieja.’'],
    ['es', 'en', '‘La casa es vieja’. Y roja.’', '‘The house is old’. And red.’'],
  ];
  test.each(quotes)('%s to %s with single quotes: %s', async (source, target, text, expected) => {
    expect(await translateTexts(engine, [text], { source, target, signal })).toEqual([expected]);
  });

  test.each([
    ['es', 'Hello everyone, welcome!', '¡Hola a todos, bienvenidos!'],
    ['es', '“Where is the house?” he asked.', '“¿Dónde está la casa?” preguntó.'],
    ['fr', 'Hello everyone, welcome.', 'Salut à tous, bienvenue.'],
  ])(
    'into %s with the sentence beginnings of that language: %s',
    async (target, text, expected) => {
      expect(await translateTexts(engine, [text], { source: 'en', target, signal })).toEqual([
        expected,
      ]);
    },
  );

  test.each([
    ['en', 'es', 'Terms & Conditions', 'Términos & Condiciones'],
    ['en', 'es', 'The car is in #the-red-car.', 'El coche es en #the-red-car.'],
    ['en', 'es', 'Home > Products / Shoes', 'En casa > Productos / Zapatos'],
    ['es', 'fr', 'Inicio » Productos', 'Début » Produits'],
    ['en', 'es', 'Name:\tRed car    Blue house', 'Nombre:\tCoche rojo    Casa azul'],
    ['en', 'es', 'Vitamin A is red.', 'Vitamina A es rojo.'],
    ['en', 'es', 'a) Red house (Q&A)', 'a) Casa roja (Q&A)'],
    ['es', 'en', 'La opción "A" es buena.', 'The option "A" is good.'],
    ['en', 'es', 'The car at 9am.', 'El coche en 9am.'],
    ['en', 'es', 'Use the house or --verbose.', 'Usa la casa o --verbose.'],
    ['en', 'es', 'The ` sign and the ` house', 'La ` señal y la ` casa'],
    ['en', 'es', 'The my_red_file.txt is new.', 'El my_red_file.txt es nuevo.'],
    ['en', 'es', String.raw`C:\Users\Ann or /etc/hosts`, String.raw`C:\Users\Ann o /etc/hosts`],
    ['en', 'es', 'Open index.html and README.md.', 'Abre index.html y README.md.'],
    ['es', 'en', '@juan vive en #madrid_nuevo', '@juan lives in #madrid_nuevo'],
    ['it', 'es', 'Il 5% degli utenti, il 2,5%.', 'El 5% de los usuarios, el 2,5%.'],
    ['en', 'es', 'The <red> car is here.', 'El coche <rojo> está aquí.'],
    ['en', 'es', 'The o\ufb03ce is a \ufb02ower.', 'La oficina es una flor.'],
  ])('%s to %s with tokens that are not words: %s', async (source, target, text, expected) => {
    expect(await translateTexts(engine, [text], { source, target, signal })).toEqual([expected]);
  });

  test.each([
    ['"I love you," he said.', '"Te quiero," dijo.'],
    ['The house (it is new) is red.', 'La casa (es nuevo) es rojo.'],
    ['He said: "She is here." "It is new."', 'Dijo: "está aquí." "Es nuevo."'],
    ['**It is new**', '**Es nuevo**'],
    ['A 5" disk: "It is new."', 'Un 5" disco: "es nuevo."'],
    ['"She has two of the" (5") cars', '"Tiene dos del" (5") coches'],
    ['It is " new " ( and red ).', 'Es " nuevo " ( y rojo ).'],
  ])(
    'without the blanks that its rules add after opening punctuation: %s',
    async (text, expected) => {
      const toSpanish = { source: 'en', target: 'es', signal };
      expect(await translateTexts(engine, [text], toSpanish)).toEqual([expected]);
      const [answer = []] = await engine.translate([marked(`${text} <1>Yes</1>`)], toSpanish);
      expect(written(answer)).toBe(`${expected} <1>Sí</1>`);
    },
  );

  test('beginnings of sentences in texts with marks', async () => {
    const segment = marked('Hello <1>everyone</1>, <2>how</2> are you?');
    const [answer = []] = await engine.translate([segment], { source: 'en', target: 'es', signal });
    expect(written(answer)).toBe('Hola a <1>todos</1>, <2>¿cómo</2> estás?');
  });

  test.each([
    ['No. I do not know.', 'No. No sé.'],
    ['“No.” She said no. Then we left.', '“No.” Dijo no. Entonces salimos.'],
    ['No. 5, no. of cars', 'Núm. 5, núm. de coches'],
    ['Invoice No.', 'Núm. de factura'],
  ])('the answer no, which is no number: %s', async (text, expected) => {
    const toSpanish = { source: 'en', target: 'es', signal };
    const segments = [text, `<1>${text}</1>`].map(marked);
    const answers = await engine.translate(segments, toSpanish);
    expect(answers.map(written)).toEqual([expected, `<1>${expected}</1>`]);
  });

  test('single quotes in texts with marks', async () => {
    const segment = marked("The <1>'small'</1> <2>house</2> of ‘stone’.");
    const [answer = []] = await engine.translate([segment], { source: 'en', target: 'es', signal });
    expect(written(answer)).toBe("La <2>casa</2> <1>'pequeña'</1> de ‘piedra’.");
  });

  test.each([
    ['CO<1>2</1> is (CO<2>2</2>).', 'CO<1>2</1> est (CO<2>2</2>).'],
    ['C<1>2</1>H<2>5</2>OH and H<3>2</3>O', 'C<1>2</1>H<2>5</2>OH et H<3>2</3>O'],
    ['The city of London<1>1</1>', 'La ville de Londres<1>1</1>'],
  ])(
    'texts with letters of formulas and with words before note numbers: %s',
    async (text, expected) => {
      const [answer = []] = await engine.translate([marked(text)], {
        ...{ source: 'en', target: 'fr', signal },
      });
      expect(written(answer)).toBe(expected);
    },
  );

  test('quoted text within marks', async () => {
    const segment = marked('Do not press the <1>"red"</1> button.');
    const [answer = []] = await engine.translate([segment], { source: 'en', target: 'es', signal });
    expect(written(answer)).toBe('No pulses el botón <1>"rojo"</1>.');
  });

  test('pronouns behind hyphens in texts with marks', async () => {
    const segment = marked('<1>Comment va-t-on</1> au port ?');
    const answers = await engine.translate([segment], { source: 'fr', target: 'es', signal });
    expect(textsOf(answers)).toEqual(['¿Cómo se va al puerto?']);
  });

  test.each([
    ['Vas-y !', /^¡Vas\s?!$/],
    ['Penses-y bien.', /^Opines bien\.$/],
    ['x, y, origine', /^x,.*origen?/],
    ['Le mot <maison> est là, vas-y !', /<casa>.*vas\s?!$/],
    ['Écrivez <prn> et vas-y !', /^¡Escribid <prn> y vas\s?!$/],
  ])('%s without leaving tags of its own', async (text, expected) => {
    const toSpanish = { source: 'fr', target: 'es', signal };
    expect(await translateTexts(engine, [text], toSpanish)).toEqual([
      expect.stringMatching(expected),
    ]);
    const [inItalic] = await engine.translate([marked(`<1>${text}</1> Merci.`)], toSpanish);
    expect(plainText(inItalic ?? []).split('<')).toHaveLength(text.split('<').length);
  });

  test('unsupported variants as their base language', async () => {
    const texts = ['La voiture rouge est devant la maison.'];
    const british = { source: 'fr-CA', target: 'en-GB', signal };
    expect(await translateTexts(engine, texts, british)).toEqual(
      await translateTexts(engine, texts, { source: 'fr', target: 'en', signal }),
    );
    const american = { source: 'es', target: 'en-US', signal };
    expect(await translateTexts(engine, ['El color.'], american)).toEqual(['The color.']);
  });

  test('words that its rules would drop by keeping them', async () => {
    const options = { source: 'it', target: 'en', signal };
    expect(await translateTexts(engine, ['Si', 'Si.'], options)).toEqual(['Si', 'Si.']);
  });

  test('around unknown words, without marking them', async () => {
    const text = 'The red Zyxqwv is * very* #big @home ~ 5 ~~ x.';
    for (const target of ['es', 'ca', 'fr']) {
      const [answer] = await translateTexts(engine, [text], { source: 'en', target, signal });
      expect(answer).toContain('Zyxqwv');
      expect(answer!.replaceAll(/[^*#@~]/g, '')).toBe('**#@~~~');
    }
  });

  test('texts with blanks that its rules drop or move', async () => {
    const texts = ['What do you want?', 'A very  big\tred car.', 'Wait...', 'I saw it at 3 p.m.'];
    const answers = await translateTexts(engine, texts, { source: 'en', target: 'es', signal });
    expect(answers[0]).toMatch(/^\S+ quieres\?$/);
    expect(answers[1]).toMatch(/ {2}/);
    expect(answers[1]).toMatch(/\t/);
    expect(answers[2]).toMatch(/[^.]\.\.\.$/);
    expect(answers[3]).toMatch(/3 p\. ?m\.$/);
  });
});

describe('line breaks in a text', () => {
  test('stay in place, with the blanks beside them', async () => {
    const texts = ['The house is new. \r\n\r\n  The river is new.\nThe door\u2028', 'She\nworks.'];
    const answers = await translateTexts(engine, texts, { source: 'en', target: 'es', signal });
    expect(answers[0]).toBe('La casa es nueva. \r\n\r\n  El río es nuevo.\nLa puerta\u2028');
    expect(answers[1]).toMatch(/^\S*\n\S+\.$/);
  });
});

describe('a long text', () => {
  const long = 'The house number one is new and the river is very long. '.repeat(90);

  test('without sentences or blanks is answered', async () => {
    const texts = ['house '.repeat(1_000), 'x'.repeat(20_000), `Zy${'😀'.repeat(5_000)}`];
    const answers = await translateTexts(engine, texts, { source: 'en', target: 'es', signal });
    expect(answers[0]!.match(/casa/gi)).toHaveLength(1_000);
    // Compared as a boolean, because the diff of a 20 KB text is of no use.
    expect(answers.slice(1).map((answer, i) => answer === texts[i + 1])).toEqual([true, true]);
  });

  test('is translated completely and does not delay captions', async () => {
    const caption = ['The door is open.'];
    const options = { source: 'en', target: 'es', signal };
    await translateTexts(engine, caption, options);
    const done = new AbortController();
    const beganMs = performance.now();
    const document = translateTexts(engine, [long, long], options).finally(() => done.abort());
    const latenciesMs: number[] = [];
    while (!done.signal.aborted) {
      const startMs = performance.now();
      expect(await translateTexts(engine, caption, options)).toEqual(['La puerta está abierta.']);
      latenciesMs.push(performance.now() - startMs);
    }
    for (const answer of await document) {
      expect(answer.match(/casa/g)).toHaveLength(90);
      expect(answer.endsWith('. ')).toBe(true);
    }
    const documentMs = performance.now() - beganMs;
    latenciesMs.sort((a, b) => a - b);
    const worst = latenciesMs.at(-1)!;
    console.log(
      `captions beside 10 KB of text: ${latenciesMs.length}, ` +
        `median ${latenciesMs[latenciesMs.length >> 1]!.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
    );
    expect(latenciesMs.length).toBeGreaterThan(2);
    expect(worst).toBeLessThan(documentMs / 2);
  });
});

test('an account with many calls delays another account only a little', async () => {
  const before = await answeredBefore((texts, account) =>
    translateTexts(engine, texts, { source: 'en', target: 'es', signal, account }),
  );
  expect(before).toBeLessThan(3);
});

describe('a missing Apertium installation', () => {
  test('is reported with the language packages to install', async () => {
    const modesFolder = await temporaryFolder();
    const engine = await createApertium({ log: recordingLog(), modesFolder });
    expect(engine).toMatchObject({
      name: 'apertium',
      reason: containing(modesFolder),
    });
    expect(engine).toMatchObject({
      reason: containing('apt install apertium apertium-eng-spa apertium-'),
    });
  });

  test('is reported when only the program is missing', async () => {
    const programFolders = await temporaryFolder();
    const engine = await createApertium({ log: recordingLog(), programFolders });
    expect(engine).toMatchObject({
      reason: containing('apertium-wblank-mode'),
    });
  });
});
