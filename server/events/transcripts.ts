/** Writes the transcript of a room as a file. */
import { once } from 'node:events';
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

/** Media types of the formats, without parameters. */
export const transcriptTypes = Object.values(contentTypes).map(
  (type) => type.split(';', 1)[0] ?? type,
);

export interface TranscriptFile {
  contentType: string;
  content: string | Buffer;
}

/** Data that starts the worker thread; captions follow, page by page. */
export interface TranscriptWish {
  format: TranscriptFormat;
  /** Name of the room. */
  title: string;
}

/** Files written at a time, each in a thread of its own: a day of speech takes a second. */
const AT_ONCE = 2;

const places = new FairPlaces(AT_ONCE);

/** @param captions in order, including those replaced by later ones */
export async function writeTranscript(
  captions: AsyncIterable<readonly Caption[]>,
  { roomId, ...wish }: TranscriptWish & { roomId: string },
): Promise<TranscriptFile> {
  return places.hold({ account: roomId }, async () => {
    const writer = startWorker(import.meta.url, './transcript-worker', { workerData: wish });
    try {
      const written = once(writer, 'message') as Promise<[string | Uint8Array]>;
      written.catch(() => undefined);
      for await (const page of captions) writer.postMessage(page);
      writer.postMessage('write');
      const [content] = await written;
      const contentType = contentTypes[wish.format];
      return { contentType, content: typeof content === 'string' ? content : Buffer.from(content) };
    } finally {
      await writer.terminate();
    }
  });
}
