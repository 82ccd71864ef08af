/** Checks a session request against the contract and against the engines that are running. */
import { ServiceError, invalid } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage } from '../../../shared/language.ts';
import { parseSourceMediaType, type AudioFormat } from '../../../shared/media-type.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import {
  MAX_TARGET_LANGUAGES,
  voiceMediaLanguages,
  voiceSourceLanguages,
  type VoiceSessionRequest,
} from '../../../shared/schemas/voice-session.ts';
import { defaultTargetMediaType, parseTargetMediaType } from '../../../shared/target-media-type.ts';
import type { DetectionEngine, RecognitionEngine, SynthesisEngine } from '../../engines/engine.ts';
import type { Caller } from '../../http/door.ts';
import { captionModes } from '../path/captions.ts';
import type { VoicePipelineOptions } from '../path/pipeline.ts';
import type { RequestedSource } from '../path/recognise.ts';
import type { RequestedLanguage } from '../path/target-tracks.ts';
import type { LiveTranslation } from './live-translation.ts';
import { speakableLanguages, speakerOf, spokenLanguages } from './speakers.ts';
import type { SpokenTermLists } from '../../spoken-terms/spoken-terms.ts';
import type { Translation } from '../../translation/translation.ts';

/** A session request that the running engines can serve in full. */
export interface CheckedVoiceRequest {
  /** How the session and its client communicate. */
  manner: {
    format: AudioFormat;
    messageFormat: MessageFormat;
    acknowledges: boolean;
    tellsLag: boolean;
    /** Whether the client receives the terms in force as soon as it connects. */
    tellsTerms: boolean;
  };
  /** Settings of the voice path. */
  path: Pick<
    VoicePipelineOptions,
    | 'format'
    | 'source'
    | 'targets'
    | 'speech'
    | 'captionMode'
    | 'tellsWords'
    | 'spokenTerms'
    | 'recognisers'
    | 'translateText'
  >;
  /** Starts the engines that the first sentence would have to wait for. */
  prepare(): void;
}

/** @throws ServiceError invalid_request, listing what is possible; not_found; engine_unavailable */
export type CheckVoiceRequest = (
  request: VoiceSessionRequest,
  caller: Caller | undefined,
) => Promise<CheckedVoiceRequest>;

/** What the running engines can do. */
export interface VoiceCapabilities {
  /** In order of preference, as are the speakers. */
  recognisers: readonly RecognitionEngine[];
  speakers: readonly SynthesisEngine[];
  translation: Translation;
  liveTranslation: LiveTranslation;
  spokenTerms: SpokenTermLists;
  /** Detects the language of recognised text. */
  detector: Pick<DetectionEngine, 'prepare'>;
  /** Source media content types that can be decoded. */
  contentTypes: readonly string[];
  /** Target media content types that can be produced. */
  mediaContentTypes: readonly string[];
}

export function createVoiceRequestCheck(capabilities: VoiceCapabilities): CheckVoiceRequest {
  const { translation, liveTranslation, detector, contentTypes } = capabilities;
  return async (request, caller) => {
    const format = checkedFormat(request.source_media_content_type, contentTypes);
    const messageFormats = ['json', 'msgpack'] as const;
    const messageFormat = oneOf('message_format', request.message_format ?? 'json', messageFormats);
    const captionMode = oneOf('caption_mode', request.caption_mode ?? 'balanced', captionModes);
    const { source, recognisers } = checkedSource(request, capabilities.recognisers);
    const sources = source.tag === undefined ? spokenLanguages(recognisers) : [source.tag];
    const { targets, speech } = checkedTargets(request, sources, capabilities);
    const pairs = sources.flatMap((from) =>
      targets.map(({ tag }) => ({ source: from, target: tag })),
    );
    const { translateText } = await liveTranslation.prepare({
      caller,
      glossaryId: request.glossary_id,
      formality: request.formality,
      pairs: pairs.filter((pair) => translation.serves(pair)),
    });
    const spokenTerms = await checkedTerms(request, recognisers, caller, capabilities);
    await detector.prepare([]);
    return {
      manner: {
        format,
        messageFormat,
        acknowledges: request.acknowledgements ?? false,
        tellsLag: request.lag_updates ?? false,
        tellsTerms: request.session_updates ?? false,
      },
      path: {
        format,
        source,
        targets,
        speech,
        captionMode,
        recognisers,
        tellsWords: request.word_details ?? false,
        spokenTerms,
        translateText,
      },
      prepare() {
        const [likely] = sources;
        if (likely === undefined) return;
        for (const { tag } of targets) translation.prepare({ source: likely, target: tag });
      },
    };
  };
}

/**
 * Checks the request of a session that another server was running. A glossary or term list that was
 * deleted in the meantime, or that does not suit the language pairs or the recognisers any more, is left
 * out, as the session would have continued without it there.
 *
 * @throws ServiceError the first reason, when the session is refused without them as well
 */
export async function checkRunning(
  check: CheckVoiceRequest,
  request: VoiceSessionRequest,
  caller: Caller | undefined,
): Promise<CheckedVoiceRequest> {
  let reason: unknown;
  for (const gone of [
    [],
    ['glossary_id'],
    ['spoken_terms_id'],
    ['glossary_id', 'spoken_terms_id'],
  ]) {
    const left = Object.entries(request).filter(([name]) => !gone.includes(name));
    try {
      return await check(Object.fromEntries(left) as VoiceSessionRequest, caller);
    } catch (error) {
      const isUnfit =
        error instanceof ServiceError && ['not_found', 'invalid_request'].includes(error.code);
      if (!isUnfit) throw error;
      reason ??= error;
    }
  }
  throw reason;
}

function checkedFormat(contentType: string, possible: readonly string[]): AudioFormat {
  const format = parseSourceMediaType(contentType);
  if (format !== undefined && possible.includes(format.contentType)) return format;
  throw unsupported('source_media_content_type', possible);
}

/** Returns the source language and the recognisers that may hear it; those that certainly do come first. */
function checkedSource(
  { source_language: requested, source_language_mode: mode = 'auto' }: VoiceSessionRequest,
  running: readonly RecognitionEngine[],
): { source: RequestedSource; recognisers: readonly RecognitionEngine[] } {
  if (running.length === 0) {
    throw new ServiceError(
      'engine_unavailable',
      'No speech recogniser is running. GET /healthz reports what is missing.',
    );
  }
  const isFixed = oneOf('source_language_mode', mode, ['auto', 'fixed'] as const) === 'fixed';
  if (requested === undefined) {
    if (isFixed) throw invalid("source_language_mode 'fixed' needs a source_language.");
    const detecting = running.filter(({ detectsLanguage }) => detectsLanguage);
    const others = running.filter(({ detectsLanguage }) => !detectsLanguage);
    return {
      source: { requested, tag: undefined, mode: 'hint' },
      recognisers: [...detecting, ...others],
    };
  }
  const tag = baseLanguage(canonicalLanguage(requested) ?? '');
  const hears = ({ languages }: RecognitionEngine) => languages.includes(tag);
  const certain = running.filter(hears);
  if (!voiceSourceLanguages.includes(tag) || certain.length === 0) {
    throw unsupported('source_language', spokenLanguages(running), RECOGNISERS);
  }
  const others = isFixed ? [] : running.filter((engine) => !hears(engine));
  return {
    source: { requested, tag, mode: isFixed ? 'fixed' : 'hint' },
    recognisers: [...certain, ...others],
  };
}

function checkedTargets(
  request: VoiceSessionRequest,
  sources: readonly string[],
  { translation, speakers, mediaContentTypes }: VoiceCapabilities,
): Pick<CheckedVoiceRequest['path'], 'targets' | 'speech'> {
  const spoken = request.target_media_languages ?? [];
  const written = request.target_languages ?? [];
  // The spoken language may be among the targets in a different spelling.
  const isAmongTargets = written.some(
    (language) => canonicalLanguage(language) === canonicalLanguage(spoken[0] ?? ''),
  );
  const requested = isAmongTargets ? written : [...written, ...spoken];
  if (requested.length > MAX_TARGET_LANGUAGES) {
    throw invalid(`At most ${MAX_TARGET_LANGUAGES} target languages are possible.`);
  }
  const targets = requested.map((language) => {
    const tag = canonicalLanguage(language);
    const isServed =
      tag !== undefined && sources.some((source) => translation.serves({ source, target: tag }));
    if (isServed) return { requested: language, tag };
    const reachable = new Set(sources.flatMap((source) => translation.targets(source)));
    if (written.includes(language)) {
      throw unsupported('target_languages', [...reachable].sort(), TRANSLATORS);
    }
    const speakable = speakableLanguages(speakers).filter((each) =>
      reachable.has(canonicalLanguage(each) ?? ''),
    );
    throw unsupported('target_media_languages', speakable, SPEAKERS);
  });
  if (new Set(targets.map(({ tag }) => tag)).size < targets.length) {
    throw invalid('target_languages must not name a language twice.');
  }
  return { targets, speech: checkedSpeech(request, targets, { speakers, mediaContentTypes }) };
}

function checkedSpeech(
  request: VoiceSessionRequest,
  targets: readonly RequestedLanguage[],
  { speakers, mediaContentTypes }: Pick<VoiceCapabilities, 'speakers' | 'mediaContentTypes'>,
): CheckedVoiceRequest['path']['speech'] {
  const [language, ...more] = request.target_media_languages ?? [];
  const { target_media_content_type: contentType, target_media_voice: voice } = request;
  if (language === undefined) {
    for (const name of ['target_media_content_type', 'target_media_voice'] as const) {
      if (request[name] === undefined) continue;
      throw invalid(`${name} is possible only with target_media_languages.`);
    }
    return undefined;
  }
  if (more.length > 0) throw invalid('target_media_languages may name at most 1 language.');
  const tag = canonicalLanguage(language);
  const target = targets.find((each) => each.tag === tag);
  const engine = speakerOf(tag ?? '', speakers);
  const isKnown = voiceMediaLanguages.some((each) => canonicalLanguage(each) === tag);
  if (target === undefined || engine === undefined || !isKnown) {
    throw unsupported('target_media_languages', speakableLanguages(speakers), SPEAKERS);
  }
  const format = parseTargetMediaType(contentType ?? defaultTargetMediaType);
  if (format === undefined || !mediaContentTypes.includes(format.contentType)) {
    throw unsupported('target_media_content_type', mediaContentTypes);
  }
  const genders = ['male', 'female'] as const;
  const gender = voice === undefined ? undefined : oneOf('target_media_voice', voice, genders);
  return { target, engine, format, gender };
}

async function checkedTerms(
  { spoken_terms_id: id }: VoiceSessionRequest,
  recognisers: readonly RecognitionEngine[],
  caller: Caller | undefined,
  { spokenTerms }: VoiceCapabilities,
): Promise<readonly string[]> {
  if (id === undefined) return [];
  if (!recognisers.some(({ usesSpokenTerms }) => usesSpokenTerms)) {
    throw invalid('spoken_terms_id: no running recogniser takes spoken terms. Leave it out.');
  }
  return (await spokenTerms.find(caller, id)).terms;
}

function oneOf<T extends string>(name: string, value: string, possible: readonly T[]): T {
  const found = possible.find((each) => each === value);
  if (found === undefined) throw unsupported(name, possible);
  return found;
}

const RECOGNISERS =
  'Connect a recogniser that hears more, or install a model: npm run dragoman -- models';
const TRANSLATORS =
  'Connect a translator that does more (CHAT_URL), or install a model: npm run dragoman -- models available';
const SPEAKERS =
  'Connect a voice that speaks more (SPEECH_URL), or install one: npm run dragoman -- models';

/** @param remedy tells the operator of the server how to support more */
function unsupported(name: string, possible: readonly string[], remedy = ''): ServiceError {
  const message = `Value for '${name}' not supported. Possible: ${list(possible)}. ${remedy}`;
  return invalid(message.trimEnd());
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none with the running engines' : items.join(', ');
}
