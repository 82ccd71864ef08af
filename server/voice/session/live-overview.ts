/** The voice sessions of this process as their account may see and end them. */
import { ServiceError } from '../../../shared/errors.ts';
import type { LiveVoiceSession, LiveVoiceSessionList } from '../../../shared/schemas/console.ts';
import type { RunningSession } from './running-session.ts';
import type { VoiceSessions } from './voice-sessions.ts';

/** Who looks. */
export interface Onlooker {
  accountId: string;
  /** Whether the demo page's sessions are shown as well. */
  isOperator: boolean;
}

export interface LiveOverview {
  /** Oldest first. */
  list(onlooker: Onlooker): LiveVoiceSessionList;
  /** Ends a session at once; its client gets the reason. @throws ServiceError not_found */
  end(onlooker: Onlooker, sessionId: string): void;
}

export function createLiveOverview(
  voiceSessions: Pick<VoiceSessions, 'list' | 'end' | 'hearing'>,
): LiveOverview {
  const visible = ({ accountId, isOperator }: Onlooker) =>
    voiceSessions
      .list()
      .filter(({ origin: { key } }) =>
        key === undefined ? isOperator : key.accountId === accountId,
      );
  return {
    list: (onlooker) => ({
      sessions: visible(onlooker).map(described),
      ...(onlooker.isOperator && { hearing: voiceSessions.hearing }),
    }),
    end(onlooker, sessionId) {
      const isThere = visible(onlooker).some(({ id }) => id === sessionId);
      if (!isThere) throw new ServiceError('not_found', 'There is no voice session with this id.');
      voiceSessions.end(sessionId);
    },
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
