/** Lines of rooms as audio: spoken when the first listener asks, once for all of them. */
import { ServiceError } from '../../shared/errors.ts';
import { parseTargetMediaType } from '../../shared/target-media-type.ts';
import { FairPlaces } from '../process/concurrency.ts';
import type { SpeakLine } from '../voice/index.ts';
import type { Caption } from './caption-log.ts';

/** What browsers play: Opus most of them, FLAC all. */
export const spokenFormats = {
  webm: 'audio/webm;codecs=opus',
  flac: 'audio/flac',
} as const;
export type SpokenFormat = keyof typeof spokenFormats;

/** Memory for clips, the oldest go first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Lines that are spoken at a time: recognisers need the machine more. */
const AT_ONCE = 2;
const LONGEST_MS = 60_000;

export interface SpokenLines {
  /** Languages of a list that there is a voice for. */
  languages(of: readonly string[]): string[];
  /** Whether a line was spoken, or is about to be. */
  has(roomId: string, caption: Caption, format: SpokenFormat): boolean;
  /** What was said in a room is deleted, or the lines of it that ended before a moment, ms since the epoch. */
  forget(roomId: string, beforeMs?: number): void;
  /**
   * A whole file.
   *
   * @throws ServiceError invalid_request where there is no voice, synthesis_failed
   */
  speak(roomId: string, caption: Caption, format: SpokenFormat): Promise<Buffer>;
}

export function createSpokenLines({
  speakLine,
  canSpeak,
}: {
  speakLine: SpeakLine;
  canSpeak: (language: string) => boolean;
}): SpokenLines {
  const clips = new Map<string, { endMs: number; bytes: number; clip: Promise<Buffer> }>();
  const places = new FairPlaces(AT_ONCE);
  let totalBytes = 0;

  function drop(name: string): void {
    totalBytes -= clips.get(name)?.bytes ?? 0;
    clips.delete(name);
  }

  function forgetOldest(): void {
    for (const [name, { bytes }] of clips) {
      if (totalBytes <= MAX_BYTES) return;
      // One that is being made is not counted yet.
      if (bytes === 0) continue;
      drop(name);
    }
  }

  async function make(roomId: string, caption: Caption, format: SpokenFormat): Promise<Buffer> {
    const mediaFormat = parseTargetMediaType(spokenFormats[format]);
    if (mediaFormat === undefined) throw new TypeError(`${format} is no format of speech.`);
    const { text, language } = caption;
    const signal = AbortSignal.timeout(LONGEST_MS);
    return places.hold({ account: roomId }, () =>
      speakLine({ text, language, format: mediaFormat, signal }),
    );
  }

  return {
    languages: (of) => of.filter(canSpeak),
    forget(roomId, beforeMs = Infinity) {
      for (const [name, { endMs }] of clips) {
        if (endMs < beforeMs && name.startsWith(`${roomId} `)) drop(name);
      }
    },
    has: (...wish) => clips.has(nameOf(...wish)),
    speak(roomId, caption, format) {
      if (!canSpeak(caption.language)) {
        throw new ServiceError('invalid_request', `No voice speaks ${caption.language} here.`);
      }
      const name = nameOf(roomId, caption, format);
      const made = clips.get(name);
      if (made !== undefined) return made.clip;
      const entry = { endMs: caption.endMs, bytes: 0, clip: make(roomId, caption, format) };
      clips.set(name, entry);
      entry.clip.then(
        (clip) => {
          if (clips.get(name) !== entry) return;
          entry.bytes = clip.length;
          totalBytes += clip.length;
          forgetOldest();
        },
        () => clips.delete(name),
      );
      return entry.clip;
    },
  };
}

function nameOf(roomId: string, { language, sequence }: Caption, format: SpokenFormat): string {
  return `${roomId} ${language} ${sequence} ${format}`;
}
