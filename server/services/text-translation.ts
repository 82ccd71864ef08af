/** `POST /v2/translate`: checks a request and translates it. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import type { Translation } from './translation.ts';

export interface TextTranslation {
  /** @throws ServiceError invalid_request, translation_failed */
  translate(request: TextTranslationRequest, signal: AbortSignal): Promise<TextTranslationResponse>;
}

export function createTextTranslation(translation: Translation): TextTranslation {
  return {
    async translate(request, signal) {
      const pair = checkedPair(request, translation);
      const texts = await translation.translate(request.text, { ...pair, signal });
      const detected = baseLanguage(pair.source).toUpperCase();
      return {
        translations: texts.map((text, index) => ({
          detected_source_language: detected,
          text,
          ...(request.show_billed_characters === true && {
            billed_characters: codePoints(request.text[index] ?? ''),
          }),
        })),
      };
    },
  };
}

function checkedPair(request: TextTranslationRequest, translation: Translation) {
  const sources = translation.sources();
  if (request.source_lang === undefined || request.source_lang === '') {
    const possible = list(sources);
    throw invalid(
      `Parameter 'source_lang' not specified: no running engine detects languages. Possible: ${possible}.`,
    );
  }
  const source = canonicalLanguage(request.source_lang);
  if (source === undefined || !isServed(source, sources)) {
    throw invalid(
      `Value for 'source_lang' not supported. Possible with the running engines: ${list(sources)}.`,
    );
  }
  const target = canonicalLanguage(request.target_lang);
  if (target === undefined || !translation.serves({ source, target })) {
    const possible = list(translation.targets(source));
    throw invalid(
      `Value for 'target_lang' not supported. Possible from ${source.toUpperCase()} with the running engines: ${possible}.`,
    );
  }
  return { source, target };
}

function isServed(source: LanguageTag, sources: readonly LanguageTag[]): boolean {
  return sources.includes(source) || sources.includes(baseLanguage(source));
}

function list(languages: readonly LanguageTag[]): string {
  return languages.length === 0 ? 'none' : languages.join(', ').toUpperCase();
}

function codePoints(text: string): number {
  return Array.from(text).length;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
