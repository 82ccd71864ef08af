/**
 * The voice path: decode and listen → recognise → segment → translate → synthesise → emit.
 *
 * Each stage is a function from AsyncIterable to AsyncIterable and lives in a file of its own.
 * Source captions are never held back by translation: every target reads its own conflating branch.
 */
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { Detection, RecognitionEngine } from '../../engines/engine.ts';
import type { CaptionMode, CaptionUpdate } from './captions.ts';
import type { AudioDecoders } from '../audio/decode.ts';
import { emitEnds, emitSource } from './emit.ts';
import type { SpeechEncoders } from '../audio/encode.ts';
import { RECOGNITION_RATE_HZ, type Endpointing } from '../audio/endpointing.ts';
import type { MediaSource } from '../audio/media.ts';
import type { Progress, ProgressState } from './progress.ts';
import {
  createRests,
  createSpokenTerms,
  recognise,
  type RequestedSource,
  type SpokenTerms,
} from './recognise.ts';
import { segment } from './segment.ts';
import { merge } from './streams.ts';
import { createTargetTracks, type TargetTerms } from './target-tracks.ts';

/** What a running session can change. */
export interface VoiceTerms extends TargetTerms {
  /** Words that are likely to be said, from the next utterance on. */
  spokenTerms: readonly string[];
}

export interface VoicePipelineOptions extends VoiceTerms {
  /** Audio as it arrives, in the client's format. */
  media: MediaSource;
  format: AudioFormat;
  /** Counts the audio of compressed formats, in ms, as it is decoded; a throw ends the session. */
  meter: (durationMs: number) => void;
  /** Told how far the recogniser has taken the audio, in ms of the stream. */
  onHeard: (positionMs: number) => void;
  source: RequestedSource;
  captionMode: CaptionMode;
  /** Whether concluded source captions list their words. */
  tellsWords: boolean;
  endpointing: Endpointing;
  decoders: AudioDecoders;
  encoders: SpeechEncoders;
  /** The preferred first. */
  recognisers: readonly RecognitionEngine[];
  detectLanguage: (text: string) => Detection;
  /** Where it is noted how far everything is, so that another could go on; undefined: nobody asks. */
  progress?: Progress | undefined;
  /** Where another has been; its media are to begin there. */
  resumed?: ResumedPath | undefined;
  /** Ends every engine call of the session. */
  signal: AbortSignal;
}

/** A session that was on another server before. */
export interface ResumedPath extends ProgressState {
  /** Chunks that come once more. */
  replayedChunks: number;
}

/** One session that runs. */
export interface VoicePipeline {
  /**
   * The messages for its client, the end marks last.
   *
   * @throws ServiceError of the stage that failed
   */
  readonly messages: AsyncIterable<ServerMessage>;
  /** What is said from now on, for a room: by asking for more it says that it has what came before. */
  captions(): AsyncIterable<CaptionUpdate>;
  /** Other terms from now on; false when everything was said. */
  change(terms: VoiceTerms): boolean;
  /**
   * Adds a message after those there are, so that what was before a change comes before word of it.
   * Resolves when it is read; undefined, and not sent, once the end marks follow.
   */
  tell(message: ServerMessage): Promise<void> | undefined;
}

/** Runs one session as its messages are read. */
export function voicePipeline(options: VoicePipelineOptions): VoicePipeline {
  const { source, captionMode: mode, encoders, signal } = options;
  const spokenTerms = createSpokenTerms(options.spokenTerms);
  const messages = merge<ServerMessage>();
  const { progress, resumed } = options;
  const captions = segment(heard(options, spokenTerms), {
    mode,
    onRest: progress && ((rest, state) => progress.restAt(rest, state)),
    resumed: resumed?.rest?.captions,
  });
  const tracks = createTargetTracks(captions, options, {
    ...{ mode, encoders, signal, progress, resumed },
    add: (each) => messages.add(each),
  });
  messages.add(
    emitSource(tracks.captions, {
      requested: source.requested,
      tellsWords: options.tellsWords,
      toldSegments: resumed && resumed.segments - (resumed.rest?.captions.segments ?? 0),
    }),
  );

  // Those that were to end with a sentence when another server let go.
  const isTarget = (language: string) =>
    options.targets.some(({ requested }) => requested === language);
  for (const language of Object.keys(resumed?.targets ?? {})) {
    if (!isTarget(language)) messages.add(once({ type: 'end_of_target_transcript', language }));
  }

  async function* allMessages() {
    yield* messages;
    const { targets, speech } = tracks.terms;
    yield* emitEnds(
      targets.map(({ requested }) => requested),
      speech?.target.requested,
    );
  }
  return {
    messages: allMessages(),
    captions() {
      progress?.setForRoom(true);
      return forRoom(tracks.follow(), { before: resumed?.sentences ?? 0, progress });
    },
    change(terms) {
      if (!tracks.change(terms)) return false;
      spokenTerms.change(terms.spokenTerms);
      return true;
    },
    tell: (message) => messages.push(message),
  };
}

async function* once(message: ServerMessage): AsyncGenerator<ServerMessage> {
  yield message;
}

/** Without the sentences that the room took before. It has taken those of an update when it asks for the next. */
async function* forRoom(
  updates: AsyncIterable<CaptionUpdate>,
  { before, progress }: { before: number; progress: Progress | undefined },
): AsyncGenerator<CaptionUpdate> {
  try {
    for await (const update of updates) {
      const concluded = update.sentences?.concluded ?? [];
      if (before === 0 || update.sentences === undefined) yield update;
      else {
        const others = concluded.filter(({ index = 0 }) => index > before);
        yield { ...update, sentences: { ...update.sentences, concluded: others } };
      }
      progress?.taken(concluded.at(-1)?.index ?? 0);
    }
  } finally {
    progress?.setForRoom(false);
  }
}

/** What was said, in words. */
function heard(options: VoicePipelineOptions, spokenTerms: SpokenTerms) {
  const { media, format, meter, onHeard, endpointing, source, signal } = options;
  const { recognisers, detectLanguage, progress, resumed } = options;
  const rest = resumed?.rest?.heard;
  const rests = progress && createRests(rest);
  const speech = options.decoders.decode(media, {
    format,
    meter,
    onHeard,
    endpointing,
    signal,
    onRest: rests && ((place) => rests.reached(place)),
    resume: rest?.place,
    meteredChunks: resumed?.replayedChunks,
    sampleRateHz: RECOGNITION_RATE_HZ,
    wantsSamples: recognisers.some(({ ignoresSpeech }) => ignoresSpeech !== true),
  });
  return recognise(speech, { recognisers, source, spokenTerms, detectLanguage, rests, signal });
}
