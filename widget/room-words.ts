/** Every word of `<room-captions>` that is not a caption, in the languages of those who read. */
import { baseLanguage, type LanguageTag } from '../shared/language.ts';
import { roomWords as ar } from './words/ar.ts';
import { roomWords as de } from './words/de.ts';
import { roomWords as es } from './words/es.ts';
import { roomWords as fr } from './words/fr.ts';
import { roomWords as it } from './words/it.ts';
import { roomWords as pt } from './words/pt.ts';

/** What the element is doing, for code and for words. */
export const roomStates = [
  'idle',
  'connecting',
  'waiting',
  'live',
  'paused',
  'reconnecting',
  'offline',
  'full',
  'locked',
  'refused',
  'gone',
] as const;
export type RoomCaptionsState = (typeof roomStates)[number];

/** What is said about a state: one line, and what to know or do. */
export interface RoomStateWords {
  title: string;
  hint: string;
}

export interface RoomWords {
  /** Name of the whole element for screen readers. */
  region: string;
  /** Name of the live region for screen readers. */
  announcements: string;
  jump: string;
  /** Of a line that somebody typed or corrected. */
  byPerson: string;
  states: Record<RoomCaptionsState, RoomStateWords>;
}

/** Words of a page's own, as many as it wants. */
export type RoomWordOverrides = Partial<Omit<RoomWords, 'states'>> & {
  states?: Partial<Record<RoomCaptionsState, Partial<RoomStateWords>>>;
};

const english: RoomWords = {
  region: 'Live captions',
  announcements: 'Captions, sentence by sentence',
  jump: 'Jump to now',
  byPerson: 'Typed or corrected by a person',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Connecting…', hint: '' },
    waiting: {
      title: 'Nobody is speaking yet',
      hint: 'Captions appear here as soon as somebody does.',
    },
    live: { title: 'Listening', hint: 'The first words are on their way.' },
    paused: { title: 'Paused', hint: 'Captions go on when the speaker does.' },
    reconnecting: { title: 'Reconnecting…', hint: 'Nothing is lost meanwhile.' },
    offline: { title: 'No connection', hint: 'Captions go on by themselves when it is back.' },
    full: { title: 'The room is full', hint: 'It is tried again by itself.' },
    locked: { title: 'This room has a passcode', hint: 'The organisers can tell you.' },
    refused: {
      title: 'This link does not work any more',
      hint: 'Please ask the organisers for a new one.',
    },
    gone: {
      title: 'There is no such room',
      hint: 'It was closed, or the address is incomplete.',
    },
  },
};

const translations: Record<LanguageTag, RoomWords> = { en: english, ar, de, es, fr, it, pt };

/** The words in a language, or in English. */
export function roomWords(language: LanguageTag, overrides: RoomWordOverrides = {}): RoomWords {
  const words = translations[baseLanguage(language)] ?? english;
  const states = { ...words.states };
  for (const state of roomStates)
    states[state] = { ...states[state], ...overrides.states?.[state] };
  return { ...words, ...overrides, states };
}
