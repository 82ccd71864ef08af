/** The voice sessions of all servers, as shown to the console and ended from there. */
import { ServiceError } from '../../../shared/errors.ts';
import type { LiveVoiceSession, LiveVoiceSessionList } from '../../../shared/schemas/console.ts';
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { ClusterOverview, ServerOverview, ShownSession } from './cluster-overview.ts';
import type { RunningSession } from './running-session.ts';
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
