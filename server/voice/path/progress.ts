/**
 * How far a session has been told, and from where another server can go on with it. What is told is
 * counted, so that what is heard once more is known: the same audio gives the same segments.
 */
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { CaptionSegment } from './captions.ts';
import type { RestHeard } from './recognise.ts';
import type { SegmentState } from './segment.ts';

/** A place from which a session goes on: of its audio, and of its captions. */
export interface Rest {
  heard: RestHeard;
  captions: SegmentState;
}

/** What there is to know of a session to go on with it, at some place among its messages. */
export interface ProgressState {
  /** Undefined: from its beginning. */
  rest: Rest | undefined;
  /** Source segments that were told. */
  segments: number;
  /** Sentences that the room has taken; without one, those that it had. */
  sentences: number;
  /** Of each target language, as it was requested, the last sentence that was told. */
  targets: Record<string, number>;
  /** Languages in which something was said. */
  said: string[];
  /** Sentences that were not told in every target language. */
  pending: CaptionSegment[];
  /** Undefined where no language is spoken. */
  speech: SpeechState | undefined;
}

/** How far the language is that is spoken. */
export interface SpeechState {
  /** As it was requested. */
  language: string;
  /** Whether any of it was told. */
  hasBegun: boolean;
  /** What was told in writing and not spoken yet; of the first so much was told, in ms. */
  unspoken: CaptionSegment[];
  toldMs: number;
}

/** Sentences that wait for a translation; no translator is that late. */
const MOST_PENDING = 500;

/** What is known of a message besides what it says. */
export interface MessageMark {
  /** The sentence of which a translation is concluded in it. */
  sentence?: number;
}

export class Progress {
  /** The latest, and the latest before which everything was told. */
  #rest: Rest | undefined;
  #toldRest: Rest | undefined;
  #segments = 0;
  #sentences = 0;
  /** Sentences that the room has taken, here or before; what it has not is heard once more elsewhere. */
  #taken = 0;
  #isForRoom = false;
  readonly #targets = new Map<string, number>();
  readonly #said = new Set<string>();
  #pending: CaptionSegment[] = [];
  #speech: SpeechState | undefined;
  readonly #marks = new WeakMap<ServerMessage, MessageMark>();

  // What the voice path says, as it goes on.

  /** Everything before it is in updates that came earlier. */
  restAt(heard: RestHeard, captions: SegmentState): void {
    this.#rest = { heard, captions };
  }

  /** Sentences have been concluded. */
  concluded(sentences: readonly CaptionSegment[]): void {
    for (const sentence of sentences) {
      const { index = 0 } = sentence;
      if (index <= this.#sentences) continue;
      this.#sentences = index;
      if (this.#targets.size > 0) this.#pending.push(sentence);
    }
    if (this.#pending.length > MOST_PENDING) this.#pending = this.#pending.slice(-MOST_PENDING);
  }

  /** Whether a room takes the sentences: a place is only gone on from when it has those before it. */
  setForRoom(isForRoom: boolean): void {
    this.#isForRoom = isForRoom;
  }

  /** The room has taken the sentences up to one. */
  taken(index: number): void {
    this.#taken = Math.max(this.#taken, index);
  }

  /** A target language begins with the next sentence, unless it goes on. @returns the last one told */
  begin(language: string): number {
    const told = this.#targets.get(language) ?? this.#sentences;
    this.#targets.set(language, told);
    return told;
  }

  /** A language is spoken from now on; undefined: none is. It goes on where it was that before. */
  speak(language: string | undefined): void {
    if (language === this.#speech?.language) return;
    this.#speech =
      language === undefined ? undefined : { language, hasBegun: false, unspoken: [], toldMs: 0 };
  }

  /** To be said of a message before it is passed on. */
  mark(message: ServerMessage, mark: MessageMark): void {
    this.#marks.set(message, mark);
  }

  markOf(message: ServerMessage): MessageMark | undefined {
    return this.#marks.get(message);
  }

  // What is told, message by message.

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

  /** Whether there is another place to go on from, and all that comes before it was told and taken. */
  get isNew(): boolean {
    if (this.#rest === undefined || this.#rest === this.#toldRest) return false;
    const { segments, sentences } = this.#rest.captions;
    return segments <= this.#segments && (!this.#isForRoom || sentences <= this.#taken);
  }

  /** What it is by now; where it {@link isNew}, it is not any more. */
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

  /** Goes on where another was. */
  resume({ rest, segments, sentences, targets, said, pending, speech }: ProgressState): void {
    this.#speech = speech;
    this.#rest = this.#toldRest = rest;
    this.#segments = segments;
    // What is heard once more is counted once more.
    this.#sentences = rest?.captions.sentences ?? 0;
    this.#taken = sentences;
    this.#targets.clear();
    for (const [language, told] of Object.entries(targets)) this.#targets.set(language, told);
    this.#said.clear();
    for (const language of said) this.#said.add(language);
    this.#pending = pending;
  }
}

/** How far speech is after a message. What is spoken comes in the order in which it was told in writing. */
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
  // The first is being spoken once some of it was told.
  const from = toldMs > 0 ? 1 : 0;
  const begun =
    text === undefined
      ? -1
      : unspoken.findIndex((each, index) => index >= from && each.text === text);
  // Whatever was before it has been spoken, or cannot be.
  if (begun < 0) return { ...speech, hasBegun: true, toldMs: toldMs + duration };
  return { ...speech, hasBegun: true, unspoken: unspoken.slice(begun), toldMs: duration };
}
