/**
 * Common parts of the recognisers that run on another server: settings, language names and codes, and the
 * prompt that lists spoken terms.
 */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { voiceSourceLanguages } from '../../../shared/schemas/voice-session.ts';
import type { Logger } from '../../process/log.ts';

/** Options from the settings of a remote recogniser. */
export interface RemoteRecogniserOptions {
  log: Logger;
  /** Address of the server. */
  url: string;
  /** Languages the model recognises; Whisper's by default. */
  languages?: readonly string[] | undefined;
  /** Longest wait for a response and for a connection, in ms. */
  timeoutMs?: number;
  /** Delay before the second attempt, in ms; it doubles with every further one. */
  firstDelayMs?: number;
}

/** Options of recognisers that use a WebSocket. */
export interface SocketEngineOptions extends RemoteRecogniserOptions {
  /** See {@link PersistentHearer}. */
  tries?: number;
}

/** Languages that Whisper-like models recognise badly (more than half of the words wrong) or not at all. */
const BEYOND_WHISPER = new Set(['bn', 'ga', 'mt']);

/** Voice languages that Whisper-like models recognise well. */
export const whisperLanguages: readonly LanguageTag[] = voiceSourceLanguages.filter(
  (language) => !BEYOND_WHISPER.has(language),
);

/** Whisper's names of the voice languages, in the order of `voiceSourceLanguages`. */
const ENGLISH_NAMES = (
  'arabic bulgarian bengali czech danish german greek english spanish estonian finnish french ' +
  'irish hebrew croatian hungarian indonesian italian japanese korean lithuanian latvian maltese ' +
  'norwegian dutch polish portuguese romanian russian slovak slovenian swedish thai tagalog ' +
  'turkish ukrainian vietnamese chinese'
).split(' ');

const byName = new Map<string, LanguageTag>([
  ...ENGLISH_NAMES.map((name, index) => [name, voiceSourceLanguages[index] ?? name] as const),
  ['castilian', 'es'],
  ['filipino', 'tl'],
  ['flemish', 'nl'],
  ['mandarin', 'zh'],
  ['moldavian', 'ro'],
  ['moldovan', 'ro'],
  ['nynorsk', 'nb'],
]);

/** Alternative codes of languages, with the code used here. */
const OTHER_CODES: Readonly<Record<string, LanguageTag>> = {
  no: 'nb',
  nn: 'nb',
  iw: 'he',
  in: 'id',
  fil: 'tl',
  cmn: 'zh',
};

/** Returns the base language for an engine's code or English name; undefined when unknown. */
export function languageNamed(name: string): LanguageTag | undefined {
  const known = byName.get(name.trim().toLowerCase());
  if (known !== undefined) return known;
  const tag = canonicalLanguage(name);
  if (tag === undefined) return undefined;
  const base = baseLanguage(tag);
  return OTHER_CODES[base] ?? base;
}

/** Returns the code of a language for Whisper-like models: both forms of Norwegian share one. */
export function whisperCode(language: LanguageTag): string {
  const base = baseLanguage(language);
  return base === 'nb' ? 'no' : base;
}

/**
 * Returns the languages of a setting, or the default ones; only voice languages can be recognised.
 *
 * @returns the languages, or what is wrong with the setting, for the operator
 */
export function languagesToHear(
  setting: readonly string[] | undefined,
  byDefault: readonly LanguageTag[],
): { languages: readonly LanguageTag[] } | { problem: string } {
  if (setting === undefined) return { languages: byDefault };
  const tags = setting.map(languageNamed);
  const wrong = setting.filter((_, index) => !voiceSourceLanguages.includes(tags[index] ?? ''));
  if (wrong.length > 0) return { problem: `${wrong.join(', ')} is no language of voice sessions` };
  if (setting.length === 0) return { problem: 'it names no language' };
  return { languages: [...new Set(tags.filter((tag) => tag !== undefined))] };
}

/** Whisper uses only the last 224 tokens of a prompt, and rare terms take more tokens than common words. */
const MAX_PROMPT_CHARACTERS = 600;

/** Returns as many terms as fit, in order; undefined when there are none. */
export function termsPrompt(terms: readonly string[]): string | undefined {
  let prompt = '';
  for (const term of terms) {
    const clean = term.trim().replace(/\s+/g, ' ');
    if (clean === '') continue;
    const longer = prompt === '' ? clean : `${prompt}, ${clean}`;
    if (longer.length > MAX_PROMPT_CHARACTERS) continue;
    prompt = longer;
  }
  return prompt === '' ? undefined : `${prompt}.`;
}
