/**
 * Overview of all servers of a cluster: which servers exist and, only while a console user is watching,
 * the sessions of each.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { LiveVoiceSession } from '../../../shared/schemas/console.ts';
import type { Broker } from '../../broker/index.ts';
import { ALL_SESSIONS } from './session-seats.ts';

/** A session and the account that may see it; null for the demo page, visible to operators. */
export interface ShownSession {
  accountId: string | null;
  session: LiveVoiceSession;
}

/** Sessions and recogniser load of one server. */
export interface ServerOverview {
  sessions: ShownSession[];
  hearing: Hearing;
}

export interface ClusterOverview {
  /** Returns the overviews of the other servers; those that do not answer within a moment are left out. */
  others(): Promise<ServerOverview[]>;
  /** Last known number of servers. */
  readonly serverCount: number;
  /** Last known number of voice sessions on all servers. */
  readonly sessionCount: number;
  stop(): void;
}

/** Time after which a dead server is no longer listed, in ms. */
const PRESENT_MS = 10_000;
const PRESENT_EVERY_MS = 3_000;
/** How long a server publishes its overview, how often, and how long each copy lasts, in ms. */
const SHOWN_MS = 15_000;
const SHOW_EVERY_MS = 1_000;
const SHOWN_FOR_MS = 4_000;
/** How long the first request waits for other servers, and how often it checks for their overviews, in ms. */
const PATIENCE_MS = 500;
const LOOK_EVERY_MS = 20;

const SERVERS = 'servers';
const LOOKS = 'looks at sessions';
const overviewOf = (node: string): string => `overview ${node}`;

/** Registers this server in the cluster and tracks which others exist. */
function createPresence({ node, seats }: Pick<Broker, 'node' | 'seats'>) {
  const presence = {
    servers: [node],
    sessionCount: 0,
    async renew(): Promise<void> {
      const seat = { names: [SERVERS], member: node, ttlMs: PRESENT_MS };
      try {
        await seats.keep(seat);
        const [servers, sessions] = await Promise.all(
          [SERVERS, ALL_SESSIONS].map((name) => seats.members(name)),
        );
        presence.servers = servers ?? [node];
        presence.sessionCount = sessions?.length ?? 0;
      } catch {
        // While the broker is unreachable, the last known values stand.
      }
    },
    stop(): void {
      clearInterval(renewing);
      seats.leave({ names: [SERVERS], member: node }).catch(() => undefined);
    },
  };
  const renewing = setInterval(() => void presence.renew(), PRESENT_EVERY_MS).unref();
  void presence.renew();
  return presence;
}

/** @param show returns the overview of this server */
export function createClusterOverview(
  broker: Pick<Broker, 'node' | 'seats' | 'records' | 'announcements'>,
  show: () => ServerOverview,
): ClusterOverview {
  const { node, records, announcements } = broker;
  const presence = createPresence(broker);
  let shownUntilMs = -Infinity;
  let showing: NodeJS.Timeout | undefined;

  function showNow(): void {
    if (performance.now() > shownUntilMs) {
      clearInterval(showing);
      showing = undefined;
      return;
    }
    const shown = JSON.stringify(show());
    records.write(overviewOf(node), shown, { ttlMs: SHOWN_FOR_MS }).catch(() => undefined);
  }

  const stopListening = announcements.listen(LOOKS, () => {
    shownUntilMs = performance.now() + SHOWN_MS;
    showing ??= setInterval(showNow, SHOW_EVERY_MS).unref();
    showNow();
  });

  async function look(): Promise<ServerOverview[]> {
    const others = presence.servers.filter((each) => each !== node);
    const found = await Promise.all(others.map((each) => records.read(overviewOf(each))));
    return found.flatMap((each) =>
      each === undefined ? [] : [JSON.parse(each.value.toString()) as ServerOverview],
    );
  }

  return {
    get serverCount() {
      return presence.servers.length;
    },
    get sessionCount() {
      return presence.sessionCount;
    },
    async others() {
      try {
        await presence.renew();
        const wanted = presence.servers.length - 1;
        let found = await look();
        announcements.tell(LOOKS, '').catch(() => undefined);
        const giveUpAtMs = performance.now() + PATIENCE_MS;
        while (found.length < wanted && performance.now() < giveUpAtMs) {
          await delay(LOOK_EVERY_MS);
          found = await look();
        }
        return found;
      } catch {
        // While the broker is unreachable, no other servers are shown.
        return [];
      }
    },
    stop() {
      presence.stop();
      clearInterval(showing);
      stopListening();
      records.remove(overviewOf(node)).catch(() => undefined);
    },
  };
}
