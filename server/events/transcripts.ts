/** What was said in a room, as a file. */
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

/** What they are sent as, without parameters. */
export const transcriptTypes = Object.values(contentTypes).map(
  (type) => type.split(';', 1)[0] ?? type,
);

export interface TranscriptFile {
  contentType: string;
  content: string | Buffer;
}

/** What the thread that writes is started with; captions follow, page by page. */
export interface TranscriptWish {
  format: TranscriptFormat;
  /** The name of the room. */
  title: string;
}

/** Files that are written at a time, by threads of their own: a day of speech takes a second. */
const AT_ONCE = 2;

const places = new FairPlaces(AT_ONCE);

/** @param captions in their order, also those that others have taken the place of */
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
