/**
 * The voice path: decode → listen → recognise → segment → translate → synthesise → emit.
 *
 * Each stage is a function from AsyncIterable to AsyncIterable and lives in a file of its own.
 * Source captions are never held back by translation: every target reads its own conflating branch.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { AudioFormat } from '../../shared/media-type.ts';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import type { TargetMediaFormat } from '../../shared/target-media-type.ts';
import type {
  Detection,
  RecognitionEngine,
  SynthesisEngine,
  VoiceGender,
} from '../engines/engine.ts';
import { conflateUpdates, type CaptionMode } from './captions.ts';
import type { AudioDecoders } from './decode.ts';
import { emitEnds, emitMedia, emitSource, emitTarget } from './emit.ts';
import type { SpeechEncoders } from './encode.ts';
import { listen, type Endpointing } from './listen.ts';
import type { MediaPiece } from './media.ts';
import { recognise, type RequestedSource } from './recognise.ts';
import { segment } from './segment.ts';
import { RECOGNITION_RATE_HZ } from './speech-rate.ts';
import { broadcast, merge } from './streams.ts';
import { synthesise } from './synthesise.ts';
import { translate, type TranslateText } from './translate.ts';

/** A language as the client wrote it, and as our code knows it. */
export interface RequestedLanguage {
  requested: string;
  tag: LanguageTag;
}

/** The one target language that is spoken as well. */
export interface RequestedSpeech {
  /** One of the targets. */
  target: RequestedLanguage;
  format: TargetMediaFormat;
  gender: VoiceGender | undefined;
  engine: SynthesisEngine;
}

export interface VoicePipelineOptions {
  /** Audio as it arrives, in the client's format. */
  media: AsyncIterable<MediaPiece>;
  format: AudioFormat;
  /** Counts the audio of compressed formats, in ms, as it is decoded; a throw ends the session. */
  meter: (durationMs: number) => void;
  /** Told how far the recogniser has taken the audio, in ms of the stream. */
  onHeard: (positionMs: number) => void;
  source: RequestedSource;
  targets: readonly RequestedLanguage[];
  speech: RequestedSpeech | undefined;
  captionMode: CaptionMode;
  /** Whether concluded source captions tell their words. */
  tellsWords: boolean;
  endpointing: Endpointing;
  spokenTerms: readonly string[];
  decoders: AudioDecoders;
  encoders: SpeechEncoders;
  /** The preferred first. */
  recognisers: readonly RecognitionEngine[];
  detectLanguage: (text: string) => Detection;
  translateText: TranslateText;
  /** Ends every engine call of the session. */
  signal: AbortSignal;
}

/**
 * Runs one session; yields what its client is to be told, the end marks last.
 *
 * @throws ServiceError of the stage that failed
 */
export async function* voicePipeline(options: VoicePipelineOptions): AsyncGenerator<ServerMessage> {
  const { source, targets, speech, captionMode: mode, signal } = options;
  const captions = broadcast(segment(heard(options), { mode }), conflateUpdates);

  const sourceMessages = emitSource(captions.subscribe(), {
    requested: source.requested,
    tellsWords: options.tellsWords,
  });
  const targetMessages = targets.flatMap((target) => {
    const { requested, tag } = target;
    const { translateText } = options;
    const translated = translate(captions.subscribe(), {
      ...{ target: tag, mode, translateText, signal },
    });
    if (speech?.target !== target) return [emitTarget(translated, requested)];
    const spoken = broadcast(translated, conflateUpdates);
    return [
      emitTarget(spoken.subscribe(), requested),
      emitMedia(
        synthesise(spoken.subscribe(), {
          ...{ language: tag, signal, encoders: options.encoders },
          ...{ engine: speech.engine, gender: speech.gender, format: speech.format },
        }),
        { language: requested, contentType: speech.format.contentType },
      ),
    ];
  });

  yield* merge(sourceMessages, ...targetMessages);
  yield* emitEnds(
    targets.map(({ requested }) => requested),
    speech?.target.requested,
  );
}

/** What was said, in words. */
function heard(options: VoicePipelineOptions) {
  const { media, format, meter, onHeard, source, spokenTerms, signal } = options;
  const audio = options.decoders.decode(media, {
    ...{ format, meter, signal, sampleRateHz: RECOGNITION_RATE_HZ },
  });
  const speech = listen(countHeard(audio, onHeard), { ...options.endpointing, signal });
  const { recognisers, detectLanguage } = options;
  return recognise(speech, { recognisers, source, spokenTerms, detectLanguage, signal });
}

/** Tells how far a stream of samples was read, in ms. */
async function* countHeard(
  audio: AsyncIterable<Uint8Array>,
  onHeard: (positionMs: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const samples of audio) {
    yield samples;
    bytes += samples.length;
    onHeard((bytes / 2 / RECOGNITION_RATE_HZ) * 1000);
  }
}
