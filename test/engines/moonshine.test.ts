import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import { createMoonshineRecognisers } from '../../server/engines/recognition/moonshine.ts';
import { findModels } from '../../server/models/find-models.ts';
import { listen } from '../support/audio/heard.ts';
import { recordedClips } from '../bench/captions-clips.ts';
import { createHearingClock } from '../bench/captions-clock.ts';
import { recordLog } from '../support/product/log-record.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { wordErrorRate } from '../support/audio/word-error-rate.ts';
import { isAlive } from '../support/machine/processes.ts';
import './moonshine-conformance.ts';
import { moonshineModel, moonshineOfFile, processesOfFile } from './moonshine-support.ts';
import {
  asSpeech,
  finals,
  heard,
  lengthMs,
  recogniserPids,
  spoken,
  telephoned,
  transcript,
  until,
} from './recognition-support.ts';

const AMERICANS = 'and so my fellow americans ask not what your country can do for you';
const WEEK = 'we need to finish the report before the end of the week';
const HOUSE = 'she bought a new house near the river last summer';
const RAW = ['-t', 'raw', '-r', '16000', '-c', '1', '-b', '16', '-e', 'signed'];

let engine: RecognitionEngine;
beforeAll(async () => void (engine = await moonshineOfFile()));

/** Returns samples made with sox, s16le at 16 kHz. */
function sox(args: readonly string[], input?: Buffer): Buffer {
  const source = input === undefined ? ['-n'] : [...RAW, '-'];
  return execFileSync('sox', [...source, ...RAW, '-', ...args], { ...(input && { input }) });
}

describe('speech through Moonshine', () => {
  test('is recognised in two voices and over the telephone, in pieces of any size, by one process at once', async () => {
    const rms = await spoken({ text: AMERICANS, voice: 'rms' });
    const kal = await spoken({ text: AMERICANS, voice: 'kal16' });
    const speeches = [
      asSpeech(rms, { sizes: [2, 6, 642, 5000] }),
      asSpeech(await telephoned({ text: AMERICANS, voice: 'rms' })),
      asSpeech(kal, { endsOpen: true }),
    ];
    const before = engine.effort?.();
    const all = await Promise.all(speeches.map((speech) => heard(engine, speech)));
    const after = engine.effort?.();
    const audioMs = (after?.audioMs ?? 0) - (before?.audioMs ?? 0);
    // Silence at the ends need not reach the model.
    expect(audioMs / (lengthMs(rms) * speeches.length)).toBeCloseTo(1, 0);
    expect(after?.processorMs).toBeGreaterThan(before?.processorMs ?? Infinity);
    const said = 'And so my fellow Americans ask not what your country can do for you.';
    const texts = all.map(transcript);
    // A telephone removes half of the spectrum that the model has learned, so a word may differ.
    for (const text of texts.splice(1, 1)) expect(wordErrorRate(said, text)).toBeLessThan(0.1);
    expect(texts).toEqual(texts.map(() => said));
    expect(recogniserPids()).toHaveLength(1);
  });

  test('of two overlapping speakers, or whispered, is recognised to its end', async () => {
    const house = await spoken({ text: HOUSE, voice: 'rms' });
    const week = await spoken({ text: WEEK, voice: 'kal16' });
    const both = Buffer.alloc(2_000 * 32);
    for (let at = 0; at < both.length; at += 2) {
      both.writeInt16LE((house.readInt16LE(at) + week.readInt16LE(at)) >> 1, at);
    }
    const whispered = sox(['synth', 'whitenoise', 'amod'], house.subarray(0, both.length));
    for (const audio of [both, whispered]) {
      const said = await heard(engine, asSpeech(audio));
      // Nobody speaks faster than this: a model that goes astray repeats itself.
      expect(transcript(said).split(' ').length).toBeLessThan((5 * lengthMs(audio)) / 1000);
    }
  });

  test.each([
    ['silence', () => Buffer.alloc(4_000 * 32)],
    ['white noise', () => sox(['synth', '4', 'whitenoise', 'vol', '0.3'])],
    ['hum', () => sox(['synth', '4', 'sine', '50', 'sine', '100', 'remix', '-', 'vol', '0.3'])],
    ['music', () => sox('synth 4 pluck C4 pluck E4 pluck G4 remix - vol 0.5 repeat 1'.split(' '))],
    ['clatter', () => sox('synth 0.012 whitenoise vol 0.6 pad 0 0.13 repeat 30'.split(' '))],
  ])('is not recognised in %s', async (_, made) => {
    expect(await heard(engine, asSpeech(made()))).toEqual([]);
  });

  test('of more than one part keeps each word and its punctuation over the death of its process, which ignores terminal and service-manager signals', async () => {
    const part = `the weather will be cold and wet in the northern part of the country and ${WEEK}`;
    const text = `${part} and ${part}`;
    const audio = await spoken({ text, voice: 'rms' });
    const [pid = 0] = recogniserPids();
    const soFar: Recognition[] = [];
    /** Waits for a partial after this many finals. */
    const partialOf = async (part: number) => {
      const isThere = () => finals(soFar).length === part && soFar.at(-1)?.kind === 'partial';
      await until(isThere, { what: `a partial of part ${part}` });
    };
    async function* dying(): AsyncGenerator<SpeechPiece, undefined> {
      const stops = [
        async () => {
          await partialOf(0);
          process.kill(pid, 'SIGINT');
          process.kill(pid, 'SIGTERM');
        },
        async () => {
          // One part is concluded, and the next is in progress.
          await partialOf(1);
          expect(recogniserPids()).toEqual([pid]);
          process.kill(pid, 'SIGKILL');
        },
      ];
      const timesMs = [2_000, lengthMs(audio) - 2_500];
      for await (const piece of asSpeech(audio)) {
        if (piece.kind === 'samples' && piece.startMs >= (timesMs[0] ?? Infinity)) {
          timesMs.shift();
          await stops.shift()?.();
        }
        yield piece;
      }
    }
    const onRecognition = (each: Recognition) => void soFar.push(each);
    const parts = finals(await heard(engine, dying(), { onRecognition }));
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect(wordsOf(transcript(parts)), transcript(parts)).toEqual(wordsOf(text));
    // It is one sentence: a capital at its beginning, a full stop at its end.
    expect(transcript(parts)).toMatch(/^The [^.A-Z]*\.$/);
    parts.reduce((beforeMs, { startMs, endMs }) => {
      expect(startMs).toBeGreaterThanOrEqual(beforeMs);
      expect(endMs - startMs).toBeLessThan(13_000);
      return endMs;
    }, 0);
  });
});

/** Returns what is recognised in audio that arrives at the pace of speech through the voice path. */
async function listened(audio: Uint8Array): Promise<Recognition[]> {
  const paced = createHearingClock().pace(audio, 3_200, 32);
  async function* speech(): AsyncGenerator<SpeechPiece> {
    for await (const piece of listen(paced, { silenceMs: 600, longestMs: 15_000 })) {
      if (piece.kind !== 'silence') yield piece;
    }
  }
  return await heard(engine, speech());
}

/** Returns the words without punctuation, which may differ between hypotheses. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

describe('live speech', () => {
  test('is shown while it is spoken, with hardly any retraction, and its words have ascending times', async () => {
    const text = HOUSE;
    const all = await listened(await spoken({ text, voice: 'rms' }));
    expect(wordErrorRate(text, transcript(all)), transcript(all)).toBeLessThanOrEqual(0.1);
    const shown = all.map((each) =>
      wordsOf(each.kind === 'partial' ? (each.agreed ?? '') : each.text),
    );
    const takenBack = shown.map((now, index) => {
      const before = shown[index - 1] ?? [];
      const kept = before.findIndex((word, place) => word !== now[place]);
      return kept === -1 ? 0 : before.length - kept;
    });
    const count = text.split(' ').length;
    expect(
      takenBack.reduce((sum, each) => sum + each, 0),
      JSON.stringify(all),
    ).toBeLessThanOrEqual(0.1 * count);
    // Most words come before the end of the utterance.
    expect(shown.at(-2)?.length).toBeGreaterThan(0.6 * count);
    const [final] = finals(all);
    expect(final?.words.map((word) => word.text).join(' ')).toBe(final?.text);
    final?.words.reduce((beforeMs, { startMs, endMs }) => {
      expect(startMs).toBeGreaterThanOrEqual(beforeMs);
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      return endMs;
    }, 0);
  });

  const clips = recordedClips() ?? [];
  it.skipIf(clips.length === 0)('is recognised in recordings of people', async () => {
    const clip = (name: string) =>
      clips.find((each) => each.name === name)?.audio ?? Buffer.alloc(0);
    const address = transcript(await listened(clip('jfk.wav')));
    const reference = `${AMERICANS} ask what you can do for your country`;
    expect(wordErrorRate(reference, address), address).toBe(0);
    const digits = transcript(await listened(clip('digits.wav')));
    expect(inDigits(digits), digits).toBe('100019021001803');
  });
});

function inDigits(text: string): string {
  const names = 'zero one two three four five six seven eight nine'.split(' ');
  return text
    .toLowerCase()
    .replaceAll(/\boh?\b/g, '0')
    .replaceAll(/[a-z]+/g, (word) => `${names.indexOf(word)}`)
    .replaceAll(/[^\d-]|-(?!1)/g, '');
}

describe('spoken terms', () => {
  const spokenTerms = ['Zorbatex', 'Velmora', 'Acme Turbo Drive', 'Jovarine', '…', '漢字'];

  test('are recognised as they are written, only if requested', async () => {
    const text = 'we sell the acme turbo drive in our shop';
    const audio = await spoken({ text, voice: 'rms' });
    const [without, told] = await Promise.all([
      heard(engine, asSpeech(audio)),
      heard(engine, asSpeech(audio), { spokenTerms }),
    ]);
    expect(transcript(without)).not.toMatch(/Zorbatex|Velmora|Acme Turbo Drive|Jovarine/);
    expect(transcript(told)).toContain('Acme Turbo Drive');
    expect(wordErrorRate(text, transcript(told)), transcript(told)).toBe(0);
  });
});

test('the process ends when it has lost its parent', async () => {
  const process = processesOfFile.at(-1)!;
  process.stdin.end();
  await until(() => !isAlive(process.pid!), { what: 'the end of the process' });
  // Otherwise another one would be started for the next speaker.
  await engine.close();
});

describe('an incomplete model', () => {
  /** Damages a copy of the model and returns the reason that the engine reports. */
  async function reason(
    damage: (file: (name: string) => string, folder: string) => void,
    { sumsKnown = false } = {},
  ): Promise<string> {
    const { folder, name } = await moonshineModel();
    const copy = path.join(temporaryFolder(), name);
    cpSync(folder, copy, { recursive: true });
    const file = (own: string) => path.join(copy, own);
    const description = file('dragoman-model.json');
    const described = JSON.parse(readFileSync(description, 'utf8')) as { sums?: object };
    if (!sumsKnown) delete described.sums;
    writeFileSync(description, JSON.stringify(described));
    damage(file, copy);
    const { models, unusable } = await findModels(path.dirname(copy));
    if (unusable[0] !== undefined) return unusable[0].reason;
    const [created] = await createMoonshineRecognisers({ models, log: recordLog() });
    if (created === undefined || 'reason' in created) return created?.reason ?? 'none: no model';
    await created.close();
    return 'none: it runs';
  }
  const command = /npm run dragoman -- models remove moonshine-tiny-en/;

  test.each([
    [
      'is damaged',
      /moonshine-tiny-en cannot be used/,
      (file: (name: string) => string) => truncateSync(file('encoder.onnx'), 1_000_000),
    ],
    [
      'has no tokens',
      /list of tokens is empty/,
      (file: (name: string) => string) => writeFileSync(file('tokens.txt'), ''),
    ],
    [
      'has a decoder of another kind',
      /decoder is of another kind/,
      (file: (name: string) => string) => cpSync(file('encoder.onnx'), file('decoder.onnx')),
    ],
    [
      'has the tokens of another model',
      /tokens are those of another model/,
      (file: (name: string) => string) => {
        const lines = readFileSync(file('tokens.txt'), 'utf8').split('\n');
        writeFileSync(file('tokens.txt'), lines.slice(0, 30_000).join('\n'));
      },
    ],
  ])('is reported when it %s, and leaves no process', async (_, told, damage) => {
    const before = recogniserPids();
    const text = await reason(damage);
    expect(text).toMatch(told);
    expect(text).toMatch(command);
    expect(recogniserPids()).toEqual(before);
  });

  test('is reported with the name of the missing or shortened file', async () => {
    expect(await reason((file) => rmSync(file('decoder.onnx')))).toMatch(/decoder/);
    const shorter = (file: (name: string) => string) => truncateSync(file('encoder.onnx'), 1_000);
    expect(await reason(shorter, { sumsKnown: true })).toMatch(/encoder\.onnx/);
  });
});
