/**
 * Voice sessions of all servers, as the console shows and ends them. Servers that share a broker publish
 * their sessions there only while a console user is watching.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { LiveVoiceSession, LiveVoiceSessionList } from '../../../shared/schemas/console.ts';
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { Broker } from '../../broker/index.ts';
import type { RunningSession } from './running-session.ts';
import { ALL_SESSIONS } from './session-seats.ts';
import type { VoiceSessions } from './voice-sessions.ts';

/** The console user who views the sessions. */
export interface Onlooker {
  accountId: string;
  /** Whether the sessions of the demo page are included. */
  isOperator: boolean;
}

export interface LiveOverview {
  /** Oldest first. */
  list(onlooker: Onlooker): Promise<LiveVoiceSessionList>;
  /** Ends a session and tells its client the reason. @throws ServiceError not_found, broker_unavailable */
  end(onlooker: Onlooker, sessionId: string): Promise<void>;
}

/** Returns the sessions and recogniser load of this server. */
export function overviewOf(voiceSessions: Pick<VoiceSessions, 'list' | 'hearing'>): ServerOverview {
  const sessions = voiceSessions.list().map((session) => ({
    accountId: session.origin.key?.accountId ?? null,
    session: described(session),
  }));
  return { sessions, hearing: voiceSessions.hearing };
}

/** @param cluster undefined for a single server */
export function createLiveOverview(
  voiceSessions: Pick<VoiceSessions, 'list' | 'end' | 'accountOf' | 'hearing'>,
  cluster?: Pick<ClusterOverview, 'others'>,
): LiveOverview {
  const shown = async (): Promise<ServerOverview[]> => [
    overviewOf(voiceSessions),
    ...((await cluster?.others()) ?? []),
  ];
  return {
    async list(onlooker) {
      const servers = await shown();
      const sessions = visibleTo(onlooker, servers).map(({ session }) => session);
      // Both servers may show a session during a hand-over.
      const each = new Map(sessions.map((session) => [session.session_id, session]));
      const oldestFirst = [...each.values()].sort((a, b) => (a.opened_at < b.opened_at ? -1 : 1));
      return {
        sessions: cluster === undefined ? sessions : oldestFirst,
        ...(onlooker.isOperator && { hearing: together(servers) }),
      };
    },
    async end(onlooker, sessionId) {
      const isIn = (servers: ServerOverview[]) =>
        visibleTo(onlooker, servers).some(({ session }) => session.session_id === sessionId);
      const isShown = isIn([overviewOf(voiceSessions)]) || isIn(await shown());
      // No server shows the session of a dead server; it waits at the broker for its client.
      const isThere = isShown || isOf(onlooker, await voiceSessions.accountOf(sessionId));
      if (!isThere) throw new ServiceError('not_found', 'There is no voice session with this id.');
      await voiceSessions.end(sessionId);
    },
  };
}

function visibleTo(onlooker: Onlooker, servers: readonly ServerOverview[]): ShownSession[] {
  return servers
    .flatMap(({ sessions }) => sessions)
    .filter(({ accountId }) => isOf(onlooker, accountId));
}

/** @param accountId account of a session; null for the demo page */
function isOf(onlooker: Onlooker, accountId: string | null | undefined): boolean {
  return accountId === null ? onlooker.isOperator : accountId === onlooker.accountId;
}

/** Combines the load of all servers, which are taken to be equally large. */
function together(servers: readonly ServerOverview[]): Hearing {
  const hearing = servers.map((server) => server.hearing);
  const load = hearing.reduce((sum, each) => sum + each.load, 0) / hearing.length;
  return {
    takes_sessions: hearing.some((each) => each.takes_sessions),
    load: Math.round(100 * load) / 100,
    late_sessions: hearing.reduce((sum, each) => sum + each.late_sessions, 0),
  };
}

function described({ id, origin, condition }: RunningSession): LiveVoiceSession {
  const { key, openedAtMs, sourceLanguage = null } = origin;
  const { isConnected, targetLanguages, receivedMs, lagMs, words } = condition;
  return {
    session_id: id,
    opened_at: new Date(openedAtMs).toISOString(),
    state: isConnected ? 'connected' : 'waiting',
    source_language: sourceLanguage,
    target_languages: [...targetLanguages],
    audio_ms: Math.round(receivedMs),
    lag_ms: Math.round(lagMs),
    erasure: { source: erasure(words.source), target: erasure(words.target) },
    origin: key === undefined ? 'demo' : 'api',
    key_label: key?.label ?? null,
    key_masked: key?.masked ?? null,
  };
}

function erasure({ deleted, final }: { deleted: number; final: number }): number | null {
  return final === 0 ? null : Math.round((deleted / final) * 1000) / 1000;
}

// What the servers of a cluster know of each other.

/** A session and the account that may see it; null for the demo page, visible to operators. */
interface ShownSession {
  accountId: string | null;
  session: LiveVoiceSession;
}

/** Sessions and recogniser load of one server. */
interface ServerOverview {
  sessions: ShownSession[];
  hearing: Hearing;
}

interface ClusterOverview {
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
const recordOf = (node: string): string => `overview ${node}`;

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
    records.write(recordOf(node), shown, { ttlMs: SHOWN_FOR_MS }).catch(() => undefined);
  }

  const stopListening = announcements.listen(LOOKS, () => {
    shownUntilMs = performance.now() + SHOWN_MS;
    showing ??= setInterval(showNow, SHOW_EVERY_MS).unref();
    showNow();
  });

  async function look(): Promise<ServerOverview[]> {
    const others = presence.servers.filter((each) => each !== node);
    const found = await Promise.all(others.map((each) => records.read(recordOf(each))));
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
      records.remove(recordOf(node)).catch(() => undefined);
    },
  };
}
