import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SynthesisEngine } from '../../server/engines/engine.ts';
import { createEspeakNg } from '../../server/engines/synthesis/espeak-ng.ts';
import { recordLog } from '../support/product/log-record.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { isSame, loudness, pitchHz, say } from './synthesis-conformance.ts';

const log = recordLog();
let engine: SynthesisEngine;

async function create(options: { program?: string; timeoutMs?: number } = {}) {
  const made = await createEspeakNg({ log, ...options });
  if ('reason' in made) throw new Error(made.reason);
  return made;
}

beforeAll(async () => {
  engine = await create();
});
afterAll(() => engine.close());

/** Lists child processes of this process that run a program. */
function childrenNamed(name: string): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const [, command = '', , parent] = /\((.*)\) (\S) (\d+)/.exec(
        readFileSync(`/proc/${entry}/stat`, 'utf8'),
      )!;
      return command.startsWith(name) && Number(parent) === process.pid;
    } catch {
      return false;
    }
  });
}

/** Creates a program in place of espeak-ng that lists the same voices. */
function standIn(speech: string): string {
  const program = path.join(temporaryFolder(), 'espeak-stand-in');
  writeFileSync(
    program,
    `#!/bin/sh\ncase "$1" in --voices) exec espeak-ng --voices;; esac\n${speech}\n`,
  );
  chmodSync(program, 0o755);
  return program;
}

const HELLO = 'Good morning, how are you today?';
const LONG = `${HELLO} `.repeat(100);

describe('espeak-ng', () => {
  it.each(['en-GB', 'pt-PT', 'fr', 'zh', 'ko', 'de'])(
    'has female and male voices in %s',
    async (language) => {
      const own = new Map([
        ['zh', '早上好，你今天怎么样？'],
        ['ko', '안녕하세요, 오늘 기분이 어떠세요?'],
      ]);
      const words = own.get(language) ?? HELLO;
      const woman = pitchHz(await say(engine, words, { language, gender: 'female' }));
      const man = pitchHz(await say(engine, words, { language, gender: 'male' }));
      expect(woman).toBeGreaterThan(1.4 * man);
    },
  );

  it('distinguishes European from Brazilian Portuguese, and British from American English', async () => {
    const spoken = async (language: string) =>
      (await say(engine, 'Obrigado. The water bottle.', { language })).samples;
    expect(await spoken('pt-PT')).not.toEqual(await spoken('pt-BR'));
    expect(await spoken('en-GB')).not.toEqual(await spoken('en-US'));
    expect(await spoken('en')).toEqual(await spoken('en-US'));
  });

  it('reads both Chinese scripts instead of spelling them', async () => {
    const simplified = await say(engine, '我们明天在办公室开会', { language: 'zh-Hans' });
    const traditional = await say(engine, '我們明天在辦公室開會', { language: 'zh-Hant' });
    expect(isSame(traditional.samples, simplified.samples)).toBe(true);
    // Ten syllables: spelt out, they would take half a minute.
    expect(simplified.durationMs).toBeLessThan(6_000);
  });

  it('does not offer languages without a usable voice', () => {
    for (const language of ['ja', 'th', 'tl', 'he']) {
      expect(engine.languages).not.toContain(language);
    }
    expect(engine.languages).toContain('nb');
  });

  it('takes no text for a command', async () => {
    const plain = await say(engine, 'one two three', { language: 'en' });
    // A control character and a letter would set the rate; brackets would begin phonemes.
    for (const text of ['one \u0001two three', 'one [[two]] three', 'one\n\ttwo \u0000three']) {
      const said = await say(engine, text, { language: 'en' });
      expect(Math.abs(said.durationMs - plain.durationMs)).toBeLessThan(900);
      expect(loudness(said.samples)).toBeGreaterThan(100);
    }
  });

  it('speaks more single letters in a row than the program can hold', async () => {
    for (const text of ['a.'.repeat(120), 'É. . Б., '.repeat(60), 'e.g. i.e. '.repeat(30)]) {
      expect((await say(engine, text, { language: 'es' })).durationMs).toBeGreaterThan(5_000);
    }
  });

  it('speaks thousands of characters to a slow consumer', async () => {
    const { signal } = new AbortController();
    const hasty = await create({ timeoutMs: 3_000 });
    let spokenMs = 0;
    let pieces = 0;
    for await (const said of hasty.speak(LONG, { language: 'en', gender: undefined, signal })) {
      spokenMs += (said.samples.length / said.sampleRateHz) * 1000;
      if (pieces++ < 5) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(spokenMs).toBeGreaterThan(100_000);
    expect(childrenNamed('espeak-ng')).toEqual([]);
  });

  it('leaves no process behind, however the stream ends', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const options = { language: 'en', gender: undefined, signal };
    for await (const { samples } of engine.speak(LONG, options)) if (samples.length > 0) break;
    await expect.poll(() => childrenNamed('espeak-ng')).toEqual([]);

    const speaking = engine.speak(LONG, options)[Symbol.asyncIterator]();
    await speaking.next();
    expect(childrenNamed('espeak-ng')).toHaveLength(1);
    controller.abort(new Error('enough'));
    await expect.poll(() => childrenNamed('espeak-ng')).toEqual([]);
    await expect(
      (async () => {
        while ((await speaking.next()).done !== true);
      })(),
    ).rejects.toThrow('enough');

    const other = await create();
    const more = other.speak(LONG, { ...options, signal: new AbortController().signal });
    const reading = more[Symbol.asyncIterator]();
    await reading.next();
    await other.close();
    await expect.poll(() => childrenNamed('espeak-ng')).toEqual([]);
  });

  it.each([
    ['fails', 'exit 1'],
    ['says nothing that is speech', 'echo "this is no speech at all, not at all, by no means"'],
    ['is killed', 'kill -9 $$'],
    ['hangs', 'exec sleep 60'],
  ])('reports when the program %s', async (_, script) => {
    const broken = await create({ program: standIn(script), timeoutMs: 500 });
    await expect(say(broken, HELLO, { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
    });
    await expect.poll(() => childrenNamed('sleep')).toEqual([]);
    expect(JSON.stringify(log.lines)).not.toContain(HELLO);
  });

  it('reports a missing program', async () => {
    const made = await createEspeakNg({ log, program: '/nowhere/espeak-ng' });
    expect('reason' in made && made.reason).toContain('Debian package espeak-ng');
  });

  it('offers only the languages of the installed voices', async () => {
    const program = standIn('exit 1');
    const listing = execFileSync('espeak-ng', ['--voices'], { encoding: 'utf8' }).split('\n');
    const some = listing.filter((line) => /VoiceName|^ 5 {2}(de|fr-fr) /.test(line)).join('\n');
    writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${some}\nEND\n`);
    expect((await create({ program })).languages).toEqual(['de', 'fr']);
  });
});
