/** What is being said in a room and may still change, told to the nodes that follow: the newest is enough. */
import type { Broker } from '../../broker/index.ts';

/** Texts that are there to be read: whoever is late skips to the last. */
const MAX_LENGTH = 4;
const TTL_MS = 10_000;

/** Of each track its text, and after which sequence it was said. */
type Texts = Record<string, [text: string, after: number]>;

export interface TentativeTexts {
  put(name: string, text: string): void;
  /** Tells those that others put. @returns ends it */
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
  /** The sequence of the last caption of a track. */
  told: (name: string) => number;
  tell: (name: string, text: string) => void;
}): TentativeTexts {
  const stream = `room ${roomId} growing`;
  let waiting: Texts | undefined;
  let isSending = false;

  /** One at a time: what comes meanwhile goes together, the newest of each track. */
  async function send(): Promise<void> {
    isSending = true;
    while (waiting !== undefined) {
      const texts = JSON.stringify(waiting);
      waiting = undefined;
      await streams
        .append(stream, texts, { maxLength: MAX_LENGTH, ttlMs: TTL_MS, fence: fence() })
        // What is said next takes its place.
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
          // What was concluded meanwhile is not being said any more.
          if (after >= told(name)) tell(name, text);
        }
      }),
    drop: () => streams.drop(stream),
  };
}
