/** Fairness between accounts: one with many requests beside one with few. */
import { expect, it } from 'vitest';
import { askDragoman } from '../support/product/command-line.ts';
import { startHosted } from '../support/product/hosted-server.ts';

const LENGTH = 20_000;

it("an account's text in progress is limited, while other accounts and a single long request are served", async () => {
  const settings = { RECOGNISER: 'silent', TEXT_MAX_UNDER_WAY: String(LENGTH) };
  const server = await startHosted(settings);
  try {
    const at = { DATA_DIR: server.dataFolder };
    await askDragoman(['account', 'create', '--name', 'other', '--plan', 'pro'], at);
    const { secret } = await askDragoman<{ secret: string }>(
      ['key', 'create', '--account', 'other'],
      at,
    );
    const translate = (text: string, key = server.apiKey) =>
      server.post(
        '/v2/translate',
        { text: [text], source_lang: 'EN', target_lang: 'ES' },
        { Authorization: `DeepL-Auth-Key ${key}` },
      );
    const improve = (text: string) =>
      server.post('/v2/write/rephrase', { text: [text], target_lang: 'en-US' });
    const long = 'The door is open and the house is new. '.repeat(200);

    const asked = [long, long, long, long, long, long].map((text) => translate(text));
    const improved = [improve(long), improve(long), improve(long)];
    const other = await translate('The door is open.', secret);
    expect(other.status).toBe(200);
    expect(await other.json()).toMatchObject({
      translations: [{ text: 'La puerta está abierta.' }],
    });

    const answers = await Promise.all([...asked, ...improved]);
    const statuses = answers.map(({ status }) => status);
    // Two of 7,800 characters fit at a time.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused?.json()).toEqual({
      message: `Too much text of this account is being processed: the limit is ${LENGTH} characters at a time. Try again in a moment, with fewer requests at once.`,
    });
    // Earlier requests, refused or not, leave no text counted; alone, a request may be longer.
    expect((await translate(long.repeat(3))).status).toBe(200);
    expect((await improve(long)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
