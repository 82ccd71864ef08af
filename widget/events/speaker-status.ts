/** Status of the speaker page: its wording, and the action of its one button. Pure functions. */
import type { LanguageTag } from '../../shared/language.ts';
import { activeStates, type VoiceState } from '../events.ts';
import { countedIn, deskWords, type DeskWords } from './desk-words.ts';

/** Everything the status depends on. */
export interface SpeakerSituation {
  /** Language of the page. */
  language: LanguageTag;
  /** State of the microphone and its session. */
  voice: VoiceState;
  /** Whether another speaker has the floor. */
  isTaken: boolean;
  /** Whether another speaker has taken over from this page. */
  wasTakenOver: boolean;
  isRoomPaused: boolean;
  /** Whether the user has paused and the last words are still on their way. */
  isPausing: boolean;
  /** Message of the last failure, for the user; empty if the state says enough. */
  failure: string;
  readerCount: number;
}

export type SpeakerAction = 'start' | 'pause' | 'go-on' | 'cancel';

export interface SpeakerStatus {
  /** live: readers see what is said. notice: the speaker should know something. */
  tone: 'calm' | 'live' | 'notice';
  title: string;
  hint: string;
  /** Undefined if the user can only wait. */
  action: SpeakerAction | undefined;
  /** Label of the button. */
  label: string;
}

const problemStates = [
  'microphone-denied',
  'no-microphone',
  'insecure-context',
  'failed',
] as const satisfies readonly VoiceState[];

export function speakerStatus(situation: SpeakerSituation): SpeakerStatus {
  const { language, voice, wasTakenOver, failure } = situation;
  const words = deskWords(language);
  const { speaker } = words;
  if (activeStates.has(voice)) return speakingStatus(situation, speaker);
  if (wasTakenOver) {
    return { tone: 'notice', ...speaker.takenOver, action: 'start', label: speaker.takeOver };
  }
  const problem = problemStates.find((state) => state === voice);
  if (problem === undefined) return silentStatus(situation, speaker);
  const { title, hint } = speaker.states[problem];
  return {
    tone: 'notice',
    title,
    hint: failure || hint,
    action: 'start',
    label: words.tryAgain,
  };
}

type SpeakerWords = DeskWords['speaker'];

/** Status while this page is not speaking and no problem exists. */
function silentStatus(
  { isTaken, isRoomPaused }: SpeakerSituation,
  words: SpeakerWords,
): SpeakerStatus {
  if (isRoomPaused) {
    const { title, hint } = words.paused;
    return {
      tone: 'calm',
      title,
      hint: isTaken ? words.pausedByOther : hint,
      action: 'start',
      label: words.goOn,
    };
  }
  return isTaken
    ? { tone: 'calm', ...words.taken, action: 'start', label: words.takeOver }
    : { tone: 'calm', ...words.ready, action: 'start', label: words.start };
}

function speakingStatus(situation: SpeakerSituation, words: SpeakerWords): SpeakerStatus {
  const { voice, isRoomPaused, isPausing } = situation;
  if (voice === 'live') {
    return isRoomPaused
      ? { tone: 'notice', ...words.unread, action: 'go-on', label: words.goOn }
      : liveStatus(situation, words);
  }
  if (voice === 'stopping') {
    const title = isPausing ? words.pausing : words.finishing;
    return { tone: 'calm', title, hint: words.lastWords, action: undefined, label: title };
  }
  if (voice === 'requesting-microphone' || voice === 'connecting') {
    return { tone: 'calm', ...words.states[voice], action: 'cancel', label: words.cancel };
  }
  const state = voice === 'quiet' || voice === 'reconnecting' ? voice : 'offline';
  return { tone: 'notice', ...words.states[state], action: 'pause', label: words.pause };
}

function liveStatus(
  { language, readerCount }: SpeakerSituation,
  words: SpeakerWords,
): SpeakerStatus {
  return {
    tone: 'live',
    title: words.live,
    hint: readerCount === 0 ? words.nobodyReads : countedIn(language, readerCount, words.readers),
    action: 'pause',
    label: words.pause,
  };
}

/** Formats how far captions lag behind speech: `In time`, `1.5 s behind`, `12 s behind`. */
export function lagText(language: LanguageTag, lagMs: number): string {
  const { speaker } = deskWords(language);
  if (lagMs < 500) return speaker.inTime;
  const seconds = lagMs / 1000;
  const digits = seconds < 9.5 ? 1 : 0;
  const number = new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return speaker.behind.replace('{n}', number.format(seconds));
}
