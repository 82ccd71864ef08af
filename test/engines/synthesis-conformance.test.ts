import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpokenSamples, SynthesisEngine } from '../../server/engines/engine.ts';
import { createEspeakNg } from '../../server/engines/synthesis/espeak-ng.ts';
import { createFlite } from '../../server/engines/synthesis/flite.ts';
import { recordLog } from '../support/product/log-record.ts';
import { describeSynthesisEngine, english, synthesisPromises } from './synthesis-conformance.ts';

async function espeakNg(): Promise<SynthesisEngine> {
  const engine = await createEspeakNg({ log: recordLog() });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

async function flite(): Promise<SynthesisEngine> {
  const engine = await createFlite({ log: recordLog() });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

/** A sentence in each offered language. */
const sentences = {
  en: 'Good morning, how are you today? We meet at three o’clock.',
  ar: 'صباح الخير، كيف حالك اليوم؟',
  bg: 'Добро утро, как сте днес?',
  cs: 'Dobré ráno, jak se dnes máte?',
  da: 'Godmorgen, hvordan har du det i dag?',
  de: 'Guten Morgen, wie geht es Ihnen heute?',
  el: 'Καλημέρα, πώς είστε σήμερα;',
  es: 'Buenos días, ¿cómo está usted hoy?',
  fi: 'Hyvää huomenta, mitä teille kuuluu tänään?',
  fr: 'Bonjour, comment allez-vous aujourd’hui ?',
  hu: 'Jó reggelt, hogy van ma?',
  id: 'Selamat pagi, apa kabar hari ini?',
  it: 'Buongiorno, come sta oggi?',
  ko: '안녕하세요, 오늘 기분이 어떠세요?',
  nb: 'God morgen, hvordan har du det i dag?',
  nl: 'Goedemorgen, hoe gaat het vandaag?',
  pl: 'Dzień dobry, jak się pan dziś ma?',
  pt: 'Bom dia, como você está hoje?',
  ro: 'Bună dimineața, ce mai faceți astăzi?',
  ru: 'Доброе утро, как у вас дела сегодня?',
  sk: 'Dobré ráno, ako sa dnes máte?',
  sv: 'God morgon, hur mår du i dag?',
  tr: 'Günaydın, bugün nasılsınız?',
  uk: 'Доброго ранку, як у вас справи сьогодні?',
  vi: 'Chào buổi sáng, hôm nay bạn thế nào?',
  zh: '早上好，你今天怎么样？',
};

// In Chinese each character is a syllable.
const material = { ...english, sentences, charactersPerSecond: [2, 40] as const };
describeSynthesisEngine('espeak-ng', espeakNg, material);
describeSynthesisEngine('flite', flite, {
  ...english,
  sentences: { en: 'Good morning, how are you?' },
});

test('the checks cover every language of espeak-ng', async () => {
  const engine = await espeakNg();
  expect([...engine.languages].sort()).toEqual(Object.keys(sentences).sort());
  await engine.close();
});

type Speak = SynthesisEngine['speak'];

function mapped(map: (spoken: SpokenSamples) => SpokenSamples): (speak: Speak) => Speak {
  return (speak) =>
    async function* (text, options) {
      for await (const spoken of speak(text, options)) yield map(spoken);
    };
}

/** Faults of an engine, each with the check that notices it. */
const breakages: {
  promise: RegExp;
  fault: string;
  breakIt?: (sound: Speak) => Speak;
  languages?: string[];
}[] = [
  { promise: /sessions can ask for/, fault: 'names variants', languages: ['en-GB'] },
  {
    promise: /about the time/,
    fault: 'is silent',
    breakIt: mapped(({ samples, sampleRateHz }) => ({
      samples: new Int16Array(samples.length),
      sampleRateHz,
    })),
  },
  {
    promise: /about the time/,
    fault: 'tells the wrong rate',
    breakIt: mapped(({ samples }) => ({ samples, sampleRateHz: 192_000 })),
  },
  {
    promise: /apart/,
    fault: 'says the first sentence only',
    breakIt: (speak) => (text, options) => speak(text.slice(0, 60), options),
  },
  {
    promise: /higher voice/,
    fault: 'has one voice for all',
    breakIt: (speak) => (text, options) => speak(text, { ...options, gender: 'male' }),
  },
  {
    promise: /without changing/,
    fault: 'uses its memory again',
    breakIt: (speak) =>
      async function* (text, options) {
        const memory = new Int16Array(65_536);
        for await (const { samples, sampleRateHz } of speak(text, options)) {
          memory.set(samples);
          yield { samples: memory.subarray(0, samples.length), sampleRateHz };
        }
      },
  },
  { promise: /apart/, fault: 'mixes what is spoken at once', breakIt: mixing },
  {
    promise: /hardly any/,
    fault: 'fails when there is nothing to say',
    breakIt: (speak) =>
      async function* (text, options) {
        if (text.trim() === '') throw new Error('Nothing to say.');
        yield* speak(text, options);
      },
  },
  {
    promise: /does not speak/,
    fault: 'speaks English whatever is asked for',
    breakIt: (speak) => (text, options) => speak(text, { ...options, language: 'en' }),
  },
  {
    promise: /reason of an abort while/,
    fault: 'does not look at the signal',
    breakIt: (speak) => (text, options) =>
      speak(text, { ...options, signal: new AbortController().signal }),
  },
  {
    promise: /aborted already/,
    fault: 'looks at the signal when it is done',
    breakIt: (speak) => (text, options) =>
      speak(text, { ...options, signal: new AbortController().signal }),
  },
  {
    promise: /nobody listens/,
    fault: 'cannot be left before it is done',
    breakIt: (speak) => (text, options) => {
      const all = speak(text, options)[Symbol.asyncIterator]();
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => all.next(),
          return: () => new Promise(() => undefined),
        }),
      };
    },
  },
];

/** Speaks the texts of all concurrent calls in each. */
function mixing(speak: Speak): Speak {
  const texts: string[] = [];
  return async function* (text, options) {
    texts.push(text);
    await new Promise((resolve) => setImmediate(resolve));
    yield* speak(texts.join(' '), options);
    texts.splice(texts.indexOf(text), 1);
  };
}

/** Short, because an engine that fails to do something in time does not do it later either. */
const impatient = { ...english, patienceMs: 3_000 };

describe('the synthesis checks notice an engine that', () => {
  let sound: SynthesisEngine;
  beforeAll(async () => {
    sound = await espeakNg();
  });
  afterAll(() => sound.close());

  test.each(breakages)('$fault', async ({ promise, breakIt, languages = sound.languages }) => {
    const found = synthesisPromises.filter(({ name }) => promise.test(name));
    expect(found).toHaveLength(1);
    const whole: SynthesisEngine['speak'] = (text, options) => sound.speak(text, options);
    const speak = breakIt?.(whole) ?? whole;
    const broken: SynthesisEngine = { ...sound, languages, speak };
    await expect(found[0]!.check(broken, impatient)).rejects.toThrow();
  });

  test('every check has a broken engine', () => {
    for (const { name } of synthesisPromises) {
      expect(breakages.some(({ promise }) => promise.test(name))).toBe(true);
    }
  });
});
