/**
 * Admission control: refuses a session when this machine cannot hear one more speaker in real time. The
 * cost of a speaker is measured while sessions run. Only recognisers on this machine count; remote ones
 * have limits of their own.
 */
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { HearingEffort, RecognitionEngine } from '../../engines/engine.ts';
import type { SessionCondition } from './session-measures.ts';

/** The part of a session that admission looks at. */
export interface HeardSession {
  /** The recogniser that is likeliest to hear the session. */
  recogniser: Pick<RecognitionEngine, 'name' | 'effort'>;
  /** Time since the session was opened, in ms. */
  ageMs: number;
  condition: Pick<SessionCondition, 'receivedMs' | 'lagMs' | 'quietMs'>;
}

export interface Admission {
  /** Returns false when one more session would be heard late, or when too many already are. */
  hasRoom(recogniser: HeardSession['recogniser'], sessions: readonly HeardSession[]): boolean;
  /** Describes how busy the recognisers are. A load above 1 means that their cost was underestimated. */
  describe(sessions: readonly HeardSession[]): Hearing;
}

export interface AdmissionOptions {
  /** Number of processors of this machine. */
  processors: number;
  /** Share of the processors that recognisers may use, 0 to 1; 0 turns admission control off. */
  share: number;
  /** Whether there are recognisers whose processes run or start. */
  canHear?: () => boolean;
}

/** How long a new session counts as speaking, in ms: its speaker is about to begin. */
const NEW_MS = 20_000;
/** How long a session counts as speaking after its last words, in ms; settled captions come in sentences. */
const SPEAKING_MS = 20_000;
/** Audio over which the cost of a speaker is measured, in ms. */
const MEASURED_MS = 20_000;
/** Least measured cost, as a share of the expected cost: silence is cheap and would mislead. */
const LEAST_OF_EXPECTED = 0.5;
/** Smoothing factor by which a cost falls with each measurement; it rises at once. */
const FALL = 0.2;
/** Lag above which captions are late, in ms. */
const LATE_MS = 2_000;
/** Share of speaking sessions that may be late before new sessions are refused. */
const LATE_SHARE = 0.25;

/** Cost of one speaker, per engine. */
interface Cost {
  /** Share of one processor. */
  share: number;
  /** Counters of the engine at the last measurement. */
  since: Pick<HearingEffort, 'audioMs' | 'processorMs'>;
}

export function createAdmission({
  processors,
  share,
  canHear = () => true,
}: AdmissionOptions): Admission {
  const costs = new Map<string, Cost>();

  /** Returns the share of one processor that a speaker takes; 0 for remote engines. */
  function costOf({ name, effort }: HeardSession['recogniser']): number {
    const now = effort?.();
    if (now === undefined) return 0;
    const cost = costs.get(name) ?? { share: now.expectedShare, since: now };
    const audioMs = now.audioMs - cost.since.audioMs;
    if (audioMs >= MEASURED_MS) {
      const measured = (now.processorMs - cost.since.processorMs) / audioMs;
      const least = LEAST_OF_EXPECTED * now.expectedShare;
      cost.share =
        measured > cost.share
          ? measured
          : Math.max(least, cost.share + FALL * (measured - cost.share));
      cost.since = now;
    }
    costs.set(name, cost);
    return cost.share;
  }

  function look(sessions: readonly HeardSession[]) {
    const speaking = sessions.filter(isSpeaking);
    const taken = speaking.reduce((sum, { recogniser }) => sum + costOf(recogniser), 0);
    const late = speaking.filter(isLate).length;
    return { speaking: speaking.length, taken, late, areLate: late > LATE_SHARE * speaking.length };
  }

  const most = processors * (share === 0 ? Infinity : share);
  return {
    hasRoom(recogniser, sessions) {
      const { speaking, taken, areLate } = look(sessions);
      const fits = taken + costOf(recogniser) <= most && !areLate;
      // Even the slowest machine must accept one speaker.
      return fits || share === 0 || speaking === 0 || recogniser.effort === undefined;
    },
    describe(sessions) {
      const { speaking, taken, late, areLate } = look(sessions);
      const another = speaking === 0 ? 0 : taken / speaking;
      const isFull = speaking > 0 && (areLate || taken + another > most);
      return {
        takes_sessions: (share === 0 || !isFull) && canHear(),
        load: Math.round((100 * taken) / (share === 0 ? processors : most)) / 100,
        late_sessions: late,
      };
    },
  };
}

/**
 * Whether a session takes up a recogniser on this machine. A client that is held back still counts: it
 * cannot send more.
 */
function isSpeaking({ recogniser, ageMs, condition }: HeardSession): boolean {
  const { quietMs, lagMs } = condition;
  const isHeard = ageMs < NEW_MS || quietMs < SPEAKING_MS || lagMs > LATE_MS;
  return recogniser.effort !== undefined && isHeard;
}

/**
 * Whether a session is heard late. A recording sent faster than real time always lags, so a session is
 * late only when recognition also trails the time since it was opened.
 */
function isLate({ ageMs, condition: { receivedMs, lagMs } }: HeardSession): boolean {
  return lagMs > LATE_MS && receivedMs - lagMs < ageMs - LATE_MS;
}
