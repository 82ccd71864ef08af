/** What the page says to who speaks, and what its one button does. Pure. */
import { counted } from '../page/numbers.ts';
import { activeStates, type VoiceState } from '../events.ts';
import { englishLabels } from '../labels.ts';

/** Everything that it depends on. */
export interface SpeakerSituation {
  /** What the microphone and its session are doing. */
  voice: VoiceState;
  /** Somebody else speaks in the room. */
  isTaken: boolean;
  /** Somebody else has taken over from here. */
  wasTakenOver: boolean;
  isRoomPaused: boolean;
  /** The button was pressed to pause, and the last words are on their way. */
  isPausing: boolean;
  /** Of the last failure, for people; empty where the state says enough. */
  failure: string;
  readerCount: number;
}

export type SpeakerAction = 'start' | 'pause' | 'go-on' | 'cancel';

export interface SpeakerStatus {
  /** live: what is said is read. notice: something is to be known. */
  tone: 'calm' | 'live' | 'notice';
  title: string;
  hint: string;
  /** Undefined while nothing can be done but wait. */
  action: SpeakerAction | undefined;
  /** On the button. */
  label: string;
}

const problemStates = new Set<VoiceState>([
  'microphone-denied',
  'no-microphone',
  'insecure-context',
  'failed',
]);

export function speakerStatus(situation: SpeakerSituation): SpeakerStatus {
  const { voice, wasTakenOver, failure } = situation;
  if (activeStates.has(voice)) return speakingStatus(situation);
  if (wasTakenOver) {
    return {
      tone: 'notice',
      title: 'Somebody else has taken over',
      hint: 'Your microphone is off. You can take over again.',
      action: 'start',
      label: 'Take over',
    };
  }
  if (problemStates.has(voice)) {
    const { title, hint } = englishLabels.states[voice];
    const shown = voice === 'failed' ? 'You are not heard any more' : title;
    return {
      tone: 'notice',
      title: shown,
      hint: failure || hint,
      action: 'start',
      label: 'Try again',
    };
  }
  return silentStatus(situation);
}

/** Nobody speaks from here, and nothing is wrong. */
function silentStatus({ isTaken, isRoomPaused }: SpeakerSituation): SpeakerStatus {
  if (isRoomPaused) {
    return {
      tone: 'calm',
      title: 'Paused',
      hint: isTaken
        ? 'Somebody else was speaking. If you go on, you take over from them.'
        : 'Your microphone is off. Readers see that it goes on later.',
      action: 'start',
      label: 'Go on',
    };
  }
  if (isTaken) {
    return {
      tone: 'calm',
      title: 'Somebody else is speaking',
      hint: 'If you start, you take over from them.',
      action: 'start',
      label: 'Take over',
    };
  }
  return {
    tone: 'calm',
    title: 'Ready',
    hint: 'The microphone is off until you start.',
    action: 'start',
    label: 'Start speaking',
  };
}

function speakingStatus(situation: SpeakerSituation): SpeakerStatus {
  const { voice, isRoomPaused, isPausing } = situation;
  const { title, hint } = englishLabels.states[voice];
  if (voice === 'live') return isRoomPaused ? unreadStatus : liveStatus(situation);
  if (voice === 'stopping') {
    const shown = isPausing ? 'Pausing…' : title;
    return {
      tone: 'calm',
      title: shown,
      hint: 'The microphone is off; the last words are on their way.',
      action: undefined,
      label: shown,
    };
  }
  if (voice === 'requesting-microphone' || voice === 'connecting') {
    return { tone: 'calm', title, hint, action: 'cancel', label: 'Cancel' };
  }
  const offlineHint = 'Captions go on by themselves when it is back. Keep speaking.';
  return {
    tone: 'notice',
    title,
    hint: voice === 'offline' ? offlineHint : hint,
    action: 'pause',
    label: 'Pause',
  };
}

function liveStatus({ readerCount }: SpeakerSituation): SpeakerStatus {
  return {
    tone: 'live',
    title: 'You are live',
    hint:
      readerCount === 0
        ? 'Nobody reads along yet.'
        : `${counted(readerCount, 'person reads', 'people read')} along.`,
    action: 'pause',
    label: 'Pause',
  };
}

/** The room was paused from elsewhere. */
const unreadStatus: SpeakerStatus = {
  tone: 'notice',
  title: 'The room was paused',
  hint: 'You are heard, but nobody reads what you say.',
  action: 'go-on',
  label: 'Go on',
};

/** `In time`, `1.5 s behind`, `12 s behind`: how captions keep up with what is said. */
export function lagText(lagMs: number): string {
  if (lagMs < 500) return 'In time';
  const seconds = lagMs / 1000;
  return `${seconds < 9.5 ? seconds.toFixed(1) : Math.round(seconds)} s behind`;
}
