/**
 * The voice path: decode → recognise → segment → translate → emit.
 *
 * Each stage is a function from AsyncIterable to AsyncIterable and lives in a file of its own.
 * Source captions are never held back by translation: every target reads its own conflating branch.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { AudioFormat } from '../../shared/media-type.ts';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import type { RecognitionEngine } from '../engines/engine.ts';
import { conflateUpdates } from './captions.ts';
import type { AudioDecoders } from './decode.ts';
import { emitEnds, emitSource, emitTarget } from './emit.ts';
import { segment } from './segment.ts';
import { broadcast, merge } from './streams.ts';
import { translate, type TranslateText } from './translate.ts';

/** A language as the client wrote it, and as our code knows it. */
export interface RequestedLanguage {
  requested: string;
  tag: LanguageTag;
}

export interface VoicePipelineOptions {
  /** Audio as it arrives, in the client's format. */
  media: AsyncIterable<Uint8Array>;
  format: AudioFormat;
  /** Counts the audio of compressed formats, in ms, as it is decoded; a throw ends the session. */
  meter: (durationMs: number) => void;
  source: RequestedLanguage;
  targets: readonly RequestedLanguage[];
  decoders: AudioDecoders;
  recogniser: RecognitionEngine;
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
  const { source, targets, recogniser, translateText, signal } = options;

  const audio = options.decoders.decode(options.media, {
    format: options.format,
    sampleRateHz: recogniser.sampleRateHz,
    signal,
    meter: options.meter,
  });
  const recognitions = recogniser.recognise(audio, { language: source.tag, signal });
  const captions = broadcast(
    segment(recognitions, { language: source.tag, punctuates: recogniser.punctuates }),
    conflateUpdates,
  );

  const sourceMessages = emitSource(captions.subscribe(), source.requested);
  const targetMessages = targets.map(({ requested, tag }) => {
    const updates = captions.subscribe();
    return emitTarget(translate(updates, { target: tag, translateText, signal }), requested);
  });

  yield* merge(sourceMessages, ...targetMessages);
  yield* emitEnds(targets.map(({ requested }) => requested));
}
