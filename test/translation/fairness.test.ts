/** Fairness between accounts: one with many requests beside one with few. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startHosted } from '../support/product/hosted-server.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { until } from '../support/product/server.ts';
import { startChatServer } from '../support/services/openai-chat-server.ts';
import { createAccountTexts } from '../../server/translation/account-texts.ts';

const LENGTH = 250;

it("an account's text in progress is limited, while other accounts and a single long request are served", async () => {
  const chat = await startChatServer();
  const server = await startHosted({
    ...{ RECOGNISER: 'silent', TEXT_MAX_UNDER_WAY: String(LENGTH) },
    ...{ CHAT_URL: chat.apiUrl, CHAT_MODEL: 'pseudo', CHAT_LANGUAGES: 'en,es' },
    TRANSLATION_ENGINES: 'en/es: chat',
  });
  const storage = await openEmbedded(server.dataFolder);
  try {
    const { secret } = await platformOver(storage).newcomer();
    const translate = (text: string, target = 'ES', key = server.apiKey) =>
      server.post(
        '/v2/translate',
        { text: [text], source_lang: 'EN', target_lang: target },
        { Authorization: `DeepL-Auth-Key ${key}` },
      );
    const improve = (text: string) =>
      server.post('/v2/write/rephrase', { text: [text], target_lang: 'en-US' });
    const long = 'The door is open. '.repeat(6);

    // Alone, a request may be longer than the limit.
    let release = (): void => undefined;
    chat.hold = new Promise<void>((resolve) => (release = resolve));
    const first = translate(long.repeat(3));
    await until(() => chat.requests.some(({ path }) => path.endsWith('/completions')));
    const refusals = [translate(long), translate(long), improve(long), improve(long)];
    const other = await translate('The door is open.', 'CA', secret);
    expect(other.status).toBe(200);
    expect(await other.json()).toMatchObject({ translations: [{ text: 'La porta és oberta.' }] });

    const refused = await Promise.all(refusals);
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused[0]?.json()).toEqual({
      message: `Too much text of this account is being processed: the limit is ${LENGTH} characters at a time. Try again in a moment, with fewer requests at once.`,
    });
    release();
    expect((await first).status).toBe(200);
    // Earlier requests, refused or not, leave no text counted.
    const both = [translate(long), translate(long)];
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  } finally {
    await storage.close();
    await server.stop();
    await chat.close();
  }
});

it('a text that finds no room waits a moment for it, unless the client leaves', async () => {
  const texts = createAccountTexts({ maxLength: 2 });
  const caller = { account: { accountId: 'one' } };
  const during = (abort: AbortController, work: () => Promise<string>) =>
    texts.during({ caller, abort }, ['ab'], work);
  const left = new AbortController();
  const answers = [
    during(new AbortController(), () => nextTurn('first')),
    during(new AbortController(), async () => 'second'),
    during(left, async () => 'third').catch(String),
  ];
  left.abort('left');
  expect(await Promise.all(answers)).toEqual(['first', 'second', 'left']);
});
