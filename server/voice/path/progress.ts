/**
 * Progress of a session: what the client has been sent, and the point from which another server can
 * resume. Sent items are counted, so that replayed ones are recognised: the same audio yields the same
 * segments.
 */
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { CaptionSegment } from './captions.ts';
import type { RestHeard } from './recognise.ts';
import type { SegmentState } from './segment.ts';

/** A resume point, in the audio and in the captions. */
export interface Rest {
  heard: RestHeard;
  captions: SegmentState;
}

/** State needed to resume a session after some of its messages. */
export interface ProgressState {
  /** Undefined when the session resumes from its beginning. */
  rest: Rest | undefined;
  /** Number of source segments sent. */
  segments: number;
  /** Number of sentences that the room has taken, on this server or before. */
  sentences: number;
  /** Index of the last sentence sent, by target language as requested. */
  targets: Record<string, number>;
  /** Target languages, as requested, that have concluded text. */
  said: string[];
  /** Sentences that have not been sent in every target language. */
  pending: CaptionSegment[];
  /** Undefined when no language is spoken. */
  speech: SpeechState | undefined;
}

/** Progress of the spoken language. */
export interface SpeechState {
  /** As requested. */
  language: string;
  /** Whether any speech has been sent. */
  hasBegun: boolean;
  /** Segments sent as text but not yet spoken; `toldMs` of the first one have been sent as speech. */
  unspoken: CaptionSegment[];
  toldMs: number;
}

/** Most sentences that may wait for a translation; no translator falls further behind. */
const MOST_PENDING = 500;

/** Additional information about a message. */
export interface MessageMark {
  /** Index of the sentence whose translation the message concludes. */
  sentence?: number;
}

export class Progress {
  /** The latest resume point, and the latest one before which everything has been sent. */
  #rest: Rest | undefined;
  #toldRest: Rest | undefined;
  #segments = 0;
  #sentences = 0;
  /** Sentences that the room has taken, on this server or before; the next server replays the others. */
  #taken = 0;
  #isForRoom = false;
  readonly #targets = new Map<string, number>();
  readonly #said = new Set<string>();
  #pending: CaptionSegment[] = [];
  #speech: SpeechState | undefined;
  readonly #marks = new WeakMap<ServerMessage, MessageMark>();

  // What the voice path produces.

  /** Sets a resume point; everything before it is in earlier updates. */
  restAt(heard: RestHeard, captions: SegmentState): void {
    this.#rest = { heard, captions };
  }

  /** Records concluded sentences. */
  concluded(sentences: readonly CaptionSegment[]): void {
    for (const sentence of sentences) {
      const { index = 0 } = sentence;
      if (index <= this.#sentences) continue;
      this.#sentences = index;
      if (this.#targets.size > 0) this.#pending.push(sentence);
    }
    if (this.#pending.length > MOST_PENDING) this.#pending = this.#pending.slice(-MOST_PENDING);
  }

  /** Sets whether a room takes the sentences; resume points then wait for the room. */
  setForRoom(isForRoom: boolean): void {
    this.#isForRoom = isForRoom;
  }

  /** Records that the room has taken the sentences up to an index. */
  taken(index: number): void {
    this.#taken = Math.max(this.#taken, index);
  }

  /** Starts a target language at the next sentence, or where it stopped. @returns the last sentence sent */
  begin(language: string): number {
    const told = this.#targets.get(language) ?? this.#sentences;
    this.#targets.set(language, told);
    return told;
  }

  /** Sets the spoken language, or none; the same language continues where it was. */
  speak(language: string | undefined): void {
    if (language === this.#speech?.language) return;
    this.#speech =
      language === undefined ? undefined : { language, hasBegun: false, unspoken: [], toldMs: 0 };
  }

  /** Attaches information to a message; must precede passing the message on. */
  mark(message: ServerMessage, mark: MessageMark): void {
    this.#marks.set(message, mark);
  }

  markOf(message: ServerMessage): MessageMark | undefined {
    return this.#marks.get(message);
  }

  // What is sent to the client, message by message.

  told(message: ServerMessage, { sentence }: MessageMark = {}): void {
    if (message.type === 'source_transcript_update') this.#segments += message.concluded.length;
    if (message.type === 'end_of_target_transcript') this.#targets.delete(message.language);
    if (this.#speech !== undefined) this.#speech = spokenFurther(this.#speech, message);
    if (message.type !== 'target_transcript_update' || sentence === undefined) return;
    this.#targets.set(message.language, sentence);
    this.#said.add(message.language);
    const least = Math.min(...this.#targets.values());
    this.#pending = this.#pending.filter(({ index = 0 }) => index > least);
  }

  /** Whether there is a new resume point before which everything has been sent and taken. */
  get isNew(): boolean {
    if (this.#rest === undefined || this.#rest === this.#toldRest) return false;
    const { segments, sentences } = this.#rest.captions;
    return segments <= this.#segments && (!this.#isForRoom || sentences <= this.#taken);
  }

  /** The current state; reading it makes a new resume point the current one, which clears {@link isNew}. */
  get state(): ProgressState {
    if (this.isNew) this.#toldRest = this.#rest;
    return {
      rest: this.#toldRest,
      segments: this.#segments,
      sentences: this.#taken,
      targets: Object.fromEntries(this.#targets),
      said: [...this.#said],
      pending: this.#pending,
      speech: this.#speech,
    };
  }

  /** Continues where another server stopped. */
  resume({ rest, segments, sentences, targets, said, pending, speech }: ProgressState): void {
    this.#speech = speech;
    this.#rest = this.#toldRest = rest;
    this.#segments = segments;
    // Replayed sentences are counted again.
    this.#sentences = rest?.captions.sentences ?? 0;
    this.#taken = sentences;
    this.#targets.clear();
    for (const [language, told] of Object.entries(targets)) this.#targets.set(language, told);
    this.#said.clear();
    for (const language of said) this.#said.add(language);
    this.#pending = pending;
  }
}

/** Returns the progress of speech after a message. Segments are spoken in the order of their text. */
function spokenFurther(speech: SpeechState, message: ServerMessage): SpeechState {
  const { language, unspoken, toldMs } = speech;
  if (!('language' in message) || message.language !== language) return speech;
  if (message.type === 'end_of_target_media') return { ...speech, hasBegun: false };
  if (message.type === 'target_transcript_update') {
    const segments = message.concluded.map(({ text, start_time, end_time }) => ({
      ...{ text, language, startMs: start_time, endMs: end_time },
    }));
    return segments.length === 0 ? speech : { ...speech, unspoken: [...unspoken, ...segments] };
  }
  if (message.type !== 'target_media_chunk') return speech;
  const { text, duration } = message;
  // Once some of the first segment has been sent, that segment is being spoken.
  const from = toldMs > 0 ? 1 : 0;
  const begun =
    text === undefined
      ? -1
      : unspoken.findIndex((each, index) => index >= from && each.text === text);
  // Earlier segments have been spoken or cannot be.
  if (begun < 0) return { ...speech, hasBegun: true, toldMs: toldMs + duration };
  return { ...speech, hasBegun: true, unspoken: unspoken.slice(begun), toldMs: duration };
}
