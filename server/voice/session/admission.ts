/**
 * How many people this machine can hear: what a speaker costs is measured while people are heard, so
 * that one too many is refused instead of slowing down all. Only recognisers that work on this machine
 * count; those elsewhere have their own limits.
 */
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { HearingEffort, RecognitionEngine } from '../../engines/engine.ts';
import type { SessionCondition } from './running-session.ts';

/** A session, as far as it matters to those who hear it. */
export interface HeardSession {
  /** The recogniser that is likeliest to hear it. */
  recogniser: Pick<RecognitionEngine, 'name' | 'effort'>;
  /** Time since it was opened. */
  ageMs: number;
  condition: Pick<SessionCondition, 'receivedMs' | 'lagMs' | 'quietMs'>;
}

export interface Admission {
  /** False when one more would be heard late, or others are already. */
  hasRoom(recogniser: HeardSession['recogniser'], sessions: readonly HeardSession[]): boolean;
  /** How busy recognisers are: a load above 1 where it was misjudged. */
  describe(sessions: readonly HeardSession[]): Hearing;
}

export interface AdmissionOptions {
  /** Processors of this machine. */
  processors: number;
  /** Share of them that recognisers may take, 0 to 1; 0 lets everybody in. */
  share: number;
}

/** A new session counts as if it spoke for so long, in ms: it is about to. */
const NEW_MS = 20_000;
/** And each other one for so long after its last words, which come with the sentence in settled captions. */
const SPEAKING_MS = 20_000;
/** What a speaker costs is taken over so much audio, in ms. */
const MEASURED_MS = 20_000;
/** Silence is cheap: what was measured counts no less than this share of what is expected. */
const LEAST_OF_EXPECTED = 0.5;
/** How fast a cost falls with each measurement; it rises at once. */
const FALL = 0.2;
/** Behind by more, captions are late. */
const LATE_MS = 2_000;
/** So many of those who speak may be late before nobody else is let in. */
const LATE_SHARE = 0.25;

/** What a speaker of one engine costs. */
interface Cost {
  /** Share of a processor. */
  share: number;
  /** What had been heard and taken when it was last measured. */
  since: Pick<HearingEffort, 'audioMs' | 'processorMs'>;
}

export function createAdmission({ processors, share }: AdmissionOptions): Admission {
  const costs = new Map<string, Cost>();

  /** Share of a processor that a speaker takes; 0 for engines elsewhere. */
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
      // Somebody has to be heard on the slowest of machines.
      return fits || share === 0 || speaking === 0 || recogniser.effort === undefined;
    },
    describe(sessions) {
      const { speaking, taken, late, areLate } = look(sessions);
      const another = speaking === 0 ? 0 : taken / speaking;
      const isFull = speaking > 0 && (areLate || taken + another > most);
      return {
        takes_sessions: share === 0 || !isFull,
        load: Math.round((100 * taken) / (share === 0 ? processors : most)) / 100,
        late_sessions: late,
      };
    },
  };
}

/** Of recognisers on this machine alone; a client that is held back cannot go on speaking. */
function isSpeaking({ recogniser, ageMs, condition }: HeardSession): boolean {
  const { quietMs, lagMs } = condition;
  const isHeard = ageMs < NEW_MS || quietMs < SPEAKING_MS || lagMs > LATE_MS;
  return recogniser.effort !== undefined && isHeard;
}

/** Whoever sends recordings faster than people speak is behind however fast they are heard. */
function isLate({ ageMs, condition: { receivedMs, lagMs } }: HeardSession): boolean {
  return lagMs > LATE_MS && receivedMs - lagMs < ageMs - LATE_MS;
}
