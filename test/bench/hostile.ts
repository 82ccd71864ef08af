/** Whether one account can hold up the others: hostile texts, glossaries, styles and marks, and a bystander. */
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { startServer, type TestServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { median, printTable, quantile, spread, verdict } from './figures.ts';
import { createProbe, type Probe } from './gateway/probe.ts';
import { load } from './requests/load.ts';
import { sentences } from './sentences.ts';

export const name = 'hostile';
export const description =
  'longest turns of the event loop by texts made to hold it, and p99 of an account beside another at its worst';

/** ms. */
const LONGEST_AIM = 50;
/** Of a bystander's p99, beside an account at its worst ÷ alone. */
const BYSTANDER_AIM = 2;
/** What a text may have, in UTF-16 units: a request is smaller than 128 KiB. */
const LENGTH = 90_000;
const ENTRIES = 5_000;
/** Until V8 has compiled what is run. */
const WARM_UPS = 3;
const TRIES = 3;
const ROUNDS = 3;
const ROUND_MS = 5_000;
/** Of the account at its worst. */
const CONNECTIONS = 16;

const filled = (unit: string): string => unit.repeat(Math.floor(LENGTH / unit.length));
const HTML = { tag_handling: 'html' };
const XML = { tag_handling: 'xml' };

const texts: Record<string, { text: string; options?: object }> = {
  'elements of a word': { text: filled('<b>do</b> '), options: HTML },
  'one word of elements': { text: filled('<i>a</i>'), options: HTML },
  'links in words': { text: filled('a<a>B</a>'), options: HTML },
  'nested elements': { text: `${'<b>'.repeat(12_000)}red${'</b>'.repeat(12_000)}`, options: HTML },
  'items of a list': { text: filled('<li>a'), options: HTML },
  'line breaks': { text: filled('a<br>'), options: HTML },
  readings: { text: filled('<ruby>a<rt>b</rt></ruby>'), options: HTML },
  'sections of data': { text: `<p>${filled('<![CDATA[a b]]>')}x</p>`, options: XML },
  quotes: { text: filled('"red" ') },
  'short sentences': { text: filled('A. b. ') },
  'one sentence': { text: filled('a, ') },
  'words of signs': { text: filled('_a') },
};

/** Wishes under which ordinary sentences are translated, each with all that is to be searched for. */
interface Wishes {
  glossary: object;
  style: object;
}

export async function run(print: Print): Promise<void> {
  const probe = createProbe();
  const settings = { ...probe.environment, RECOGNISER: 'silent', LOG_LEVEL: 'error' };
  const server = await startServer(settings);
  try {
    const wishes = await wishesOf(server);
    const prose = filled(`${sentences.join(' ')} `);
    const all = {
      ...texts,
      'prose with a glossary': { text: prose, options: wishes.glossary },
      'prose with a style': { text: prose, options: wishes.style },
    };
    const bodies = Object.values(all).map(({ text, options }) => body(text, options));
    print(`longest turn of the event loop, ${TRIES} texts of ${LENGTH / 1_000} kB of each kind`);
    const rows = [['', 'ms', '']];
    for (const [at, label] of Object.keys(all).entries()) {
      const longestMs = await longestTurns(server, probe, bodies[at] ?? '');
      rows.push([label, spread(longestMs), verdict(median(longestMs), LONGEST_AIM)]);
    }
    printTable(print, rows);
    await standBeside(print, server, bodies);
  } finally {
    await server.stop();
    probe.close();
  }
}

/** A glossary and a style rule list of the server's first account. */
async function wishesOf(server: TestServer): Promise<Wishes> {
  const entries = Array.from({ length: ENTRIES }, (_, at) => `the ${at} new\tel ${at} nuevo`);
  const dictionary = { source_lang: 'en', target_lang: 'es', entries_format: 'tsv' };
  const glossary = await server.post('/v3/glossaries', {
    name: 'hostile',
    dictionaries: [{ ...dictionary, entries: [...entries, 'the\tla', 'of the\tdel'].join('\n') }],
  });
  const style = await server.post('/v3/style_rules', {
    name: 'hostile',
    language: 'es',
    configured_rules: { punctuation: { quotation_mark: 'use_guillemets' } },
  });
  const { glossary_id } = (await glossary.json()) as { glossary_id: string };
  const { style_id } = (await style.json()) as { style_id: string };
  return { glossary: { glossary_id }, style: { style_id } };
}

function body(text: string, options: object = {}): string {
  return JSON.stringify({ text: [text], source_lang: 'EN', target_lang: 'ES', ...options });
}

/** ms, one for each try. */
async function longestTurns(server: TestServer, probe: Probe, content: string): Promise<number[]> {
  const translate = () => load(targetOf(server), [content], { clients: 1, durationMs: 1 });
  for (let count = 0; count < WARM_UPS; count += 1) await translate();
  const longestMs: number[] = [];
  for (let count = 0; count < TRIES; count += 1) {
    const [longest = 0] = await probe.longestTurnsMs(translate);
    longestMs.push(longest);
  }
  return longestMs;
}

function targetOf({ url, apiKey }: { url: string; apiKey: string }) {
  return { url, authorization: `Service-Auth-Key ${apiKey}` };
}

/** p99 of another account's sentences, alone and beside the first at its worst, turn by turn. */
async function standBeside(
  print: Print,
  server: TestServer,
  hostile: readonly string[],
): Promise<void> {
  const storage = await openEmbedded(server.dataFolder);
  const { secret } = await platformOver(storage).newcomer();
  await storage.close();
  const ask = async () => {
    const options = { clients: 1, durationMs: ROUND_MS };
    const bystander = targetOf({ url: server.url, apiKey: secret });
    const { latenciesMs } = await load(
      bystander,
      sentences.map((text) => body(text)),
      options,
    );
    return quantile(latenciesMs, 0.99);
  };
  const flood = { clients: CONNECTIONS, durationMs: ROUND_MS, mayBeRefused: true };
  const alone: number[] = [];
  const beside: number[] = [];
  for (let count = 0; count < ROUNDS; count += 1) {
    alone.push(await ask());
    const [besideMs] = await Promise.all([ask(), load(targetOf(server), hostile, flood)]);
    beside.push(besideMs);
  }
  const ratios = beside.map((each, round) => each / (alone[round] ?? 1));
  print('');
  print(`a bystander with one sentence after the other, beside ${CONNECTIONS} such connections`);
  printTable(print, [
    ['p99, ms', 'alone', 'beside', 'beside ÷ alone', ''],
    ['', spread(alone), spread(beside), spread(ratios), verdict(median(ratios), BYSTANDER_AIM)],
  ]);
}
