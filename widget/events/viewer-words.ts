/** Every word of the page for readers that is not a caption, in the languages of those who read. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { viewerWords as ar } from './words/ar.ts';
import { viewerWords as de } from './words/de.ts';
import { viewerWords as es } from './words/es.ts';
import { viewerWords as fr } from './words/fr.ts';
import { viewerWords as it } from './words/it.ts';
import { viewerWords as pt } from './words/pt.ts';

export interface ViewerWords {
  language: string;
  /** Stands for what is said itself. */
  original: string;
  /** Short states, beside the name of the room. */
  live: string;
  waiting: string;
  paused: string;
  connecting: string;
  offline: string;
  closed: string;
  listen: string;
  stopListening: string;
  listenFailed: string;
  listenBlocked: string;
  settings: string;
  close: string;
  textSize: string;
  smaller: string;
  larger: string;
  appearance: string;
  automatic: string;
  light: string;
  dark: string;
  strong: string;
  pace: string;
  instant: string;
  instantHint: string;
  settled: string;
  settledHint: string;
  keepAwake: string;
  awake: { on: string; off: string; refused: string; unsupported: string };
  install: string;
  passcode: string;
  enter: string;
  wrongPasscode: string;
  tooOften: string;
  unreachable: string;
}

const en: ViewerWords = {
  language: 'Language',
  original: 'As spoken',
  live: 'Live',
  waiting: 'Waiting',
  paused: 'Paused',
  connecting: 'Connecting',
  offline: 'No connection',
  closed: 'Closed',
  listen: 'Listen',
  stopListening: 'Stop listening',
  listenFailed: 'The voice cannot be heard here. Captions go on.',
  listenBlocked: 'The browser did not play the voice. Tap Listen once more.',
  settings: 'Text and display',
  close: 'Done',
  textSize: 'Text size',
  smaller: 'Smaller text',
  larger: 'Larger text',
  appearance: 'Appearance',
  automatic: 'Automatic',
  light: 'Light',
  dark: 'Dark',
  strong: 'High contrast',
  pace: 'Words appear',
  instant: 'At once',
  instantHint: 'As they are said; the last ones may still change.',
  settled: 'When they are final',
  settledHint: 'A little later, and nothing changes any more.',
  keepAwake: 'Keep the screen on',
  awake: {
    on: 'The screen stays on while this page is in view.',
    off: 'The screen goes off as usual.',
    refused: 'The device does not allow it now, perhaps to save its battery.',
    unsupported: 'This browser cannot do it here.',
  },
  install: 'Add to home screen',
  passcode: 'Passcode',
  enter: 'Enter',
  wrongPasscode: 'This passcode is not right.',
  tooOften: 'Too many attempts. Please wait a moment.',
  unreachable: 'The room cannot be reached. Please try again.',
};

const translations: Record<LanguageTag, ViewerWords> = { en, ar, de, es, fr, it, pt };

/** Languages the page itself speaks. */
export const viewerLanguages = Object.keys(translations);

export function viewerWords(language: LanguageTag): ViewerWords {
  return translations[baseLanguage(language)] ?? en;
}
