/** What the element's attributes ask a session for. */
import type { LanguageTag } from '../shared/language.ts';
import type { MessageFormat } from '../shared/protocol/messages.ts';
import { SAMPLE_RATE_HZ } from './controllers/microphone.ts';
import type { SessionRequest } from './controllers/token-endpoint.ts';

/** Most languages one session translates into, the spoken one among them. */
const MAX_TARGETS = 5;

/**
 * The languages of a list separated by blanks, five at most. The one that is spoken is always among
 * them.
 */
export function targetsOf(list: string, speech: LanguageTag): LanguageTag[] {
  const targets = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
  if (speech === '' || targets.slice(0, MAX_TARGETS).includes(speech)) {
    return targets.slice(0, MAX_TARGETS);
  }
  return [...targets.slice(0, MAX_TARGETS - 1), speech];
}

/** The body of a session request without what concerns speech. */
export function captionRequest({
  messageFormat,
  sourceLanguage,
  sourceLanguageMode,
  targetLanguages,
}: {
  messageFormat: MessageFormat;
  sourceLanguage: LanguageTag;
  sourceLanguageMode: string;
  targetLanguages: readonly LanguageTag[];
}): SessionRequest {
  return {
    source_media_content_type: `audio/pcm;encoding=s16le;rate=${SAMPLE_RATE_HZ}`,
    message_format: messageFormat,
    ...(sourceLanguage === '' ? {} : { source_language: sourceLanguage }),
    ...(sourceLanguageMode === '' ? {} : { source_language_mode: sourceLanguageMode }),
    target_languages: [...targetLanguages],
  };
}
