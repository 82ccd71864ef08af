/**
 * What recognisers that run elsewhere have in common: their settings, which languages they hear and
 * what they call them, and the prompt that names terms.
 */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { voiceSourceLanguages } from '../../../shared/schemas/voice-session.ts';
import type { Logger } from '../../process/log.ts';

/** What their settings say. */
export interface RemoteRecogniserOptions {
  log: Logger;
  /** Address of the server. */
  url: string;
  /** Languages the model hears; those of Whisper without it. */
  languages?: readonly string[] | undefined;
  /** Longest wait for an answer, and for a connection. */
  timeoutMs?: number;
  /** Wait before the second try; it doubles with every further one. */
  firstDelayMs?: number;
}

/** Of those that hear over a connection. */
export interface SocketEngineOptions extends RemoteRecogniserOptions {
  /** See {@link PersistentHearer}. */
  tries?: number;
}

/** Whisper and its kin hear these badly (more than half of the words wrong) or not at all. */
const BEYOND_WHISPER = new Set(['bn', 'ga', 'mt']);

/** The voice languages that models of Whisper's kind hear well. */
export const whisperLanguages: readonly LanguageTag[] = voiceSourceLanguages.filter(
  (language) => !BEYOND_WHISPER.has(language),
);

/** What Whisper calls them, in the order of the voice languages. */
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

/** Other codes of languages that we know by another one. */
const OTHER_CODES: Readonly<Record<string, LanguageTag>> = {
  no: 'nb',
  nn: 'nb',
  iw: 'he',
  in: 'id',
  fil: 'tl',
  cmn: 'zh',
};

/** The base language that an engine means by a code or an English name; undefined when unknown. */
export function languageNamed(name: string): LanguageTag | undefined {
  const known = byName.get(name.trim().toLowerCase());
  if (known !== undefined) return known;
  const tag = canonicalLanguage(name);
  if (tag === undefined) return undefined;
  const base = baseLanguage(tag);
  return OTHER_CODES[base] ?? base;
}

/** What models of Whisper's kind call a language: Norwegian has one code for both its forms. */
export function whisperCode(language: LanguageTag): string {
  const base = baseLanguage(language);
  return base === 'nb' ? 'no' : base;
}

/**
 * The languages of a setting, or those by default; only voice languages can be recognised.
 *
 * @returns the languages, or what is wrong with the setting, for people
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

/** Whisper looks at the last 224 tokens of a prompt only; terms of rare letters take more than words do. */
const MAX_PROMPT_CHARACTERS = 600;

/** As many of the terms as fit, the first ones first; undefined when there are none. */
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
