/**
 * Shares tentative texts with the nodes that follow a room. Texts are conflated: only the newest of each
 * track counts.
 */
import type { Broker } from '../../broker/index.ts';

/** Entries kept in the stream: a late reader skips to the last. */
const MAX_LENGTH = 4;
const TTL_MS = 10_000;

/** Text of each track, and the sequence of the caption that preceded it. */
type Texts = Record<string, [text: string, after: number]>;

export interface TentativeTexts {
  put(name: string, text: string): void;
  /** Tells the texts that other nodes put. @returns a function that stops following */
  follow(): () => void;
  drop(): Promise<void>;
}

export function createTentativeTexts({
  roomId,
  streams,
  fence,
  told,
  tell,
}: {
  roomId: string;
  streams: Broker['streams'];
  fence: () => { lease: string; epoch: number };
  /** Returns the sequence of the last caption of a track. */
  told: (name: string) => number;
  tell: (name: string, text: string) => void;
}): TentativeTexts {
  const stream = `room ${roomId} growing`;
  let waiting: Texts | undefined;
  let isSending = false;

  /** Sends one entry at a time: texts that arrive meanwhile go together, the newest of each track. */
  async function send(): Promise<void> {
    isSending = true;
    while (waiting !== undefined) {
      const texts = JSON.stringify(waiting);
      waiting = undefined;
      await streams
        .append(stream, texts, { maxLength: MAX_LENGTH, ttlMs: TTL_MS, fence: fence() })
        // The next text replaces it.
        .catch(() => undefined);
    }
    isSending = false;
  }

  return {
    put(name, text) {
      waiting = { ...waiting, [name]: [text, told(name)] };
      if (!isSending) void send();
    },
    follow: () =>
      streams.follow(stream, 'end', ({ bytes }) => {
        for (const [name, [text, after]] of Object.entries(JSON.parse(bytes.toString()) as Texts)) {
          // Text from before the last caption is not being spoken any more.
          if (after >= told(name)) tell(name, text);
        }
      }),
    drop: () => streams.drop(stream),
  };
}
