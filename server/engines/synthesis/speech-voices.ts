/** The voices of a speech server, as settings name them. */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import { voiceMediaLanguages } from '../../../shared/schemas/voice-session.ts';
import type { VoiceGender } from '../engine.ts';

export interface SpeechVoices {
  /** Base languages they speak. */
  languages: readonly LanguageTag[];
  /** @param language one of the languages, or a variant of one */
  voiceFor(language: LanguageTag, gender: VoiceGender | undefined): string;
}

/** Names of the hosted service; most servers know them. */
const usualVoices = '*=nova/onyx';

/**
 * Reads `en=af_heart/am_adam, pt-BR=pf_dora, *=nova/onyx`: for a language, a variant or all others
 * the voice of a woman and, after a slash, of a man. Whoever asks for neither hears the first.
 *
 * @param languages those that are spoken; without it the ones with voices, or with `*` all that
 *   sessions can ask for
 * @returns what is wrong, for people, as text
 */
export function readSpeechVoices(
  text: string = usualVoices,
  languages?: readonly string[],
): SpeechVoices | string {
  const voices = new Map<string, { female: string; male: string }>();
  for (const entry of text.split(',')) {
    const [, name = '', female, male] = /^\s*([\w-]+|\*)\s*=\s*([^/\s]+)(?:\/([^/\s]+))?\s*$/.exec(
      entry,
    ) ?? [undefined, undefined, undefined];
    const tag = name === '*' ? name : canonicalLanguage(name);
    if (tag === undefined || female === undefined) return `cannot be read at "${entry.trim()}"`;
    voices.set(tag, { female, male: male ?? female });
  }
  const hasVoice = (tag: LanguageTag) => voices.has('*') || [...voices.keys()].some(isOf(tag));
  const wanted = languages ?? voiceMediaLanguages;
  const spoken = new Set(wanted.map((each) => baseLanguage(each)).filter(hasVoice));
  if (spoken.size === 0) return 'names no voice for any language that can be spoken';
  return {
    languages: [...spoken],
    voiceFor(language, gender) {
      const base = baseLanguage(language);
      const voice = voices.get(language) ?? voices.get(base) ?? voices.get('*');
      // Only another variant has a voice: better that one than none.
      const other = [...voices].find(([tag]) => isOf(base)(tag))?.[1];
      return (voice ?? other)?.[gender ?? 'female'] ?? '';
    },
  };
}

function isOf(base: LanguageTag): (tag: string) => boolean {
  return (tag) => tag !== '*' && baseLanguage(tag) === base;
}
