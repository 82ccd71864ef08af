/**
 * The voice path: decode and listen → recognise → segment → translate → synthesise → emit.
 *
 * Each stage is a function from AsyncIterable to AsyncIterable in a file of its own. Translation never
 * holds back source captions: every target reads its own conflating branch.
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

/** Settings that a running session can change. */
export interface VoiceTerms extends TargetTerms {
  /** Words that are likely to be said; changes apply from the next utterance on. */
  spokenTerms: readonly string[];
}

export interface VoicePipelineOptions extends VoiceTerms {
  /** Audio as it arrives, in the client's format. */
  media: MediaSource;
  format: AudioFormat;
  /** Counts decoded audio of compressed formats, in ms; a throw ends the session. */
  meter: (durationMs: number) => void;
  /** Called with the position in the stream up to which the audio has been recognised, in ms. */
  onHeard: (positionMs: number) => void;
  source: RequestedSource;
  captionMode: CaptionMode;
  /** Whether concluded source captions list their words. */
  tellsWords: boolean;
  endpointing: Endpointing;
  decoders: AudioDecoders;
  encoders: SpeechEncoders;
  /** In order of preference. */
  recognisers: readonly RecognitionEngine[];
  detectLanguage: (text: string) => Detection;
  /** Records progress, so that another server can resume the session; undefined for a single server. */
  progress?: Progress | undefined;
  /** State in which another server left the session; `media` begins at its resume point. */
  resumed?: ResumedPath | undefined;
  /** Aborts every engine call of the session. */
  signal: AbortSignal;
}

/** State of a session that another server ran before. */
export interface ResumedPath extends ProgressState {
  /** Number of chunks that are replayed. */
  replayedChunks: number;
}

/** A running voice path. */
export interface VoicePipeline {
  /**
   * Messages for the client; the end marks come last.
   *
   * @throws ServiceError of the stage that failed
   */
  readonly messages: AsyncIterable<ServerMessage>;
  /** Caption updates from now on, for a room. Asking for the next update confirms the previous one. */
  captions(): AsyncIterable<CaptionUpdate>;
  /** Changes the terms at this position in the audio; returns false when the path has ended. */
  change(terms: VoiceTerms, atMs: number): boolean;
  /**
   * Appends a message after all earlier ones, so that the effects of a change never precede its
   * announcement. Resolves when the message is read; returns undefined, without sending it, once the end
   * marks follow.
   */
  tell(message: ServerMessage): Promise<void> | undefined;
}

/** Starts the voice path of a session; it runs as its messages are read. */
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

  // Target languages that were to end with their sentence when the previous server stopped.
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
    change(terms, atMs) {
      if (!tracks.change(terms, atMs)) return false;
      spokenTerms.change(terms.spokenTerms);
      return true;
    },
    tell: (message) => messages.push(message),
  };
}

async function* once(message: ServerMessage): AsyncGenerator<ServerMessage> {
  yield message;
}

/** Leaves out sentences that the room has already taken. Asking for the next update confirms the last one. */
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

/** Decodes the audio and recognises what is said. */
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
