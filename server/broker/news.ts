/** News between servers about changes in the database, with look-ups wherever news may have been missed. */
import type { Logger } from '../process/log.ts';
import type { Broker } from './broker.ts';

/** Interval of unconditional look-ups, and delay before a failed one is retried, in ms. */
const LOOK_EVERY_MS = 60_000;
const AGAIN_MS = 2_000;

export interface NewsOptions {
  broker: Pick<Broker, 'announcements' | 'onBack'>;
  topic: string;
  /** Called with each message; if it fails, everything is looked up. */
  onNews: (message: string) => void | Promise<void>;
  /** Finds changes whose news may have been missed. It may be called any number of times, one at a time. */
  lookUp: () => Promise<void>;
  log: Logger;
}

/**
 * Follows a topic, and looks up changes when news was missed or could not be used, when the broker is back,
 * and every minute.
 *
 * @returns a function that stops
 */
export function followNews({ broker, topic, onNews, lookUp, log }: NewsOptions): () => void {
  let again: NodeJS.Timeout | undefined;
  let isLooking = false;
  let mustLook = false;
  const fail = (error: unknown) => {
    log.error({ topic, err: error }, 'changes made by other servers could not be read yet');
    clearTimeout(again);
    again = setTimeout(() => void look(), AGAIN_MS).unref();
  };
  const look = async () => {
    mustLook = true;
    if (isLooking) return;
    isLooking = true;
    while (mustLook) {
      mustLook = false;
      await lookUp().catch(fail);
    }
    isLooking = false;
  };
  const hear = async (message: string) => onNews(message);
  const lookNow = () => void look();
  const stops = [
    broker.announcements.listen(topic, (message) => hear(message).catch(fail), lookNow),
    broker.onBack(lookNow),
  ];
  const looking = setInterval(lookNow, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(looking);
    clearTimeout(again);
    for (const stop of stops) stop();
  };
}
