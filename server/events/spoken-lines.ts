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

/** What one node asks of the one where lines are spoken. */
export interface ClipWish {
  caption: Caption;
  format: SpokenFormat;
}

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
   * @param elsewhere has it spoken by another process, which answers as `speakFor` does
   * @throws ServiceError invalid_request where there is no voice, synthesis_failed
   */
  speak(
    roomId: string,
    caption: Caption,
    format: SpokenFormat,
    elsewhere?: (wish: ClipWish) => Promise<unknown>,
  ): Promise<Buffer>;
  /** Speaks a line for another process. */
  speakFor(roomId: string, wish: ClipWish): Promise<{ clip: string }>;
}

export function createSpokenLines({
  speakLine,
  canSpeak,
}: {
  speakLine: SpeakLine;
  canSpeak: (language: string) => boolean;
}): SpokenLines {
  const clips = createClips();
  const places = new FairPlaces(AT_ONCE);

  async function make(roomId: string, { caption, format }: ClipWish): Promise<Buffer> {
    const mediaFormat = parseTargetMediaType(spokenFormats[format]);
    if (mediaFormat === undefined) throw new TypeError(`${format} is no format of speech.`);
    const { text, language } = caption;
    const signal = AbortSignal.timeout(LONGEST_MS);
    return places.hold({ account: roomId }, () =>
      speakLine({ text, language, format: mediaFormat, signal }),
    );
  }

  const lines: SpokenLines = {
    languages: (of) => of.filter(canSpeak),
    forget(roomId, beforeMs = Infinity) {
      clips.forget((name, endMs) => endMs < beforeMs && name.startsWith(`${roomId} `));
    },
    has: (...wish) => clips.find(nameOf(...wish)) !== undefined,
    speak(roomId, caption, format, elsewhere) {
      if (!canSpeak(caption.language)) {
        throw new ServiceError('invalid_request', `No voice speaks ${caption.language} here.`);
      }
      const name = nameOf(roomId, caption, format);
      const known = clips.find(name);
      if (known !== undefined) return known;
      const wish = { caption, format };
      const clip = elsewhere === undefined ? make(roomId, wish) : elsewhere(wish).then(clipOf);
      clips.add(name, { endMs: caption.endMs, clip });
      return clip;
    },
    speakFor: async (roomId, { caption, format }) => ({
      clip: (await lines.speak(roomId, caption, format)).toString('base64'),
    }),
  };
  return lines;
}

function clipOf(answer: unknown): Buffer {
  return Buffer.from((answer as { clip: string }).clip, 'base64');
}

/** Clips that were made, or are being made; there is room for so many, and the oldest go first. */
function createClips() {
  const clips = new Map<string, { endMs: number; bytes: number; clip: Promise<Buffer> }>();
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

  return {
    find: (name: string) => clips.get(name)?.clip,
    forget(which: (name: string, endMs: number) => boolean) {
      for (const [name, { endMs }] of clips) if (which(name, endMs)) drop(name);
    },
    add(name: string, made: { endMs: number; clip: Promise<Buffer> }) {
      const entry = { ...made, bytes: 0 };
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
    },
  };
}

function nameOf(roomId: string, { language, sequence }: Caption, format: SpokenFormat): string {
  return `${roomId} ${language} ${sequence} ${format}`;
}
