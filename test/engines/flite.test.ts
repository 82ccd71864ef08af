import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SynthesisEngine } from '../../server/engines/engine.ts';
import { createFlite, type FliteOptions } from '../../server/engines/synthesis/flite.ts';
import { plainSpeech } from '../../server/engines/synthesis/speech-texts.ts';
import { recordLog } from '../support/product/log-record.ts';
import { descendantsOf } from '../support/machine/processes.ts';
import { isSame, loudness, pitchHz, say } from './synthesis-conformance.ts';

const log = recordLog();
const HELLO = 'Good morning, how are you today?';
/** Flite's own folder for temporary files; beside it, programs in place of Flite. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-'));
const scratch = path.join(folder, 'scratch');
const before = process.env['TMPDIR'];
let engine: SynthesisEngine;

async function create(options: Partial<FliteOptions> = {}): Promise<SynthesisEngine> {
  const made = await createFlite({ log, ...options });
  if ('reason' in made) throw new Error(made.reason);
  return made;
}

beforeAll(async () => {
  mkdirSync(scratch);
  process.env['TMPDIR'] = scratch;
  engine = await create();
});
afterAll(async () => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a program in place of Flite, with the same voices. */
function standIn(speech: string): string {
  const program = path.join(folder, 'flite-stand-in');
  writeFileSync(program, `#!/bin/sh\n[ "$1" = -lv ] && exec flite -lv\n${speech}\n`);
  chmodSync(program, 0o755);
  return program;
}

const processes = () => descendantsOf(process.pid, /flite/);
const english = (text: string, more: object = {}) => say(engine, text, { language: 'en', ...more });

describe('flite', () => {
  it('uses an American female voice unless a male one is requested, which is British for en-GB', async () => {
    const spoken = async (language: string, gender?: 'male' | 'female') =>
      say(engine, HELLO, { language, ...(gender !== undefined && { gender }) });
    const [woman, american, british] = [
      await spoken('en'),
      await spoken('en-US', 'male'),
      await spoken('en-GB', 'male'),
    ];
    for (const man of [american, british])
      expect(pitchHz(woman)).toBeGreaterThan(1.3 * pitchHz(man));
    expect(british.samples).not.toEqual(american.samples);
    expect(isSame((await spoken('en-GB', 'female')).samples, woman.samples)).toBe(true);
  });

  it('reads signs and letters of other languages as English', async () => {
    const [read, meant] = [
      await english(
        'It costs £5 million or €6. Zoë’s café – naïve. ½ of “this” & 20 °. a\u0000 b\u0001\u001b c 😀🎉 two Ж',
      ),
      await english(
        "It costs 5 million pounds or 6 euros. Zoe's cafe, naive. 1/2 of this and 20 degrees. a b c two",
      ),
    ];
    expect(read.durationMs).toBeGreaterThan(500);
    expect(read.durationMs).toBe(meant.durationMs);
    expect(loudness(read.samples)).toBe(loudness(meant.samples));
  });

  it('gets no run of marks, but every sign of a number', () => {
    const plain = (text: string) => plainSpeech(text, { foreign: /[^ -~]/g, longestWord: 30 });
    expect(plain('50%. Or 4 %, -$5... and "$6"!')).toBe('50%. Or 4 %, -$5. and "$6"');
    expect(plain(`5${'%'.repeat(400)}${'$'.repeat(400)}6`)).toBe('5%%$6');
  });

  it('handles texts that the program itself does not survive', async () => {
    // Unprotected, the program corrupts its memory at three hundred marks, and takes minutes for a word of
    // thousands of letters.
    const marks = '!?.,;:'.repeat(20_000);
    expect((await english(marks)).samples).toHaveLength(0);
    expect((await english(`one ${marks} two`)).durationMs).toBeLessThan(3_000);
    expect((await english(`${'$ '.repeat(9)}-v rms --help`)).durationMs).toBeGreaterThan(500);
    expect((await english('x'.repeat(40))).durationMs).toBeGreaterThan(1_000);
    expect(log.lines).toEqual([]);
  });

  it('starts 100,000 characters at once, and leaves no process or file behind', async () => {
    const long = `${HELLO} ${'word '.repeat(19_993)}`;
    const options = { language: 'en', gender: undefined };
    const { signal } = new AbortController();
    for await (const { samples } of engine.speak(long, { ...options, signal })) {
      expect(samples.length).toBeLessThan(4 * 16_000);
      break;
    }
    expect([processes(), readdirSync(scratch)]).toEqual([[], []]);

    const controller = new AbortController();
    const speaking = say(engine, long, { ...options, signal: controller.signal });
    await expect.poll(processes, { interval: 5 }).not.toEqual([]);
    controller.abort(new Error('enough'));
    await expect(speaking).rejects.toThrow('enough');
    expect([processes(), readdirSync(scratch)]).toEqual([[], []]);

    const other = await create();
    const more = say(other, long, options);
    await expect.poll(processes, { interval: 5 }).not.toEqual([]);
    await other.close();
    await expect(more).rejects.toMatchObject({ code: 'synthesis_failed' });
    expect([processes(), readdirSync(scratch)]).toEqual([[], []]);
  });

  it('runs few processes at once, without the text in their arguments', async () => {
    const seen = path.join(folder, 'seen');
    const program = standIn(`echo + "$@" >> ${seen}\nsleep 0.1\nflite "$@"\necho - >> ${seen}`);
    const slow = await create({ program });
    const waiting = new AbortController();
    const { signal } = waiting;
    const all = Array.from({ length: 8 }, () => say(slow, 'Morning!', { language: 'en' }));
    const givenUp = say(slow, HELLO, { language: 'en', signal });
    waiting.abort(new Error('enough'));
    await expect(givenUp).rejects.toThrow('enough');
    for (const said of await Promise.all(all)) expect(loudness(said.samples)).toBeGreaterThan(100);
    const lines = readFileSync(seen, 'utf8').trim().split('\n');
    let running = 0;
    const counts = lines.map((line) => (running += line.startsWith('+') ? 1 : -1));
    expect(lines).toHaveLength(16);
    expect(Math.max(...counts)).toBe(Math.min(8, Math.max(2, os.availableParallelism())));
    expect(lines.join('\n')).not.toContain('orning');
  });

  it.each([
    ['fails', 'exit 1'],
    ['writes nothing', 'exit 0'],
    ['writes what is no speech', 'head -c 100 /dev/zero > "$4"'],
    ['is killed', 'kill -9 $$'],
    ['hangs', 'exec sleep 60'],
  ])('reports when the program %s', async (_, script) => {
    const broken = await create({ program: standIn(script), timeoutMs: 500 });
    await expect(say(broken, HELLO, { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
    });
    expect(readdirSync(scratch)).toEqual([]);
    expect(JSON.stringify(log.lines)).not.toContain('morning');
  });

  it('reports a temporary folder that cannot be written', async () => {
    process.env['TMPDIR'] = '/nowhere';
    await expect(english(HELLO)).rejects.toMatchObject({ code: 'synthesis_failed' });
    process.env['TMPDIR'] = scratch;
    expect((await english(HELLO)).durationMs).toBeGreaterThan(1_000);
  });

  it.each(['/nowhere/flite', '/bin/true'])(
    'reports what to install where %s is',
    async (program) => {
      const made = await createFlite({ log, program });
      expect('reason' in made && made.reason).toContain('Debian package flite');
    },
  );
});
