/** What servers tell one another of the database, and look up where they may not have heard it. */
import type { Logger } from '../process/log.ts';
import type { Broker } from './broker.ts';

/** How often it is looked up anyway, and after which once more where that has failed, in ms. */
const LOOK_EVERY_MS = 60_000;
const AGAIN_MS = 2_000;

export interface NewsOptions {
  broker: Pick<Broker, 'announcements' | 'onBack'>;
  topic: string;
  /** Where it fails, all is looked up. */
  onNews: (message: string) => void | Promise<void>;
  /** Finds what may not have been heard; may be called any number of times, one at a time. */
  lookUp: () => Promise<void>;
  log: Logger;
}

/**
 * Hears news, and looks up what they would have told: where some were missed or could not be used, when
 * the broker is back, and every minute.
 *
 * @returns stops
 */
export function followNews({ broker, topic, onNews, lookUp, log }: NewsOptions): () => void {
  let again: NodeJS.Timeout | undefined;
  let isLooking = false;
  let mustLook = false;
  const fail = (error: unknown) => {
    log.error({ topic, err: error }, 'what other servers have changed is not known yet');
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
