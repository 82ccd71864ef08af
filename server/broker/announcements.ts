/** Announcements to all nodes, over the streams of either broker. */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import type { Announcements, Streams } from './broker.ts';

/** What a node that was cut off can still receive: number of messages per topic, and their lifetime in ms. */
const MAX_LENGTH = 1_000;
const TTL_MS = 2 * 60_000;

/** How long a message is retried while the broker is unreachable, and how often, in ms. */
const REPEAT_MS = 60_000;
const REPEAT_EVERY_MS = 500;
/** Maximum number of messages waiting for the broker; further ones are refused. */
const MAX_WAITING = 1_000;

/** Creates the announcements of one node. */
export function createAnnouncements(
  streams: Pick<Streams, 'append' | 'follow'>,
  { node, log }: { node: string; log: Logger },
): Announcements & { stop(): void } {
  const stopped = new AbortController();
  let told = 0;
  let waiting = 0;
  /**
   * Tail of the send queue. Messages go one at a time: if numbers overtook one another, the earlier message
   * would be taken for a repeated one.
   */
  let last: Promise<unknown> = Promise.resolve();

  async function append(topic: string, message: string): Promise<void> {
    const by = { appender: node, number: (told += 1) };
    const giveUpAtMs = performance.now() + REPEAT_MS;
    for (;;) {
      try {
        await streams.append(streamOf(topic), message, {
          ...{ by, maxLength: MAX_LENGTH, ttlMs: TTL_MS },
        });
        return;
      } catch (error) {
        const isAway = error instanceof ServiceError && error.code === 'broker_unavailable';
        if (!isAway || stopped.signal.aborted || performance.now() > giveUpAtMs) throw error;
        await pause(REPEAT_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  return {
    tell(topic, message) {
      if (waiting >= MAX_WAITING) {
        const why =
          'Too many announcements to other servers are waiting. Please try again in a moment.';
        return Promise.reject(new ServiceError('broker_unavailable', why));
      }
      waiting += 1;
      const telling = last.then(() => append(topic, message)).finally(() => (waiting -= 1));
      last = telling.catch(() => undefined);
      return telling;
    },
    listen(topic, onMessage, onMissed) {
      let lastId: number | undefined;
      return streams.follow(streamOf(topic), 'end', ({ id, previous, bytes }) => {
        if (lastId !== undefined && previous !== lastId) {
          log.warn({ topic }, MISSED);
          onMissed?.();
        }
        lastId = id;
        return onMessage(bytes.toString());
      });
    },
    stop: () => stopped.abort(),
  };
}

const MISSED = 'announcements of other servers were missed';

function streamOf(topic: string): string {
  return `announcements ${topic}`;
}
