/** Every word of `<room-captions>` that is not a caption, in the languages of those who read. */
import { baseLanguage, type LanguageTag } from '../shared/language.ts';
import { roomWords as ar } from './words/ar.ts';
import { roomWords as de } from './words/de.ts';
import {
  roomStates,
  roomWords as en,
  type RoomCaptionsState,
  type RoomStateWords,
  type RoomWords,
} from './words/en.ts';
import { roomWords as es } from './words/es.ts';
import { roomWords as fr } from './words/fr.ts';
import { roomWords as it } from './words/it.ts';
import { roomWords as pt } from './words/pt.ts';

export { roomStates, type RoomCaptionsState, type RoomStateWords, type RoomWords };

/** Words of a page's own, as many as it wants. */
export type RoomWordOverrides = Partial<Omit<RoomWords, 'states'>> & {
  states?: Partial<Record<RoomCaptionsState, Partial<RoomStateWords>>>;
};

const translations: Record<LanguageTag, RoomWords> = { en, ar, de, es, fr, it, pt };

/** The words in a language, or in English. */
export function roomWords(language: LanguageTag, overrides: RoomWordOverrides = {}): RoomWords {
  const words = translations[baseLanguage(language)] ?? en;
  const states = { ...words.states };
  for (const state of roomStates)
    states[state] = { ...states[state], ...overrides.states?.[state] };
  return { ...words, ...overrides, states };
}
