/** Live rooms for tests that control the speech, the readers and the translator. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Caption, CaptionLog, CaptionTrack } from '../../server/events/caption-log.ts';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import { LiveRoom } from '../../server/events/live-room.ts';
import { FanOut } from '../../server/events/reading/fan-out.ts';
import type { RoomWishes } from '../../server/events/store.ts';
import type { CaptionUpdate, TranslateText } from '../../server/voice/index.ts';
import { ServiceError } from '../../shared/errors.ts';
import { recordLog } from '../support/product/log-record.ts';
import { openPlatform, type Platform } from '../support/product/platform.ts';
import { scriptedReader, type ScriptedReader } from './reading/scripted-reader.ts';
import { sampleRoom, sampleWishes } from './room-samples.ts';

const opened = { platform: undefined as Platform | undefined };
/** Opens a database for the tests of a file. */
export function platformOfThisFile(): () => Platform {
  beforeAll(async () => void (opened.platform = await openPlatform()));
  afterAll(() => opened.platform?.close());
  return platformNow;
}
export function platformNow(): Platform {
  if (opened.platform === undefined) throw new Error('Call platformOfThisFile() first.');
  return opened.platform;
}

/** A translator that answers once it is released. */
export function scriptedTranslator() {
  const asked: string[] = [];
  const script = { hold: Promise.resolve(), isDown: false };
  const translateText: TranslateText = async (text, { target, signal }) => {
    asked.push(`${target}: ${text}`);
    await script.hold;
    signal.throwIfAborted();
    if (script.isDown) throw new ServiceError('engine_unavailable', 'It is down.');
    return `${target}(${text})`;
  };
  return { asked, script, translateText };
}

interface Given {
  wishes?: Partial<RoomWishes>;
  keepMs?: number;
  unreadMs?: number;
  /** How long one slice of a fan-out may take, in ms. */
  sliceMs?: number;
  now?: () => number;
}

export async function openRoom({
  wishes = {},
  keepMs = 3_600_000,
  unreadMs = 30_000,
  sliceMs = 1,
  now = Date.now,
}: Given = {}) {
  const { account, key } = await platformNow().newcomer();
  const room = sampleRoom(
    { accountId: account.accountId, keyId: key.keyId },
    {
      keepMs,
      wishes: { ...sampleWishes, always: [], replacements: [], hiddenWords: [], ...wishes },
    },
  );
  const store = platformNow().storage.rooms;
  await store.create(room, [], 10);
  const log = recordLog();
  const translator = scriptedTranslator();
  const open = () => {
    const captions = createCaptionLog({ store, log });
    const live = new LiveRoom({
      ...{ room, captions, log, unreadMs, now, fanOut: new FanOut({ sliceMs }) },
      translateText: translator.translateText,
      spokenLanguages: () => [],
    });
    return { captions, live };
  };
  // Opens the room again, as a restarted process would.
  return { room, log, ...open(), openAgain: open, ...translator };
}

export const say = (
  live: LiveRoom,
  text: string,
  given: { line?: number; language?: string } = {},
) =>
  live.say({
    ...{ text, language: 'en', startMs: Date.now(), endMs: Date.now(), author: 'machine' },
    ...given,
  });

/** All captions that a log has of a track. */
export async function wholeTranscript(log: CaptionLog, track: CaptionTrack): Promise<Caption[]> {
  const all: Caption[] = [];
  for await (const page of log.transcript(track)) all.push(...page);
  return all;
}

interface Lines {
  sequence?: number;
  replaces?: boolean;
  lines?: { line: number; text: string; by: string; language: string }[];
  tentative?: string;
}
export const messages = ({ received }: ScriptedReader) =>
  received.flatMap((message) => Object.values(message) as Lines[]);
/** The lines on a reader's screen. */
export function screen(reader: ScriptedReader): string[] {
  const shown = new Map<number, string>();
  for (const { replaces, lines } of messages(reader)) {
    if (replaces) shown.clear();
    for (const { line, text } of lines ?? []) {
      if (text === '') shown.delete(line);
      else shown.set(line, text);
    }
  }
  return [...shown].sort(([a], [b]) => a - b).map(([, text]) => text);
}
export const tentative = (reader: ScriptedReader) =>
  messages(reader).findLast((message) => message.tentative !== undefined)?.tentative;
export const shows = (reader: ScriptedReader, ...texts: string[]) =>
  expect.poll(() => screen(reader), { interval: 5 }).toEqual(texts);

export function join(
  live: LiveRoom,
  language = 'spoken',
  after?: number,
  given = {},
): ScriptedReader {
  const reader = scriptedReader(given);
  live.join(reader, language, after);
  return reader;
}

/** A session whose words are set by a test. */
export function speech(sessionId = 'session') {
  const waiting: CaptionUpdate[] = [];
  let wake = (): void => undefined;
  const state = {
    ended: undefined as string | undefined,
    ...{ receivedMs: 0, originMs: Date.now(), isMoved: false },
  };
  async function* captions(): AsyncGenerator<CaptionUpdate> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (state.ended !== undefined || state.isMoved) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  let startMs = 0;
  let lengthMs = 900;
  const segment = (text: string, language: string) => ({
    ...{ text, language, startMs },
    endMs: startMs + lengthMs,
  });
  const push = (concluded: string[], growing: string | undefined, language: string) => {
    waiting.push({
      ...{ concluded: [], tentative: [] },
      sentences: {
        concluded: concluded.map((text) => segment(text, language)),
        growing: growing === undefined ? undefined : segment(growing, language),
        isUnsure: false,
      },
    });
    wake();
  };
  return {
    state,
    speech: {
      sessionId,
      captions: captions(),
      originMs: () => state.originMs,
      receivedMs: () => state.receivedMs,
      isMoved: () => state.isMoved,
      end(reason: ServiceError) {
        state.ended ??= reason.code;
        wake();
      },
    },
    /** The session continues at another server. */
    moves(): void {
      state.isMoved = true;
      wake();
    },
    /** Sets the offset from the first sample, and the duration, of what is said from now on. */
    beginsAt: (ms: number, forMs = 900): void => {
      startMs = ms;
      lengthMs = forMs;
    },
    concludes: (text: string, language = 'en') => push([text], undefined, language),
    grows: (text: string, language = 'en') => push([], text, language),
  };
}
