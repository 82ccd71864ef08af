/** What was said in a room, as a file. */
import { once } from 'node:events';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TranscriptFormat } from '../../shared/schemas/rooms.ts';
import { FairPlaces } from '../process/concurrency.ts';
import { startWorker } from '../process/index.ts';
import type { Caption } from './caption-log.ts';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const contentTypes = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip',
  vtt: 'text/vtt; charset=utf-8',
  docx: WORD,
} as const satisfies Record<TranscriptFormat, string>;

/** What they are sent as, without parameters. */
export const transcriptTypes = Object.values(contentTypes).map(
  (type) => type.split(';', 1)[0] ?? type,
);

export interface TranscriptFile {
  contentType: string;
  content: string | Buffer;
}

/** What the thread that writes is started with; lines follow, and then nothing. */
export interface TranscriptWish {
  format: TranscriptFormat;
  /** The name of the room. */
  title: string;
}

/** Files that are written at a time, by threads of their own: a day of speech takes a second. */
const AT_ONCE = 2;
/** Lines that are handed over without letting anything else happen. */
const LINES_A_TURN = 250;

const places = new FairPlaces(AT_ONCE);

/** @param room whose turn it is among others */
export async function writeTranscript(
  lines: readonly Caption[],
  { room, ...wish }: TranscriptWish & { room: string },
): Promise<TranscriptFile> {
  return places.hold({ account: room }, async () => {
    const writer = startWorker(import.meta.url, './transcript-worker', { workerData: wish });
    try {
      const written = once(writer, 'message') as Promise<[string | Uint8Array]>;
      written.catch(() => undefined);
      for (let at = 0; at < lines.length; at += LINES_A_TURN) {
        writer.postMessage(lines.slice(at, at + LINES_A_TURN));
        await othersTurn();
      }
      writer.postMessage('write');
      const [content] = await written;
      const contentType = contentTypes[wish.format];
      return { contentType, content: typeof content === 'string' ? content : Buffer.from(content) };
    } finally {
      await writer.terminate();
    }
  });
}
