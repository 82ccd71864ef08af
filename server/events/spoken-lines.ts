/**
 * Synthesises lines of rooms. A line is spoken when the first listener asks for it, once for all listeners.
 */
import { ServiceError } from '../../shared/errors.ts';
import { parseTargetMediaType } from '../../shared/target-media-type.ts';
import { FairPlaces } from '../process/concurrency.ts';
import type { SpeakLine } from '../voice/index.ts';
import type { Caption } from './caption-log.ts';

/** Formats that browsers play: most play Opus, all play FLAC. */
export const spokenFormats = {
  webm: 'audio/webm;codecs=opus',
  flac: 'audio/flac',
} as const;
export type SpokenFormat = keyof typeof spokenFormats;

/** Memory limit of the clip cache, in bytes; the oldest clips are dropped first. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Lines synthesised at a time: recognisers need the machine more. */
const AT_ONCE = 2;
const LONGEST_MS = 60_000;

/** Request of one node to the home to synthesise a line. */
export interface ClipWish {
  caption: Caption;
  format: SpokenFormat;
}

export interface SpokenLines {
  /** Returns those of the languages that have a voice. */
  languages(of: readonly string[]): string[];
  /** Whether a line was synthesised, or is being. */
  has(roomId: string, caption: Caption, format: SpokenFormat): boolean;
  /** Drops the clips of a room, or of lines that ended before a moment in ms since the epoch. */
  forget(roomId: string, beforeMs?: number): void;
  /**
   * Returns a line as a whole audio file.
   *
   * @param elsewhere has another process synthesise the line, which answers as `speakFor` does
   * @throws ServiceError invalid_request if the language has no voice, synthesis_failed
   */
  speak(
    roomId: string,
    caption: Caption,
    format: SpokenFormat,
    elsewhere?: (wish: ClipWish) => Promise<unknown>,
  ): Promise<Buffer>;
  /** Synthesises a line for another process. */
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

/** Creates the clip cache, limited in bytes; the oldest clips are dropped first. */
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
      // A clip still being made is not counted yet.
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
