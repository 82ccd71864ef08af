/** `POST /v2/write/rephrase` in English by rule, and the warm-up of its engines at start. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writingStyles, type ImprovementResponse } from '../../shared/schemas/write.ts';
import { processTree } from '../../server/process/supervision.ts';
import { ruledForms } from '../../server/text/wording/register.ts';
import { startServer, until, type RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

async function rephrase(server: RunningServer, body: object): Promise<string[]> {
  const response = await server.post('/v2/write/rephrase', body);
  expect(response.status).toBe(200);
  const { improvements } = (await response.json()) as ImprovementResponse;
  return improvements.map(({ text }) => text);
}

/** Ends the Harper processes of a server; returns false if there are none. */
function killHarper(serverPid: number): boolean {
  const killed = processTree(serverPid).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.includes('harper-child') && process.kill(pid, 'SIGKILL');
    } catch {
      return false; // The process has ended in the meantime.
    }
  });
  return killed.length > 0;
}

it('the warm-up starts every slow part before the first request, also after one that fails to start', async ({
  skip,
}) => {
  const server = await startServer({ RECOGNISER: 'silent', DEMO: 'off', WARM_UP: 'on' });
  onTestFinished(() => server.stop());
  const isReady = (what: string) =>
    new RegExp(`"what":"${what}".*"(not )?warmed up`).test(server.logs());
  let isKilled = false;
  await until(() => {
    // Its preparation takes ten seconds of CPU time.
    if (!isReady('harper')) isKilled = killHarper(server.pid) || isKilled;
    return isReady('hunspell');
  });
  const others = ['schemas', 'detection', 'translator', 'document worker', 'harper'];
  expect(others.filter((what) => !isReady(what))).toEqual([]);
  // A machine with little memory skips the warm-up.
  if (server.logs().includes('not warmed up: little memory')) return skip();
  expect(isKilled).toBe(true);
  expect(server.logs()).toMatch(/"what":"harper".*"not warmed up: it failed"/);
  const before = new Set(processTree(server.pid));
  const text = { text: ['Good morning.'], source_lang: 'EN', target_lang: 'ES' };
  expect((await server.post('/v2/translate', text)).status).toBe(200);
  await rephrase(server, { text: ['Das ist eine guhte Idee.'], target_lang: 'de' });
  await rephrase(server, { text: ['Recebemos o seu endereso ontem.'], target_lang: 'pt-BR' });
  // Programs that only look something up are gone at once.
  await expect.poll(() => processTree(server.pid).filter((pid) => !before.has(pid))).toEqual([]);
});

describe('a style or a tone', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await sharedServer();
  });

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
  ])('rewrites English by rule: %s %s to %j', async (name, wish, text, expected) => {
    const body = { text: [text], target_lang: 'en-US', [name]: wish };
    expect(await rephrase(server, body)).toEqual([expected]);
  });

  it.each(ruledForms)('changes nothing for %s where no rule applies', async (form) => {
    const name = writingStyles.some((style) => style === form) ? 'writing_style' : 'tone';
    const text = ['The weather was nice.', 'A sign said “We don’t know, it’s a secret”.'];
    const body = { text, target_lang: 'en-US', [name]: form };
    expect(await rephrase(server, body)).toEqual(text);
  });
});
