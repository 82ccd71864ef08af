/** Which of espeak-ng's voices speaks what. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { VoiceGender } from '../engine.ts';

/**
 * Voices by language and variant. Japanese is missing: the voice spells kanji out as "Chinese
 * letter". Mandarin reads both scripts with the pinyin voice alone; the other one spells as well.
 * `fr` and `en-us` rather than `fr-fr` and `en-gb`, which keep their own voice whatever the variant.
 */
const voices: Readonly<Record<LanguageTag, string>> = {
  ar: 'ar',
  bg: 'bg',
  cs: 'cs',
  da: 'da',
  de: 'de',
  el: 'el',
  en: 'en-us',
  'en-GB': 'en-gb-x-rp',
  'en-US': 'en-us',
  es: 'es',
  fi: 'fi',
  fr: 'fr',
  hu: 'hu',
  id: 'id',
  it: 'it',
  ko: 'ko',
  nb: 'nb',
  nl: 'nl',
  pl: 'pl',
  pt: 'pt-br',
  'pt-BR': 'pt-br',
  'pt-PT': 'pt',
  ro: 'ro',
  ru: 'ru',
  sk: 'sk',
  sv: 'sv',
  tr: 'tr',
  uk: 'uk',
  vi: 'vi',
  zh: 'cmn-latn-pinyin',
};

/** What makes a voice one of a man or a woman. */
const variants = { male: '+m3', female: '+f3' } as const satisfies Record<VoiceGender, string>;

/** Languages that the installed voices speak, without regional ones. */
export function spokenWith(installed: ReadonlySet<string>): LanguageTag[] {
  return Object.keys(voices).filter(
    (tag) => tag === baseLanguage(tag) && installed.has(voices[tag] ?? ''),
  );
}

/** The voice for a language or a variant of one; undefined when there is none. */
export function voiceFor(
  language: LanguageTag,
  gender: VoiceGender | undefined,
): string | undefined {
  const voice = voices[language] ?? voices[baseLanguage(language)];
  return voice === undefined ? undefined : voice + (gender === undefined ? '' : variants[gender]);
}
