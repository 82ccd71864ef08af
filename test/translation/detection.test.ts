import { beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import type { DetectionEngine } from '../../server/engines/engine.ts';
import { createUsualLanguages } from '../../server/translation/account-texts.ts';
import { createDetection } from '../../server/translation/detection.ts';
import { phrasesOfOthers } from '../engines/detection-phrases.ts';
import {
  heldOut,
  othersHeldOut,
  phrasesHeldOut,
  wordsHeldOut,
} from '../engines/detection-held-out.ts';
import { recordLog } from '../support/product/log-record.ts';

let detector: DetectionEngine;
beforeAll(async () => {
  detector = createDetector({ log: recordLog() });
  await detector.prepare([]);
});

const { signal } = new AbortController();
const origin = { accountId: 'one', signal };

/** Creates a detection in which these languages, or all, can be translated, without other detectors. */
function detectionFor(
  target: string,
  served?: readonly string[],
  usualLanguages = createUsualLanguages(),
) {
  const elsewhere = {
    serves: ({ source }: { source: string }) =>
      served?.includes(source) !== false || source === target,
    detect: async (texts: readonly unknown[]) => texts.map(() => undefined),
  };
  return createDetection(detector, elsewhere, usualLanguages);
}

const detect = async (text?: string[]) =>
  (await detectionFor('en').detect(text === undefined ? {} : { text }, origin)).results;
const statusOf = async (text: string) => (await detect([text]))[0];

/** Returns the source found for a text when these languages can be translated into the target. */
async function sourceOf(text: string, target: string, served: readonly string[]) {
  const [source] = await detectionFor(target, served).detectSources([[[text]]], {
    ...origin,
    target,
  });
  return source;
}

describe('the detection status of a text', () => {
  it('includes the language when it is supported', async () => {
    expect(await statusOf('The children are playing in the garden.')).toEqual({
      ...{ detection_status: 'success', detected_language: 'en' },
    });
  });

  it.each([
    ['Els nens aprenen a llegir i a escriure el primer any d’escola.', 'Catalan'],
    ['La infanoj lernas legi kaj skribi en la unua jaro de la lernejo.', 'Esperanto'],
    ['Деца уче да читају и пишу у првој години школе.', 'Serbian'],
    ['ბავშვები ბაღში თამაშობენ.', 'Georgian'],
  ])('does not disclose an unsupported language: %s', async (text) => {
    expect(await statusOf(text)).toEqual({ detection_status: 'unsupported_language' });
  });

  it('reports ambiguous texts and texts without a language', async () => {
    expect(await statusOf('Hotel')).toEqual({ detection_status: 'insufficient_confidence' });
    expect(await statusOf('12:30 – 🙂')).toEqual({ detection_status: 'no_language_detected' });
  });

  it('is determined for each text on its own, in order', async () => {
    const text = ['Guten Morgen, wie geht es Ihnen?', '', 'Où est la gare ?', '你好'];
    expect(await detect(text)).toEqual([
      { detection_status: 'success', detected_language: 'de' },
      { detection_status: 'no_language_detected' },
      { detection_status: 'success', detected_language: 'fr' },
      { detection_status: 'success', detected_language: 'zh' },
    ]);
  });

  it.each([undefined, []])('is refused for %j', async (text) => {
    await expect(detect(text)).rejects.toThrow('Missing parameter text.');
  });
});

describe('the source of a translation', () => {
  it('is the language of the text', async () => {
    expect(await sourceOf('Los niños juegan en el jardín.', 'en', ['es', 'fr'])).toBe('es');
    expect(await sourceOf('Les enfants jouent dans le jardin.', 'en', ['es', 'fr'])).toBe('fr');
  });

  it('of an ambiguous text is the likeliest translatable language', async () => {
    expect(await sourceOf('Hotel', 'fr', ['es'])).toBe('es');
    expect(await sourceOf('sopa deliciosa', 'fr', ['pt'])).toBe('pt');
  });

  it('is the actual language of a text that no engine translates, however short', async () => {
    expect(await sourceOf('Die Kinder spielen im Garten hinter dem Haus.', 'fr', ['es'])).toBe(
      'de',
    );
    expect(await sourceOf('Guten Morgen', 'fr', ['en', 'es', 'ca'])).toBe('de');
    expect(await sourceOf('Wie geht es dir?', 'es', ['en', 'es', 'ca'])).toBe('de');
    expect(await sourceOf('你好', 'fr', ['es'])).toBe('zh');
  });

  const romance = ['en', 'ca', 'es', 'fr', 'it', 'pt'];
  it.each([
    ...[['proton beam', 'en'] as const, ['rusty screwdriver', 'en'] as const],
    ...[['ganivet de cuina', 'ca'] as const, ['vélo rouillé', 'fr'] as const],
    ...[['ponte de madeira', 'pt'] as const, ['cacciavite', 'it'] as const],
  ])('is the served language of a word or two: %s', async (text, language) => {
    expect(await sourceOf(text, 'es', romance)).toBe(language);
  });

  it.each([
    ...['umowa najmu', 'klucze do domu', 'bahçe hortumu', 'verboden toegang'],
    ...['gekookte eieren', 'formulier invullen', 'fri frakt', 'uusi viesti', 'hol van a kulcs?'],
  ])(
    'is none of the served languages where these know no word and another language leads: %s',
    async (text) => {
      expect(romance).not.toContain(await sourceOf(text, 'es', romance));
    },
  );

  it.each([
    ...['beam splitter', 'bare metal', 'bare minimum', 'trampoline park', 'garden hose'],
    ...['sandpaper', 'sunburn', 'handbag', 'sunlamp', 'gasket', 'sunglasses', 'dishwasher'],
  ])('is English for technical and shop words that only its dictionary has: %s', async (text) => {
    expect(await sourceOf(text, 'es', romance)).toBe('en');
  });

  it('is rarely a served language for a few words of an unserved language', async () => {
    const texts = Object.values(phrasesOfOthers).flatMap((list) => list.split('|'));
    const sources = await Promise.all(texts.map((text) => sourceOf(text, 'es', romance)));
    const taken = texts.filter((_, index) => romance.includes(sources[index] ?? ''));
    // Single words that are in no dictionary may be names or mistakes.
    expect(taken.length, taken.join(', ')).toBeLessThanOrEqual(0.06 * texts.length);
  });

  it.each([...['Nokia Lumia', 'teh cat', 'nou missatje', 'nuevo mensage', 'how r u']])(
    'is a translatable language despite a misleading name or mistake: %s',
    async (text) => {
      expect(romance).toContain(await sourceOf(text, 'de', romance));
    },
  );

  it.each(['Promiňte', 'Acıktım', 'Košík', 'Setări'])(
    'is not a language that lacks a letter of an ambiguous text: %s',
    async (text) => {
      expect(romance).not.toContain(await sourceOf(text, 'en', romance));
    },
  );

  it("of an ambiguous text is the account's usual language, whichever leads", async () => {
    for (const text of ['modo oscuro', 'Código postal']) {
      const usualLanguages = createUsualLanguages();
      for (let i = 0; i < 8; i++) usualLanguages.note('spanish', 'es');
      const wish = { ...origin, accountId: 'spanish', target: 'en' };
      const detection = detectionFor('en', romance, usualLanguages);
      expect(await detection.detectSources([[[text]]], wish)).toEqual(['es']);
    }
  });

  it('is learned far less from single words than from sentences', async () => {
    const usualLanguages = createUsualLanguages();
    const detection = detectionFor('en', undefined, usualLanguages);
    const ask = (text: string) => detection.detect({ text: [text] }, { accountId: 'one', signal });
    for (const word of ['sonntags', 'mittwochs', 'freitags', 'Feierabend']) await ask(word);
    await ask('The committee met yesterday and will meet again tomorrow.');
    const usual = usualLanguages.of('one') ?? new Map<string, number>();
    expect(usual.get('en')).toBeGreaterThan(usual.get('de') ?? 0);
  });

  it('is not a served language where no candidate can be translated', async () => {
    expect(['da', 'nb']).toContain(await sourceOf('god morgen', 'es', ['en', 'ca']));
  });

  it("among several candidates is the account's usual language, as far as its texts show one", async () => {
    const detection = detectionFor('en');
    const sourcesOf = (accountId: string, ...texts: string[]) =>
      detection.detectSources(
        texts.map((text) => [[text]]),
        { target: 'en', accountId, signal },
      );
    const answerTo = (accountId: string) =>
      detection.detect({ text: ['sopa deliciosa'] }, { accountId, signal });
    const unsure = { results: [{ detection_status: 'insufficient_confidence' }] };
    expect(await answerTo('portuguese')).toEqual(unsure);
    const texts = ['Onde fica a estação?', 'As crianças brincam no jardim.'];
    expect(await sourcesOf('portuguese', 'sopa deliciosa', ...texts)).toEqual(['pt', 'pt', 'pt']);
    await sourcesOf('catalan', 'On és l’estació?', 'Els nens juguen al jardí.');
    expect(await answerTo('portuguese')).toEqual({
      results: [{ detection_status: 'success', detected_language: 'pt' }],
    });
    expect(await sourcesOf('catalan', 'sopa deliciosa')).toEqual(['ca']);
    expect(await answerTo('somebody new')).toEqual(unsure);
  });

  it('among several candidates is the language of the context', async () => {
    const context = 'Wir suchen ein Hotel in der Nähe.';
    const options = { ...origin, target: 'en', context };
    expect(await detectionFor('en').detectSources([[['Hotel']]], options)).toEqual(['de']);
  });

  it('follows the context or the account for a misleading word that their language shares', async () => {
    const options = { ...origin, accountId: 'french', target: 'es' };
    const context = 'Nous cherchons du travail à Lyon.';
    const usualLanguages = createUsualLanguages();
    const detection = detectionFor('es', undefined, usualLanguages);
    expect(await detection.detectSources([[['but']]], options)).toEqual(['en']);
    expect(await detection.detectSources([[['but']]], { ...options, context })).toEqual(['fr']);
    for (let i = 0; i < 10; i++) usualLanguages.note('french', 'fr');
    expect(await detection.detectSources([[['but']]], options)).toEqual(['fr']);
  });

  it('is the target for texts without words, which therefore stay unchanged', async () => {
    for (const text of ['', '42', '🙂', '\ud800'])
      expect(await sourceOf(text, 'pt-BR', ['es'])).toBe('pt');
  });

  it('is found in the text between marks', async () => {
    const segment = [
      'Los niños ',
      { mark: 'open', id: 1 },
      'juegan en el',
      { mark: 'close', id: 1 },
      ' jardín.',
    ] as const;
    const wish = { ...origin, target: 'en' };
    expect(await detectionFor('en').detectSources([[segment]], wish)).toEqual(['es']);
  });
});

describe('a short text of an unknown account', () => {
  const served = ['en', 'ca', 'es', 'fr', 'it', 'pt'];
  const findings = (texts: Readonly<Record<string, string>>) =>
    Promise.all(
      heldOut(texts).map(async ({ text, languages }) => {
        const source = await sourceOf(text, 'zh', served);
        return { text, languages, source, found: detector.detect(text) };
      }),
    );
  type Finding = Awaited<ReturnType<typeof findings>>[number];
  const isSureAndWrong = ({ found, languages }: Finding) =>
    found.status === 'success' && !languages.includes(found.language);

  it('is translated from its language in 47 of 48 phrases, without a confident mistake', async () => {
    const all = await findings(phrasesHeldOut);
    const right = all.filter(({ source = '', languages }) => languages.includes(source));
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(all.filter(isSureAndWrong)).toEqual([]);
    expect(right.length / all.length).toBeGreaterThanOrEqual(47 / 48);
    expect(all.filter(({ source = '' }) => !served.includes(source))).toEqual([]);
  });

  it('that is a single word is translated, without a confident mistake', async () => {
    const all = await findings(wordsHeldOut);
    const right = all.filter(({ source = '', languages }) => languages.includes(source));
    expect(all.filter(isSureAndWrong)).toEqual([]);
    expect(right.length / all.length).toBeGreaterThanOrEqual(0.9);
    expect(all.filter(({ source = '' }) => !served.includes(source))).toEqual([]);
  });

  it('is refused for 9 of 10 phrases of an untranslatable language', async () => {
    // Galician shares most words with Portuguese and Spanish.
    const all = (await findings(othersHeldOut)).filter(
      ({ languages }) => !languages.includes('gl'),
    );
    const taken = all.filter(({ source = '' }) => served.includes(source));
    expect(
      all.filter(({ found }) => found.status === 'success' && served.includes(found.language)),
    ).toEqual([]);
    expect(taken.length, taken.map(({ text }) => text).join(', ')).toBeLessThanOrEqual(
      0.1 * all.length,
    );
  });
});
