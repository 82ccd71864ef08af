/** What `POST /v2/write/rephrase` gives English by rule, and how soon after a start. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writingStyles, type ImprovementResponse } from '../../shared/schemas/write.ts';
import { processTree } from '../../server/process/supervision.ts';
import { ruledForms } from '../../server/text/wording/register.ts';
import { startServer, until, type TestServer } from '../support/product/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ RECOGNISER: 'silent', DEMO: 'off', WARM_UP: 'on' });
});
afterAll(() => server.stop());

async function rephrase(body: object): Promise<string[]> {
  const response = await server.post('/v2/write/rephrase', body);
  expect(response.status).toBe(200);
  const { improvements } = (await response.json()) as ImprovementResponse;
  return improvements.map(({ text }) => text);
}

describe('a start', () => {
  it.each(['schemas', 'document worker', 'harper', 'hunspell'])(
    'has the %s started before anybody asks',
    async (what) => {
      const logged = new RegExp(`"what":"${what}".*"(not )?warmed up`);
      await until(() => logged.test(server.logs()));
    },
  );

  it('makes neither the first who comes nor the first misspelled word wait for a start', async ({
    skip,
  }) => {
    // A machine with little memory warms nothing up.
    if (!/"what":"hunspell".*"warmed up/.test(server.logs())) return skip();
    const before = new Set(processTree(server.pid));
    for (const text of ['We have the letters.', 'We recieve alot of leters.']) {
      await rephrase({ text: [text], target_lang: 'en' });
    }
    await rephrase({ text: ['Das ist eine guhte Idee.'], target_lang: 'de' });
    await rephrase({ text: ['Recebemos o seu endereso ontem.'], target_lang: 'pt-BR' });
    expect(processTree(server.pid).filter((pid) => !before.has(pid))).toEqual([]);
  });
});

describe('a style or a tone', () => {
  const shortForms = "It's not ready. We don't know why they won't come.";
  const misspelled = "We can't recieve guests prior to Monday.";
  const letter =
    'Dear Sir or Madam,\nThank you for the letter. Please do not hesitate to call us.\nYours faithfully';
  const longSentence =
    'The council will close the old library in the centre of the town next year; it is far too small, and nobody wants to pay for it.';
  it.each([
    ['writing_style', 'business', misspelled, 'We cannot receive guests before Monday.'],
    ['tone', 'prefer_diplomatic', misspelled, "We can't receive guests prior to Monday."],
    [
      'writing_style',
      'business',
      shortForms,
      'It is not ready. We do not know why they will not come.',
    ],
    [
      'writing_style',
      'academic',
      "Frankly, you’ll see that we can't wait for them.",
      'You will see that we cannot wait for them.',
    ],
    [
      'writing_style',
      'casual',
      'It is not ready. We do not know why they will not come.',
      "It isn't ready. We don't know why they won't come.",
    ],
    [
      'writing_style',
      'simple',
      longSentence,
      'The council will close the old library in the center of the town next year. It is far too small, and nobody wants to pay for it.',
    ],
    [
      'tone',
      'confident',
      'Honestly, the plan works. I just wanted to thank you for it.',
      'The plan works. I wanted to thank you for it.',
    ],
    ['tone', 'friendly', 'Please do not hesitate to ask.', 'Feel free to ask.'],
    [
      'tone',
      'friendly',
      letter,
      'Hello,\nThanks for the letter. Feel free to call us.\nBest wishes',
    ],
  ])('gives English what rules can give: %s %s to %j', async (name, wish, text, expected) => {
    const body = { text: [text], target_lang: 'en-US', [name]: wish };
    expect(await rephrase(body)).toEqual([expected]);
  });

  it.each(ruledForms)('changes nothing for %s where nothing can be', async (form) => {
    const name = writingStyles.some((style) => style === form) ? 'writing_style' : 'tone';
    const text = ['The weather was nice.', 'A sign said “We don’t know, it’s a secret”.'];
    const body = { text, target_lang: 'en-US', [name]: form };
    expect(await rephrase(body)).toEqual(text);
  });
});
