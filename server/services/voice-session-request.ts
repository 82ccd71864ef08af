/** Checks a session request against the contract and against the engines that are running. */
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import { parseSourceMediaType, type AudioFormat } from '../../shared/media-type.ts';
import type { MessageFormat } from '../../shared/protocol/messages.ts';
import {
  MAX_TARGET_LANGUAGES,
  voiceSourceLanguages,
  type VoiceSessionRequest,
} from '../../shared/schemas/voice-session.ts';
import type { RecognitionEngine } from '../engines/engine.ts';
import type { RequestedLanguage } from '../voice/pipeline.ts';
import type { Translation } from './translation.ts';

/** A request whose every part can be served. */
export interface CheckedVoiceRequest {
  format: AudioFormat;
  messageFormat: MessageFormat;
  source: RequestedLanguage;
  targets: RequestedLanguage[];
  recogniser: RecognitionEngine;
}

/** What is running. */
export interface VoiceCapabilities {
  recognisers: readonly RecognitionEngine[];
  translation: Translation;
  /** Source media content types that can be decoded. */
  contentTypes: readonly string[];
}

/** @throws ServiceError invalid_request, with what is possible; engine_unavailable without a recogniser */
export function checkVoiceRequest(
  request: VoiceSessionRequest,
  capabilities: VoiceCapabilities,
): CheckedVoiceRequest {
  if (capabilities.recognisers.length === 0) {
    throw new ServiceError(
      'engine_unavailable',
      'No speech recogniser is running. GET /healthz says what is missing.',
    );
  }
  const format = checkedFormat(request.source_media_content_type, capabilities.contentTypes);
  const messageFormat = oneOf('message_format', request.message_format ?? 'json', [
    'json',
    'msgpack',
  ] as const);
  const { source, recogniser } = checkedSource(request, capabilities.recognisers);
  const targets = checkedTargets(request.target_languages ?? [], source, capabilities.translation);
  refuseWhatNobodyServes(request);
  return { format, messageFormat, source, targets, recogniser };
}

/** Languages that can be heard now. */
export function spokenLanguages(recognisers: readonly RecognitionEngine[]): string[] {
  const heard = new Set(recognisers.flatMap(({ languages }) => languages));
  return voiceSourceLanguages.filter((language) => heard.has(language));
}

function checkedFormat(contentType: string, possible: readonly string[]): AudioFormat {
  const format = parseSourceMediaType(contentType);
  if (format !== undefined && possible.includes(format.contentType)) return format;
  throw unsupported('source_media_content_type', possible);
}

function checkedSource(
  { source_language: requested, source_language_mode: mode = 'auto' }: VoiceSessionRequest,
  recognisers: readonly RecognitionEngine[],
) {
  const possible = spokenLanguages(recognisers);
  oneOf('source_language_mode', mode, ['auto', 'fixed'] as const);
  if (requested === undefined) {
    throw invalid(
      `source_language is needed: no running recogniser detects it. Possible: ${list(possible)}.`,
    );
  }
  const tag = canonicalLanguage(requested);
  const recogniser = recognisers.find(({ languages }) => languages.includes(tag ?? ''));
  if (tag === undefined || !possible.includes(tag) || recogniser === undefined) {
    throw unsupported('source_language', possible);
  }
  return { source: { requested, tag }, recogniser };
}

function checkedTargets(
  requested: readonly string[],
  source: RequestedLanguage,
  translation: Translation,
): RequestedLanguage[] {
  if (requested.length > MAX_TARGET_LANGUAGES) {
    throw invalid(`target_languages may name at most ${MAX_TARGET_LANGUAGES} languages.`);
  }
  const targets = requested.map((language) => {
    const tag = canonicalLanguage(language);
    if (tag === undefined || !translation.serves({ source: source.tag, target: tag })) {
      throw unsupported('target_languages', translation.targets(source.tag));
    }
    return { requested: language, tag };
  });
  if (new Set(targets.map(({ tag }) => tag)).size < targets.length) {
    throw invalid('target_languages must not name a language twice.');
  }
  return targets;
}

/** Parts of the contract that need engines or lists which are not there are refused, not ignored. */
function refuseWhatNobodyServes(request: VoiceSessionRequest): void {
  for (const name of [
    'target_media_languages',
    'target_media_content_type',
    'target_media_voice',
  ] as const) {
    const value = request[name];
    if (value === undefined || value.length === 0) continue;
    throw invalid(`${name}: no running engine speaks. Leave it out.`);
  }
  if (request.spoken_terms_id !== undefined) {
    throw invalid('spoken_terms_id: there are no lists of spoken terms here. Leave it out.');
  }
  if (request.glossary_id !== undefined) {
    throw invalid('glossary_id: there is no such glossary. Leave it out.');
  }
  const formalities = ['default', 'formal', 'more', 'informal', 'less'] as const;
  if (oneOf('formality', request.formality ?? 'default', formalities) !== 'default') {
    throw invalid('formality: the running engines cannot choose it. Possible: default.');
  }
}

function oneOf<T extends string>(name: string, value: string, possible: readonly T[]): T {
  const found = possible.find((each) => each === value);
  if (found === undefined) throw unsupported(name, possible);
  return found;
}

function unsupported(name: string, possible: readonly string[]): ServiceError {
  return invalid(`Value for '${name}' not supported. Possible: ${list(possible)}.`);
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none with the running engines' : items.join(', ');
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
