/** `POST /v2/write/rephrase` and `/correct`, without a model and with one. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../shared/schemas/languages.ts';
import type { UsageReport } from '../../shared/schemas/usage.ts';
import {
  writingStyles,
  writingTones,
  type ImprovementResponse,
} from '../../shared/schemas/write.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatQuestion,
  type ChatServer,
} from '../support/services/openai-chat-server.ts';
import { startHosted } from '../support/product/hosted-server.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { until, type RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

let chat: ChatServer;
let offline: RunningServer;
let online: RunningServer;
beforeAll(async () => {
  chat = await startChatServer();
  const settings = { RECOGNISER: 'silent', CHAT_URL: chat.apiUrl, CHAT_MODEL: 'pseudo' };
  [offline, online] = await Promise.all([sharedServer(), startHosted(settings)]);
});
afterEach(() => chat.reset());
afterAll(async () => {
  await online.stop();
  await chat.close();
});

type Answer = ImprovementResponse & { status: number; message: string };
async function write(
  server: RunningServer,
  task: 'correct' | 'rephrase',
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await server.post(`/v2/write/${task}`, body, headers);
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
}
const withKey = (key: string) => ({ Authorization: `DeepL-Auth-Key ${key}` });
const usage = async (server: RunningServer) => {
  const response = await server.get('/v2/usage', withKey(server.apiKey));
  const report = (await response.json()) as UsageReport;
  const product = report.products?.find(({ product_type }) => product_type === 'write');
  return { all: report.character_count, written: product?.account_unit_count };
};
const listed = async (server: RunningServer) => {
  const response = await server.get('/v3/languages?resource=write', withKey(server.apiKey));
  return (await response.json()) as Language[];
};

describe('improvement without a model', () => {
  it('corrects English, German, French, Spanish, Italian and Portuguese, in order, in one request', async () => {
    const { status, improvements } = await write(offline, 'correct', {
      text: [
        'We recieve alot of letters every day.',
        'Ich habe das nciht gewusst und und gelacht.',
        'Je ne sais pas pourqoui il est parti ce matin.',
        'Mañana vamos a la playa con los ninos.',
        'Non so perche non hai risposto alla lettera.',
        'As criancas estão na escola com a professora.',
      ],
    });
    expect(status).toBe(200);
    expect(improvements).toEqual([
      { text: 'We receive a lot of letters every day.', ...inLanguage('en') },
      { text: 'Ich habe das nicht gewusst und gelacht.', ...inLanguage('de') },
      { text: 'Je ne sais pas pourquoi il est parti ce matin.', ...inLanguage('fr') },
      { text: 'Mañana vamos a la playa con los niños.', ...inLanguage('es') },
      { text: 'Non so perché non hai risposto alla lettera.', ...inLanguage('it') },
      { text: 'As crianças estão na escola com a professora.', ...inLanguage('pt') },
    ]);
  });

  it('converts between American and British spelling, except in names and addresses', async () => {
    const american = 'The color of Pearl Harbor is gray, see https://color.org.';
    const british = 'The colour of Pearl Harbor is grey, see https://color.org.';
    for (const task of ['correct', 'rephrase'] as const) {
      expect(
        (await write(offline, task, { text: [american], target_lang: 'en-gb' })).improvements,
      ).toEqual([{ text: british, target_language: 'en-GB', detected_source_language: 'en' }]);
      expect(
        (await write(offline, task, { text: [british], target_lang: 'EN' })).improvements,
      ).toEqual([{ text: american, target_language: 'en-US', detected_source_language: 'en' }]);
    }
  });

  it('rephrases by correction only', async () => {
    const { improvements } = await write(offline, 'rephrase', {
      text: ['Das ist nciht gut.'],
      target_lang: 'de',
      tone: 'prefer_friendly',
    });
    expect(improvements).toEqual([
      { text: 'Das ist nicht gut.', target_language: 'de', detected_source_language: 'de' },
    ]);
  });

  it('leaves a text in another language unchanged', async () => {
    const text = 'Das ist ein deutscher Satz, der nciht geändert wird.';
    const { status, improvements } = await write(offline, 'rephrase', {
      text: [text],
      target_lang: 'en',
    });
    expect(status).toBe(200);
    expect(improvements).toEqual([
      { text, target_language: 'en-US', detected_source_language: 'de' },
    ]);
  });

  it('trusts the declared language of a short text with names in it', async () => {
    const text = ['Meeting adress: Via Roma, Milano', 'I sympathize; I realize; I apologize.'];
    const { improvements } = await write(offline, 'correct', { text, target_lang: 'en-GB' });
    expect(improvements.map((each) => each.text)).toEqual([
      'Meeting address: Via Roma, Milano',
      'I sympathise; I realise; I apologise.',
    ]);
  });

  it('leaves texts without words as they are', async () => {
    const text = ['', '12:30', '…'];
    for (const more of [{}, { target_lang: 'pt' }]) {
      const { improvements } = await write(offline, 'correct', { text, ...more });
      expect(improvements.map((each) => each.text)).toEqual(text);
    }
  });

  it('accepts a single text, nulls, and forms', async () => {
    const single = { text: 'Das ist nciht gut.', target_lang: null, tone: null, unknown: 1 };
    expect((await write(offline, 'rephrase', single)).improvements).toHaveLength(1);
    const response = await offline.send('/v2/write/correct', {
      method: 'POST',
      body: new URLSearchParams('text=Das+ist+nciht+gut.&text=Ja.&target_lang=DE'),
    });
    expect(await response.json()).toEqual({
      improvements: [
        { text: 'Das ist nicht gut.', ...inLanguage('de') },
        { text: 'Ja.', ...inLanguage('de') },
      ],
    });
  });

  it('lists its languages, with styles and tones in English', async () => {
    const languages = await listed(offline);
    expect(languages.map(({ lang }) => lang)).toEqual(
      'de en en-GB en-US es fr it pt pt-BR pt-PT'.split(' '),
    );
    const withTones = languages.filter(({ features }) => 'tone' in features);
    expect(withTones.map(({ lang }) => lang)).toEqual(['en-GB', 'en-US']);
    for (const { lang } of languages) {
      expect((await write(offline, 'correct', { text: ['a'], target_lang: lang })).status).toBe(
        200,
      );
    }
  });

  it.each([
    [{ target_lang: 'xx' }, /Value for 'target_lang' not supported.*en-GB/],
    [{ target_lang: 'ja' }, /Value for 'target_lang' not supported.*running engines: de, en/],
    [{ target_lang: 'es-419' }, /'target_lang'/],
    [{ text: ['Els nens juguen al jardí amb la seva mare cada tarda.'] }, /A text is in CA/],
    [{ text: [] }, /text/],
    [{ text: null }, /'text'/],
    [{ writing_style: 'poetic' }, /'writing_style' not supported.*prefer_academic/],
    [{ tone: 'angry' }, /'tone' not supported/],
    [{ writing_style: 'casual', tone: 'prefer_friendly' }, /Both writing_style and tone defined/],
    [
      { target_lang: 'de', writing_style: 'business' },
      /Language de does not support setting a writing style\./,
    ],
    [{ target_lang: 'de', tone: 'friendly' }, /Language de does not support setting a tone\./],
    [{ text: ['Guten Morgen, liebe Freunde!'], tone: 'friendly' }, /Language de does not support/],
    [{ target_lang: 'ja', tone: 'friendly' }, /Language ja does not support setting a tone\./],
    [{ target_lang: 'en', tone: 'diplomatic' }, /in en-US by .*Possible: confident, friendly\./],
  ])('refuses %j', async (body, message) => {
    const { status, ...answer } = await write(offline, 'rephrase', { text: ['Hallo'], ...body });
    expect(status).toBe(400);
    expect(answer.message).toMatch(message);
  });

  it('accepts a default beside another option, and optional preferences', async () => {
    for (const wishes of [
      { writing_style: 'default', tone: 'prefer_friendly' },
      { writing_style: 'prefer_simple', tone: 'default' },
      { writing_style: 'prefer_default', tone: 'default' },
    ]) {
      const body = { text: ['Hallo'], target_lang: 'de', ...wishes };
      expect((await write(offline, 'rephrase', body)).status).toBe(200);
    }
  });

  it('ignores styles and tones in a correction', async () => {
    const body = { text: ['Hallo'], target_lang: 'de', writing_style: 'nonsense', tone: 'casual' };
    expect((await write(offline, 'correct', body)).status).toBe(200);
  });
});

describe('improvement with a model', () => {
  const edit = (change: (text: string) => string) => {
    chat.say = ({ items }: ChatQuestion) =>
      JSON.stringify({ items: items.map(({ id, text }) => ({ id, text: change(text) })) });
  };

  it('rephrases in every style and tone', async () => {
    edit((text) => text.replace('Responda logo', 'Responda em breve'));
    const wishes = [
      ...writingStyles.map((style) => ({ writing_style: style })),
      ...writingTones.map((tone) => ({ tone: `prefer_${tone}` })),
    ];
    for (const wish of wishes) {
      const body = { text: ['Responda logo, por favor.'], target_lang: 'pt-BR', ...wish };
      expect((await write(online, 'rephrase', body)).improvements).toEqual([
        {
          text: 'Responda em breve, por favor.',
          target_language: 'pt-BR',
          detected_source_language: 'pt',
        },
      ]);
    }
    const said = chatQuestions(chat) as { style?: string; tone?: string; language?: string }[];
    expect(said.map(({ style, tone }) => (style ?? tone)?.split(':')[0])).toEqual([
      ...writingStyles,
      ...writingTones,
    ]);
    expect(said[0]?.language).toContain('pt-BR');
    // In English only a model has this tone.
    for (const lang of ['de', 'en-GB', 'pt']) {
      const body = { text: ['Hallo'], target_lang: lang, tone: 'diplomatic' };
      expect((await write(online, 'rephrase', body)).status).toBe(200);
    }
  });

  it.each(['ja', 'ko', 'zh', 'zh-Hans'])('has no styles and tones in %s', async (lang) => {
    edit((text) => text);
    const body = { text: ['你好'], target_lang: lang };
    const refused = await write(online, 'rephrase', { ...body, writing_style: 'business' });
    expect(refused.message).toContain(`Language ${lang} does not support setting a writing style.`);
    const { status } = await write(online, 'rephrase', {
      ...body,
      writing_style: 'prefer_business',
    });
    expect(status).toBe(200);
    expect(chatQuestions(chat).at(-1)).not.toHaveProperty('style');
  });

  it('lists all languages, with styles and tones', async () => {
    const languages = await listed(online);
    expect(languages.map(({ lang }) => lang)).toEqual(
      'de en en-GB en-US es fr it ja ko pt pt-BR pt-PT zh zh-Hans'.split(' '),
    );
    const withTones = languages.filter(({ features }) => 'tone' in features);
    expect(withTones.map(({ lang }) => lang)).toEqual(
      'de en-GB en-US es fr it pt-BR pt-PT'.split(' '),
    );
  });

  it('rejects an answer that makes a text worse', async () => {
    edit(() => 'Gerne, hier ist etwas ganz anderes zu lesen.');
    const text = 'Ich habe 20 Briefe aus Oslo nciht gelesen.';
    const { improvements } = await write(online, 'rephrase', {
      text: [text],
      target_lang: 'de',
    });
    expect(improvements[0]?.text).toBe('Ich habe 20 Briefe aus Oslo nicht gelesen.');
  });

  it('does not bill abandoned requests', async () => {
    const before = await usage(online);
    chat.always = 'hang';
    const client = new AbortController();
    const asked = fetch(`${online.url}/v2/write/rephrase`, {
      method: 'POST',
      headers: {
        Authorization: `DeepL-Auth-Key ${online.apiKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ text: ['Hello'], target_lang: 'en' }),
      signal: client.signal,
    }).catch(() => undefined);
    await until(async () => (await usage(online)).all > before.all);
    client.abort();
    await asked;
    await until(async () => (await usage(online)).all === before.all);
  });
});

describe('the bill for improvement', () => {
  it('counts the characters of all texts, as translation does', async () => {
    const before = await usage(offline);
    const text = ['Guten Tag 😀', 'Hallo'];
    await write(
      offline,
      'rephrase',
      { text, target_lang: 'de' },
      { 'X-DeepL-Reporting-Tag': 'Blog' },
    );
    const after = await usage(offline);
    expect(after.all - before.all).toBe(16);
    expect((after.written ?? 0) - (before.written ?? 0)).toBe(16);
  });

  it('excludes refused requests, among others those with an invalid reporting tag', async () => {
    const before = await usage(offline);
    const body = { text: ['Hallo'], target_lang: 'de' };
    const tagged = await write(offline, 'correct', body, {
      'X-Service-Reporting-Tag': 'two words',
    });
    expect(tagged.status).toBe(400);
    expect((await write(offline, 'correct', { ...body, target_lang: 'ja' })).status).toBe(400);
    expect(await usage(offline)).toEqual(before);
  });
});

describe('permission to use improvement', () => {
  it('is refused on the free plan and beyond the quota', async () => {
    const free = (await sharedServer('silent', 'free')).apiKey;
    const storage = await openEmbedded(offline.dataFolder);
    const { secret: poor } = await platformOver(storage).newcomer(
      {},
      { limits: { characters: 4 } },
    );
    await storage.close();
    const body = { text: ['Hallo'], target_lang: 'de' };
    for (const task of ['correct', 'rephrase'] as const) {
      expect((await write(offline, task, body, withKey(free))).status).toBe(403);
      expect((await write(offline, task, body, withKey(poor))).status).toBe(456);
      const anonymous = await fetch(`${offline.url}/v2/write/${task}`, { method: 'POST' });
      expect(anonymous.status).toBe(403);
    }
  });
});

describe('an improvement body', () => {
  it('of more than 10 KiB is refused, in any format', async () => {
    const frame = JSON.stringify({ text: [''], target_lang: 'ko' }).length;
    const sized = (bytes: number) =>
      write(offline, 'correct', { text: ['a'.repeat(bytes - frame)], target_lang: 'ko' });
    expect((await sized(10_240)).status).toBe(400);
    const larger = await sized(10_241);
    expect(larger.status).toBe(413);
    expect(larger.message).toContain('10 KiB');
    const form = await offline.send('/v2/write/rephrase', {
      method: 'POST',
      body: new URLSearchParams({ text: 'a'.repeat(10_240) }),
    });
    expect(form.status).toBe(413);
  });
});

/** Returns the languages of a text that keeps its own. */
function inLanguage(language: string) {
  return { target_language: language, detected_source_language: language };
}
