/**
 * Target languages of a running session, which can change while someone is speaking. An added language
 * starts with the whole current sentence, and a removed one finishes what was being said. A language that returns before
 * it has finished continues in the same track, without an end mark in between.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import type { SynthesisEngine, VoiceGender } from '../../engines/engine.ts';
import {
  conflateUpdates,
  type CaptionMode,
  type CaptionSegment,
  type CaptionUpdate,
} from './captions.ts';
import { emitMedia, emitTarget } from './emit.ts';
import type { SpeechEncoders } from '../audio/encode.ts';
import {
  broadcast,
  createChannel,
  type Broadcast,
  type Channel,
  type Subscription,
} from './streams.ts';
import type { Progress, ProgressState, SpeechState } from './progress.ts';
import { synthesise } from './synthesise.ts';
import { translate, type TranslateText } from './translate.ts';

/** A language as the client wrote it, and its canonical tag. */
export interface RequestedLanguage {
  requested: string;
  tag: LanguageTag;
}

/** The one target language that is also spoken. */
export interface RequestedSpeech {
  /** One of the targets. */
  target: RequestedLanguage;
  format: TargetMediaFormat;
  gender: VoiceGender | undefined;
  engine: SynthesisEngine;
}

/** Target languages, speech, and translation settings. */
export interface TargetTerms {
  targets: readonly RequestedLanguage[];
  speech: RequestedSpeech | undefined;
  /** Translates everything that is not concluded yet. */
  translateText: TranslateText;
}

export interface TargetTracksOptions {
  mode: CaptionMode;
  encoders: SpeechEncoders;
  signal: AbortSignal;
  /** Adds the messages of a track or of its speech to the output. */
  add: (messages: AsyncIterable<ServerMessage>) => void;
  /** Records progress; undefined for a single server. */
  progress?: Progress | undefined;
  /** State in which another server stopped. */
  resumed?: ProgressState | undefined;
}

export interface TargetTracks {
  /** Updates for the source track. */
  readonly captions: AsyncIterable<CaptionUpdate>;
  /** Adds a reader of the source captions, starting now. */
  follow(): AsyncIterable<CaptionUpdate>;
  /** The terms in force. */
  readonly terms: TargetTerms;
  /**
   * Changes the terms from now on; returns false when the source has ended.
   *
   * @param atMs position in the audio: a removed language still gets what began before it
   */
  change(terms: TargetTerms, atMs: number): boolean;
}

/** Most languages that may finish a sentence at a time; beyond that, the oldest are cut off. */
const MAX_LEAVING = 5;

interface Track {
  target: RequestedLanguage;
  /** Index up to which this track does not translate sentences. */
  after: number;
  /** Updates that the track currently translates. */
  captions: Subscription<CaptionUpdate>;
  /** Position before which the last sentence of a removed language begins; undefined while it is wanted. */
  leavesAtMs: number | undefined;
  voice: Voice | undefined;
}

interface Voice {
  wish: RequestedSpeech;
  /** Concluded captions to speak. */
  said: Channel<CaptionUpdate>;
  /** Progress of the speech on another server. */
  spoken: SpeechState | undefined;
  hasBegun: boolean;
  /** Whether the end of the speech is announced on its own rather than with the end of the session. */
  isLeaving: boolean;
}

/** @param updates source captions */
export function createTargetTracks(
  updates: AsyncIterable<CaptionUpdate>,
  terms: TargetTerms,
  options: TargetTracksOptions,
): TargetTracks {
  return new LiveTracks(updates, terms, options);
}

class LiveTracks implements TargetTracks {
  readonly captions: AsyncIterable<CaptionUpdate>;
  terms: TargetTerms;
  readonly #options: TargetTracksOptions;
  readonly #updates: Broadcast<CaptionUpdate>;
  /** Tracks that receive the source captions. */
  readonly #tracks = new Map<string, Track>();
  /** Removed tracks that may still have their last sentence to translate. */
  readonly #finishing = new Map<string, Track>();
  /** Languages, as requested, that have concluded text; their next segment begins with a blank. */
  readonly #said = new Set<string>();
  #isMidSentence = false;
  /** The voice in force. */
  #voice: Voice | undefined;
  #isSpeaking = false;
  #spoken: SpeechState | undefined;

  constructor(
    updates: AsyncIterable<CaptionUpdate>,
    terms: TargetTerms,
    options: TargetTracksOptions,
  ) {
    this.#options = options;
    this.#updates = broadcast(updates, conflateUpdates, (update) => this.#follow(update));
    this.captions = this.#updates.subscribe();
    this.terms = terms;
    this.#spoken = options.resumed?.speech;
    for (const language of options.resumed?.said ?? []) this.#said.add(language);
    this.change(terms, 0);
  }

  follow(): AsyncIterable<CaptionUpdate> {
    return this.#updates.subscribe();
  }

  change(terms: TargetTerms, atMs: number): boolean {
    if (this.#updates.isDone) return false;
    this.terms = terms;
    const wanted = new Map(terms.targets.map((target) => [target.requested, target]));
    for (const [requested, track] of this.#tracks) {
      track.leavesAtMs = wanted.has(requested) ? undefined : (track.leavesAtMs ?? atMs);
      if (track.leavesAtMs !== undefined && !this.#isMidSentence) this.#end(track);
    }
    const leaving = [...this.#tracks.values()].filter((track) => track.leavesAtMs !== undefined);
    for (const track of leaving.slice(0, -MAX_LEAVING)) this.#end(track);
    for (const target of wanted.values()) {
      if (!this.#tracks.has(target.requested)) this.#begin(target);
    }
    this.#changeVoice(terms.speech);
    return true;
  }

  /** Ends removed languages once every sentence that they saw begin is complete; one update may hold several. */
  #follow({ sentences }: CaptionUpdate): void {
    const { concluded = [], growing } = sentences ?? {};
    this.#options.progress?.concluded(concluded);
    this.#isMidSentence = growing !== undefined;
    for (const track of this.#tracks.values()) {
      const { leavesAtMs } = track;
      if (leavesAtMs === undefined || (growing && growing.startMs < leavesAtMs)) continue;
      this.#end(
        track,
        concluded.filter(({ startMs }) => startMs < leavesAtMs),
      );
    }
  }

  /** Ends a track after its last sentences. */
  #end(track: Track, last: CaptionSegment[] = []): void {
    const { requested } = track.target;
    this.#tracks.delete(requested);
    this.#finishing.set(requested, track);
    track.voice = undefined;
    track.captions.end(ofSentences(last));
  }

  #begin(target: RequestedLanguage): void {
    const { requested } = target;
    const before = this.#finishing.get(requested);
    if (before !== undefined) {
      this.#finishing.delete(requested);
      if (!before.captions.resume()) before.captions = this.#updates.subscribe();
      before.leavesAtMs = undefined;
      this.#tracks.set(requested, before);
      return;
    }
    const { progress, resumed } = this.#options;
    const after = progress?.begin(requested) ?? 0;
    const pending = resumed?.pending.filter(({ index = 0 }) => index > after) ?? [];
    const track = {
      target,
      after,
      captions: this.#updates.subscribe(pending.length === 0 ? undefined : ofSentences(pending)),
      leavesAtMs: undefined,
      voice: undefined,
    };
    this.#tracks.set(requested, track);
    this.#options.add(this.#captionsOf(track));
  }

  async *#captionsOf(track: Track): AsyncGenerator<ServerMessage> {
    const { requested: language, tag } = track.target;
    const { mode, signal } = this.#options;
    try {
      let captions;
      do {
        ({ captions } = track);
        const translated = translate(captions, {
          target: tag,
          mode,
          signal,
          isFirst: !this.#said.has(language),
          after: track.after,
          translateText: (...wish) => this.terms.translateText(...wish),
        });
        yield* emitTarget(this.#heardBy(track, translated), language, this.#options.progress);
      } while (captions !== track.captions);
    } finally {
      track.voice?.said.end();
    }
    this.#finishing.delete(language);
    if (track.leavesAtMs !== undefined) yield { type: 'end_of_target_transcript', language };
  }

  /** Passes concluded captions to the track's voice, if any. */
  async *#heardBy(
    track: Track,
    translated: AsyncIterable<CaptionUpdate>,
  ): AsyncGenerator<CaptionUpdate> {
    for await (const update of translated) {
      if (update.concluded.length > 0) {
        this.#said.add(track.target.requested);
        track.voice?.said.push(update);
      }
      yield update;
    }
  }

  /** Switches voices; the previous voice still speaks what was concluded before. */
  #changeVoice(wish: RequestedSpeech | undefined): void {
    const before = this.#voice;
    const track = wish && this.#tracks.get(wish.target.requested);
    if (before !== undefined && track?.voice === before && isSame(before.wish, wish)) return;
    for (const each of this.#tracks.values()) each.voice = undefined;
    if (before !== undefined) before.isLeaving = true;
    before?.said.end();
    this.#voice = undefined;
    const { progress } = this.#options;
    progress?.speak(wish?.target.requested);
    if (wish === undefined || track === undefined) return;
    const said = createChannel<CaptionUpdate>();
    const spoken = this.#takeSpoken(wish);
    if (spoken !== undefined) said.push({ concluded: spoken.unspoken, tentative: [] });
    track.voice = this.#voice = { wish, said, spoken, hasBegun: false, isLeaving: false };
    if (!this.#isSpeaking) this.#options.add(this.#speech());
    this.#isSpeaking = true;
  }

  /** Returns the progress of a language's speech on another server, on the first call only. */
  #takeSpoken({ target }: RequestedSpeech): SpeechState | undefined {
    const spoken = this.#spoken;
    this.#spoken = undefined;
    return spoken?.language === target.requested ? spoken : undefined;
  }

  /** Runs one voice after another; a voice that is replaced before its turn is skipped. */
  async *#speech(): AsyncGenerator<ServerMessage> {
    const { encoders, signal } = this.#options;
    for (let voice = this.#voice; voice?.hasBegun === false; voice = this.#voice) {
      voice.hasBegun = true;
      const { engine, gender, format, target } = voice.wish;
      const { requested: language } = target;
      const { spoken } = voice;
      // Raw samples can continue a stream; a container format must begin a new one.
      const isContinued = spoken?.hasBegun === true && format.container === 'pcm';
      if (spoken?.hasBegun === true && !isContinued)
        yield { type: 'end_of_target_media', language };
      const chunks = synthesise(voice.said, {
        language: target.tag,
        signal,
        encoders,
        engine,
        gender,
        format,
        spokenMs: spoken?.toldMs,
      });
      yield* emitMedia(chunks, { language, contentType: format.contentType, isContinued });
      if (voice.isLeaving) yield { type: 'end_of_target_media', language };
    }
    this.#isSpeaking = false;
  }
}

function ofSentences(concluded: CaptionSegment[]): CaptionUpdate {
  const sentences = { concluded, growing: undefined, isUnsure: false };
  return { concluded: [], tentative: [], sentences };
}

function isSame(voice: RequestedSpeech, wish: RequestedSpeech | undefined): boolean {
  const { engine, gender, format } = voice;
  const isSameVoice = wish?.engine === engine && wish.gender === gender;
  return isSameVoice && wish.format.contentType === format.contentType;
}
