/** What API keys do that are not let in any more is ended, at all servers. */
import type { Broker } from '../broker/index.ts';
import { followNews } from '../broker/news.ts';
import type { Logger } from '../process/log.ts';
import type { ApiKeyStore } from './api-keys-store.ts';

/** What servers tell each other these keys by. */
const TOPIC = 'deactivated keys';

export interface DeactivatedKeys {
  /** A key has been deactivated here. */
  tell: (keyId: string) => void;
  stop(): void;
}

/**
 * Ends what such keys do, at once where servers can be told, else when they are back or within a minute.
 *
 * @param options.keysInUse ids of keys for which something goes on here
 * @param options.onDeactivated ends it; may be called more than once
 */
export function watchDeactivatedKeys({
  apiKeys,
  broker,
  keysInUse,
  onDeactivated,
  log,
}: {
  apiKeys: Pick<ApiKeyStore, 'deactivatedAmong'>;
  broker: Pick<Broker, 'announcements' | 'onBack'>;
  keysInUse: () => string[];
  onDeactivated: (keyId: string) => void;
  log: Logger;
}): DeactivatedKeys {
  const { announcements } = broker;
  /** Those in use that were found before: rooms go on, and hear it once. */
  let known: ReadonlySet<string> = new Set();
  const check = async (): Promise<void> => {
    const inUse = [...new Set(keysInUse())];
    const found = inUse.length === 0 ? [] : await apiKeys.deactivatedAmong(inUse);
    for (const keyId of found) if (!known.has(keyId)) onDeactivated(keyId);
    known = new Set(found);
  };
  const stop = followNews({ broker, topic: TOPIC, onNews: onDeactivated, lookUp: check, log });
  return {
    tell(keyId) {
      // Here at once, and once more with the others.
      onDeactivated(keyId);
      announcements.tell(TOPIC, keyId).catch((error: unknown) => {
        log.warn({ keyId, err: error }, 'other servers learn late that a key was deactivated');
      });
    },
    stop,
  };
}
