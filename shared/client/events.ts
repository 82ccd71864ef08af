/** What a voice session tells: the messages of the wire, and what becomes of the connection. */
import type { LanguageTag } from '../language.ts';
import type { ServerMessage, SourceSegment, TargetSegment } from '../protocol/messages.ts';
import type { VoiceError } from './voice-error.ts';

/** A piece of a transcript. Texts carry their own leading blank: joined, they read right. */
export interface CaptionSegment {
  readonly text: string;
  /** Times in ms since the first sample of the session. */
  readonly startMs: number;
  readonly endMs: number;
  /** Of the source: the language that was heard; of a target: the language of the track. */
  readonly language: LanguageTag;
  /** Of what was said, concluded, with `wordDetails`, as far as the recogniser tells them. */
  readonly words?: readonly CaptionWord[];
}

export interface CaptionWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** How sure the recogniser is, 0 to 1; undefined where it does not say. */
  readonly confidence: number | undefined;
}

/** News of one track. */
export interface CaptionEvent {
  readonly type: 'caption';
  readonly kind: 'source' | 'target';
  /** A target language as it was requested; of the source, as it was last heard. */
  readonly language: LanguageTag | undefined;
  /** Final, told once. */
  readonly concluded: readonly CaptionSegment[];
  /** May still change; replaces what was tentative in this track before. */
  readonly tentative: readonly CaptionSegment[];
}

/** A piece of translated speech; the pieces of a session, joined, are one valid stream. */
export interface SpeechEvent {
  readonly type: 'speech';
  readonly language: LanguageTag;
  /** Pages, clusters, packets or frames: none may be cut. */
  readonly pieces: readonly Uint8Array[];
  readonly durationMs: number;
  /** What is spoken; with the first piece of each segment. */
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

/** What becomes of the connection; audio may be sent in every state but `closed`. */
export interface StatusEvent {
  readonly type: 'status';
  /** `offline`: the server does not answer at all. */
  readonly status: 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed';
  /** Why it is closed, unless all went well. */
  readonly error?: VoiceError;
}

/** The server knows nothing of the session any more and a new one begins: times count from zero again. */
export interface RestartEvent {
  readonly type: 'restart';
}

/** So much audio has arrived at the server. */
export interface AcknowledgementEvent {
  readonly type: 'acknowledgement';
  readonly receivedMs: number;
  readonly receivedBytes: number;
}

/** The recogniser is so far behind the audio; 0 once it has caught up. */
export interface LagEvent {
  readonly type: 'lag';
  readonly lagMs: number;
}

/** What is in force, at the beginning and after each change of the running session. */
export interface TermsEvent {
  readonly type: 'terms';
  /** Audio that had arrived then. */
  readonly startMs: number;
  readonly targetLanguages: readonly LanguageTag[];
  /** The one that is spoken as well. */
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

/** The event that a message of the server makes; undefined for those that end a session. */
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
