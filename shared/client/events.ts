/** The events of a voice session: captions, speech, progress and the state of the connection. */
import type { LanguageTag } from '../language.ts';
import type { ServerMessage, SourceSegment, TargetSegment } from '../protocol/messages.ts';
import type { VoiceError } from './voice-error.ts';

/** A segment of a transcript. Texts carry their own leading blank: concatenated, they read correctly. */
export interface CaptionSegment {
  readonly text: string;
  /** Times in ms since the first sample of the session. */
  readonly startMs: number;
  readonly endMs: number;
  /** For the source, the detected language; for a target, the language of the track. */
  readonly language: LanguageTag;
  /** Only with `wordDetails`, in concluded source segments, as far as the recogniser reports words. */
  readonly words?: readonly CaptionWord[];
}

export interface CaptionWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Confidence of the recogniser, 0 to 1; undefined where it reports none. */
  readonly confidence: number | undefined;
}

/** An update of one track. */
export interface CaptionEvent {
  readonly type: 'caption';
  readonly kind: 'source' | 'target';
  /** A target language as requested; for the source, the language last detected. */
  readonly language: LanguageTag | undefined;
  /** Final text, delivered once. */
  readonly concluded: readonly CaptionSegment[];
  /** Text that may still change; replaces the track's previous tentative text. */
  readonly tentative: readonly CaptionSegment[];
}

/** A piece of synthesised speech; the pieces of a session, concatenated, form one valid stream. */
export interface SpeechEvent {
  readonly type: 'speech';
  readonly language: LanguageTag;
  /** Pages, clusters, packets or frames; none may be split. */
  readonly pieces: readonly Uint8Array[];
  readonly durationMs: number;
  /** The spoken text; with the first piece of each segment. */
  readonly text: string | undefined;
  /** Format of the stream; with its first piece. */
  readonly contentType: string | undefined;
  /** How many of the first pieces are headers; with the first piece. */
  readonly headerCount: number | undefined;
}

/** A track is complete. */
export interface EndEvent {
  readonly type: 'end';
  readonly kind: 'source' | 'target' | 'speech';
  /** Undefined for the source. */
  readonly language: LanguageTag | undefined;
}

/** A change of the connection's state; audio may be sent in every state but `closed`. */
export interface StatusEvent {
  readonly type: 'status';
  /** `offline`: the server does not answer at all. */
  readonly status: 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed';
  /** The reason for an unsuccessful end. */
  readonly error?: VoiceError;
}

/** The server no longer knows the session and a new one begins: times start at zero again. */
export interface RestartEvent {
  readonly type: 'restart';
}

/** Amount of audio that the server has received. */
export interface AcknowledgementEvent {
  readonly type: 'acknowledgement';
  readonly receivedMs: number;
  readonly receivedBytes: number;
}

/** Lag of the recogniser behind the audio; 0 once it has caught up. */
export interface LagEvent {
  readonly type: 'lag';
  readonly lagMs: number;
}

/** The settings in force, at the beginning and after each change of the running session. */
export interface TermsEvent {
  readonly type: 'terms';
  /** Audio that the server had received at that point, in ms. */
  readonly startMs: number;
  readonly targetLanguages: readonly LanguageTag[];
  /** The target language that is also synthesised. */
  readonly speechLanguage: LanguageTag | undefined;
  readonly glossaryId: string | undefined;
  readonly formality: string | undefined;
  readonly spokenTermsId: string | undefined;
}

export type VoiceEvent =
  | CaptionEvent
  | SpeechEvent
  | EndEvent
  | StatusEvent
  | RestartEvent
  | AcknowledgementEvent
  | LagEvent
  | TermsEvent;

/** Converts a server message to an event; undefined for messages that end a session. */
export function eventOf(message: ServerMessage): VoiceEvent | undefined {
  if (message.type === 'source_transcript_update') {
    const { concluded, tentative } = message;
    return {
      type: 'caption',
      kind: 'source',
      language: (concluded.at(-1) ?? tentative.at(-1))?.language,
      concluded: concluded.map((segment) => segmentOf(segment, segment.language)),
      tentative: tentative.map((segment) => segmentOf(segment, segment.language)),
    };
  }
  if (message.type === 'target_transcript_update') {
    const { language, concluded, tentative } = message;
    return {
      type: 'caption',
      kind: 'target',
      language,
      concluded: concluded.map((segment) => segmentOf(segment, language)),
      tentative: tentative.map((segment) => segmentOf(segment, language)),
    };
  }
  return speechOf(message) ?? endOf(message) ?? progressOf(message) ?? termsOf(message);
}

function segmentOf(segment: SourceSegment | TargetSegment, language: LanguageTag): CaptionSegment {
  const { text, start_time: startMs, end_time: endMs } = segment;
  const timed = { text, startMs, endMs, language };
  return 'words' in segment ? { ...timed, words: segment.words.map(wordOf) } : timed;
}

function wordOf(word: NonNullable<SourceSegment['words']>[number]): CaptionWord {
  const { text, start_time: startMs, end_time: endMs, confidence } = word;
  return { text, startMs, endMs, confidence };
}

function speechOf(message: ServerMessage): SpeechEvent | undefined {
  if (message.type !== 'target_media_chunk') return undefined;
  const { language, data, duration, text, content_type, headers } = message;
  return {
    type: 'speech',
    language,
    pieces: data,
    durationMs: duration,
    text,
    contentType: content_type,
    headerCount: headers,
  };
}

function endOf(message: ServerMessage): EndEvent | undefined {
  if (message.type === 'end_of_source_transcript') {
    return { type: 'end', kind: 'source', language: undefined };
  }
  if (message.type === 'end_of_target_transcript') {
    return { type: 'end', kind: 'target', language: message.language };
  }
  if (message.type !== 'end_of_target_media') return undefined;
  return { type: 'end', kind: 'speech', language: message.language };
}

function progressOf(message: ServerMessage): AcknowledgementEvent | LagEvent | undefined {
  if (message.type === 'source_media_acknowledgement') {
    const { received_audio_ms, received_audio_bytes } = message;
    return {
      type: 'acknowledgement',
      receivedMs: received_audio_ms,
      receivedBytes: received_audio_bytes,
    };
  }
  if (message.type === 'source_lag_update') {
    return { type: 'lag', lagMs: message.lag_ms };
  }
  return undefined;
}

function termsOf(message: ServerMessage): TermsEvent | undefined {
  if (message.type !== 'session_updated') return undefined;
  return {
    type: 'terms',
    startMs: message.start_time,
    targetLanguages: message.target_languages,
    speechLanguage: message.target_media_languages?.[0],
    glossaryId: message.glossary_id,
    formality: message.formality,
    spokenTermsId: message.spoken_terms_id,
  };
}
