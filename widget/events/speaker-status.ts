/** What the page says to who speaks, and what its one button does. Pure. */
import type { LanguageTag } from '../../shared/language.ts';
import { activeStates, type VoiceState } from '../events.ts';
import { countedIn, deskWords, type DeskWords } from './desk-words.ts';

/** Everything that it depends on. */
export interface SpeakerSituation {
  /** That the page speaks. */
  language: LanguageTag;
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

/** Nobody speaks from here, and nothing is wrong. */
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

/** `In time`, `1.5 s behind`, `12 s behind`: how captions keep up with what is said. */
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
