/**
 * One voice session: its voice path, what it still has to tell, and the connection it has at the
 * moment. A session outlives its connections: when one drops, the voice path goes on, and the next
 * one is told what the client has missed.
 */
import { type ServiceError, toServiceError } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import type { RecognitionEngine } from '../../engines/engine.ts';
import type { ApiKey, PageOrigin } from '../../http/door.ts';
import {
  createLagWatch,
  createSessionMeasures,
  type CaptionWords,
  type SessionMeasures,
} from './session-measures.ts';
import { createSessionUpdates, type SessionTerms, type SessionUpdates } from './session-updates.ts';
import { createMediaQueue, createSessionMeter, type MediaQueue } from './media-queue.ts';
import type { VoiceMeasures } from '../path/measures.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { ResumedPath, VoicePipeline, VoicePipelineOptions } from '../path/pipeline.ts';
import type { SessionHold } from './handover.ts';
import type { KeptSession } from './kept-session.ts';
import {
  sessionGone,
  whileSure,
  type SessionConnection,
  type SessionRoom,
} from './session-connection.ts';
import type { SessionJournal } from './session-journal.ts';

/** Clients are told how much audio has arrived no more often than this, in ms. */
const ACKNOWLEDGEMENT_EVERY_MS = 500;
/** And no less often, be it the same again: who hears nothing for longer has lost the network, in ms. */
const KEEP_ALIVE_MS = 1_500;

/** What the voice path needs of a session. */
export type VoicePathInput = Pick<
  VoicePipelineOptions,
  'media' | 'meter' | 'onHeard' | 'signal' | 'progress' | 'resumed'
>;

/** Whose a session is, and what was asked of it. */
export interface SessionOrigin {
  /** Undefined: the demo page's. */
  key: ApiKey | undefined;
  openedAtMs: number;
  /** As it was asked for; undefined: detected. */
  sourceLanguage: string | undefined;
  /** The one that is likeliest to hear it. */
  recogniser: RecognitionEngine | undefined;
}

export interface RunningSessionOptions {
  id: string;
  origin: SessionOrigin;
  format: AudioFormat;
  messageFormat: MessageFormat;
  /** Whether durable messages are numbered and received audio is acknowledged. */
  acknowledges: boolean;
  tellsLag: boolean;
  /** Whether the client is told at once what is in force. */
  tellsTerms: boolean;
  terms: SessionTerms;
  /** Audio that may wait for a slow engine before the client is held back, in ms. */
  maxLagMs: number;
  /** How long a session without a connection is kept, in ms. */
  resumeMs: number;
  measures: VoiceMeasures;
  /** Counts every ms of audio that has arrived, for the bill. */
  onAudio: (durationMs: number) => void;
  /** Whether a page of that origin may have the session. */
  mayConnect: (page: PageOrigin) => boolean;
  run: (input: VoicePathInput) => VoicePipeline;
  /** Where others read along. */
  room: SessionRoom | undefined;
  /** Where it is written what another server needs to go on; undefined: there is no other. */
  journal?: SessionJournal | undefined;
  /** Where another server was. */
  resumed?: KeptSession | undefined;
  /** Called once, when the session is over. */
  onOver: () => void;
  /** Called instead when it goes on at another server. */
  onGone?: () => void;
}

/** How a session goes at the moment. */
export interface SessionCondition {
  isConnected: boolean;
  /** As they were requested. */
  targetLanguages: readonly string[];
  /** Audio that has arrived. */
  receivedMs: number;
  /** How much of it was not heard yet. */
  lagMs: number;
  /** Time since words were last sent. */
  quietMs: number;
  words: Readonly<CaptionWords>;
}

export class RunningSession {
  readonly id: string;
  readonly origin: SessionOrigin;
  readonly #options: RunningSessionOptions;
  readonly #outbox: Outbox;
  readonly #queue: MediaQueue;
  readonly #updates: SessionUpdates;
  #pipeline: VoicePipeline | undefined;
  readonly #measures: SessionMeasures;
  readonly #unwatch: readonly (() => void)[];
  readonly #meter: (durationMs: number) => void;
  readonly #watchLag: (lagMs: number) => void;
  readonly #ended = new AbortController();
  readonly #moved = new AbortController();
  readonly #journal: SessionJournal | undefined;
  #isStopping = false;
  #connection: { replaced: AbortController; hold: (isHeld: boolean) => void } | undefined;
  /** Runs while nobody is connected. */
  #expiry: NodeJS.Timeout | undefined;
  readonly #isPcm: boolean;
  #hasStarted = false;
  #receivedMs = 0;
  #audioCountedAtMs = -Infinity;
  #saidAtMs = -Infinity;
  #heardMs = 0;
  #isHeld = false;
  #acknowledgement: NodeJS.Timeout | undefined;
  #isAcknowledgementDue = false;
  /** The sequence the next connection's client says it has. */
  #resumeAfter: number | undefined;

  /** @param expectWithinMs a session nobody connects to in time is over */
  constructor(options: RunningSessionOptions, expectWithinMs: number) {
    this.#options = options;
    this.#isPcm = options.format.container === 'pcm';
    this.id = options.id;
    this.origin = options.origin;
    const { measures, journal, resumed } = options;
    this.#journal = journal;
    // A client may send at once what another server would have let it send by now.
    this.#meter = createSessionMeter(options.origin.openedAtMs, resumed?.audio.receivedMs);
    this.#measures = createSessionMeasures(measures);
    this.#outbox = createOutbox({
      isNumbered: options.acknowledges,
      onOvertaken: () => measures.updatesDropped(1),
      onKept: journal && ((message, sequence) => journal.told(message, sequence)),
      onDropped: journal && ((sequence) => journal.dropped(sequence)),
    });
    journal?.listenTo({
      onKept: (sequence) => this.#outbox.release(sequence),
      onAudioKept: (durationMs) => options.onAudio(durationMs),
      onRefused: () => this.leave(),
    });
    this.#queue = createMediaQueue({
      format: options.format,
      maxLagMs: options.maxLagMs,
      meter: (durationMs) => this.#count(durationMs),
      hold: () => this.#holdOrLetGo(),
      onPiece: journal && ((piece) => journal.audio.came(piece)),
      receivedBytes: resumed?.audio.receivedBytes,
    });
    this.#updates = createSessionUpdates(options.terms, {
      apply: (changed) => !this.isOver && this.#pipeline?.change(changed) === true,
      onChanged: (request) => journal?.changed(request),
      receivedMs: () => this.#receivedMs,
      tell: (message) => this.#pipeline?.tell(message) ?? this.#outbox.put(message),
      onWaiting: () => this.#holdOrLetGo(),
    });
    if (resumed !== undefined) this.#resume(resumed);
    else if (options.tellsTerms) this.#updates.tellTerms();
    this.#watchLag = createLagWatch((lagMs) =>
      this.#outbox.notify({ type: 'source_lag_update', lag_ms: Math.round(lagMs) }),
    );
    this.#unwatch = [
      measures.watchQueue('source_media', () => this.#queue.size),
      measures.watchQueue('outbox', () => this.#outbox.unconfirmedCount),
    ];
    this.#expireIn(expectWithinMs);
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** How it goes at the moment; times in ms. */
  get condition(): SessionCondition {
    return {
      isConnected: this.isConnected,
      targetLanguages: this.#updates.targetLanguages,
      receivedMs: this.#receivedMs,
      lagMs: Math.max(0, this.#lagMs),
      quietMs: performance.now() - this.#saidAtMs,
      words: this.#measures.words,
    };
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get messageFormat(): MessageFormat {
    return this.#options.messageFormat;
  }

  /** Whether a page may have the session. */
  mayConnect(page: PageOrigin): boolean {
    return this.#options.mayConnect(page);
  }

  /** Audio that has arrived; undefined for clients that did not ask. */
  get received(): { received_audio_ms: number; received_audio_bytes: number } | undefined {
    if (!this.#options.acknowledges) return undefined;
    // What only this server has may be lost with it.
    const { ms, bytes } = this.#journal?.audio.kept ?? {
      ms: this.#receivedMs,
      bytes: this.#queue.receivedBytes,
    };
    return { received_audio_ms: Math.round(ms), received_audio_bytes: bytes };
  }

  /** Whether it is this server's, as far as there are others. */
  get isOwned(): boolean {
    return this.#journal === undefined || this.#journal.hold !== undefined;
  }

  /** It is this server's from now on. @throws ServiceError broker_unavailable */
  async own(hold: SessionHold): Promise<void> {
    await this.#journal?.begin(hold);
  }

  /** Writes again what the broker has lost. */
  restore(): void {
    this.#journal?.restore(this.#outbox.kept);
  }

  /**
   * The client is about to reconnect: a live connection is dropped, and a session that was expected
   * or kept is so for `withinMs` more.
   *
   * @param lastSequence of the messages the client has, if it says so
   */
  awaitReconnection(withinMs: number, lastSequence: number | undefined): void {
    this.#resumeAfter = lastSequence;
    // It may connect to another server, which is to know it as well.
    if (lastSequence !== undefined) this.#confirm(lastSequence);
    this.#connection?.replaced.abort();
    this.#connection = undefined;
    this.#expireIn(withinMs);
  }

  /** Hands the session to a connection; the one before, if any, is dropped. */
  connect(): SessionConnection {
    this.#connection?.replaced.abort();
    clearTimeout(this.#expiry);
    const connection = {
      replaced: new AbortController(),
      hold: (_isHeld: boolean): void => undefined,
    };
    this.#connection = connection;
    const reader = this.#outbox.read(this.#resumeAfter);
    this.#resumeAfter = undefined;
    const isResumed = this.#hasStarted || this.#options.resumed !== undefined;
    // Before the gap: what was there before it.
    if (!this.#hasStarted && !this.#outbox.hasEnded) void this.#run();
    // Those who acknowledge go on with the very byte that is missing.
    if (isResumed && !this.#options.acknowledges) this.#queue.markGap();
    if (isResumed) this.#options.measures.connectionResumed();
    this.#acknowledge();
    const queue = this.#queue;
    return {
      sessionId: this.id,
      messageFormat: this.#options.messageFormat,
      reader: this.#journal === undefined ? reader : whileSure(reader, this.#journal),
      moved: this.#moved.signal,
      failed: this.#ended.signal,
      replaced: connection.replaced.signal,
      isStopping: () => this.#isStopping,
      hasMediaEnded: () => queue.hasEnded,
      hasMediaWaiting: () => queue.size > 0,
      audioCountedAtMs: () => this.#audioCountedAtMs,
      push: (data) => this.#push(data),
      endUtterance: () => queue.endUtterance(),
      update: (update) => this.#updates.take(update),
      endMedia: () => this.#endMedia(),
      onHold: (hold) => {
        connection.hold = hold;
        if (this.#isHeld) hold(true);
      },
      confirm: (sequence) => this.#confirm(sequence),
      fail: (error) => this.end(error),
      release: (isFinal) => {
        if (this.#connection === connection) this.#release(isFinal);
      },
    };
  }

  #confirm(sequence: number): void {
    const confirmed = this.#outbox.confirm(sequence);
    this.#journal?.confirmed(confirmed);
  }

  #release(isFinal: boolean): void {
    this.#connection = undefined;
    if (isFinal || this.#outbox.isDelivered) {
      this.end();
      return;
    }
    this.#options.measures.connectionDropped();
    this.#expireIn(this.#options.resumeMs);
  }

  /** Takes no more audio, of which the client is told how much has come, and says everything that was heard. */
  conclude(): void {
    this.#isStopping = true;
    if (this.#options.acknowledges) this.#acknowledge();
    this.#endMedia();
  }

  /**
   * Ends the session at once.
   *
   * @param reason what a connected client is told; none where nobody is connected any more
   */
  end(reason?: ServiceError): void {
    if (this.isOver) return;
    const hold = this.#journal?.hold;
    // Whoever has stood still may have lost it to another server: then it is not ours to end.
    if (hold?.isSure === false) void hold.check().then((isOurs) => isOurs && this.#end(reason));
    else this.#end(reason);
  }

  #end(reason: ServiceError | undefined): void {
    if (this.isOver) return;
    this.#close(reason ?? sessionGone());
    this.#measures.ended(reason, this.#outbox.hasEnded);
    if (this.#journal !== undefined) this.#options.onAudio(this.#journal.audio.takeUnkept());
    this.#options.onOver();
  }

  /**
   * Goes on at another server, which gets everything that is known of it.
   *
   * @returns false where that cannot be written: then it stays; or where it is over
   */
  async handOver(): Promise<boolean> {
    if (this.isOwned && (await this.#journal?.flush()) === false) return false;
    if (this.isOver) return false;
    // What came meanwhile is sent again by its client.
    this.leave();
    return true;
  }

  /** It is another server's: nothing more is heard or told here. */
  leave(): void {
    if (this.isOver) return;
    this.#journal?.stop();
    this.#moved.abort();
    this.#close(sessionGone());
    this.#measures.moved();
    this.#options.onGone?.();
  }

  #close(reason: ServiceError): void {
    clearTimeout(this.#expiry);
    clearTimeout(this.#acknowledgement);
    this.#ended.abort(reason);
    for (const unwatch of this.#unwatch) unwatch();
    this.#outbox.close();
    this.#queue.end();
  }

  #resume({ messages, lastSequence, confirmed, audio }: KeptSession): void {
    this.#outbox.resume({ messages, lastSequence, confirmed });
    this.#receivedMs = audio.receivedMs;
    this.#queue.replay(audio.pieces);
    if (audio.hasEnded) this.#endMedia();
  }

  #endMedia(): void {
    this.#queue.end();
    this.#updates.end();
    this.#journal?.audio.ended();
  }

  async #run(): Promise<void> {
    this.#hasStarted = true;
    this.#pipeline = this.#options.run({
      media: this.#queue.media,
      meter: (durationMs) => {
        this.#queue.decoded(durationMs);
        this.#count(durationMs);
      },
      onHeard: (positionMs) => {
        this.#heardMs = positionMs;
        this.#noteLag();
      },
      signal: this.#ended.signal,
      progress: this.#journal?.progress,
      resumed: this.#resumedPath(),
    });
    this.#options.room?.hear({
      sessionId: this.id,
      captions: this.#pipeline.captions(),
      // Elsewhere, if another server has heard some of it.
      beganAtMs: Date.now() - this.#arrivedMs,
      receivedMs: () => this.#arrivedMs,
      isMoved: () => this.#moved.signal.aborted,
      end: (reason) => this.end(reason),
    });
    try {
      for await (const message of this.#pipeline.messages) {
        if (message.type === 'source_transcript_update') this.#saidAtMs = performance.now();
        this.#measures.message(message, this.#receivedMs);
        await this.#outbox.put(message);
      }
      this.#outbox.end();
    } catch (error) {
      this.end(toServiceError(error));
    }
  }

  #resumedPath(): ResumedPath | undefined {
    const { resumed } = this.#options;
    if (resumed === undefined) return undefined;
    const { progress, audio } = resumed;
    const replayed = audio.pieces.filter(
      (piece) => piece instanceof Uint8Array && piece.length > 0,
    );
    return { ...progress, replayedChunks: replayed.length };
  }

  #push(data: Uint8Array): void {
    const hasAudio = this.#queue.push(data);
    // Nothing is decoded while nothing is heard, and the lag grows all the same.
    if (!hasAudio) return;
    if (!this.#isPcm) this.#noteLag();
    if (this.#options.acknowledges) this.#acknowledgeSoon();
  }

  /** A little later, so that what comes meanwhile is acknowledged with it. */
  #acknowledgeSoon(): void {
    if (this.#isAcknowledgementDue) return;
    this.#isAcknowledgementDue = true;
    this.#acknowledgeIn(ACKNOWLEDGEMENT_EVERY_MS);
  }

  #acknowledgeIn(ms: number): void {
    clearTimeout(this.#acknowledgement);
    this.#acknowledgement = setTimeout(() => this.#acknowledge(), ms).unref();
  }

  /** Also the first word on a connection: so its client knows at once that audio is counted. */
  #acknowledge(): void {
    this.#isAcknowledgementDue = false;
    const { received } = this;
    if (received === undefined || !this.isConnected) return;
    this.#outbox.notify({ type: 'source_media_acknowledgement', ...received });
    // Held back, between headers and sound, or while the last words are awaited, a client has nothing else
    // to know by that we are here.
    if (!this.#outbox.hasEnded) this.#acknowledgeIn(KEEP_ALIVE_MS);
  }

  /** @throws ServiceError audio_too_fast */
  #count(durationMs: number): void {
    this.#meter(durationMs);
    this.#receivedMs += durationMs;
    if (durationMs > 0) this.#audioCountedAtMs = performance.now();
    if (this.#journal === undefined) this.#options.onAudio(durationMs);
    else this.#journal.audio.counted(durationMs);
    this.#measures.audio(durationMs, this.#receivedMs, this.#lagMs);
    this.#noteLag();
  }

  /** Of compressed audio, what waits undecoded is estimated. */
  get #arrivedMs(): number {
    return this.#receivedMs + (this.#isPcm ? 0 : this.#queue.waitingMs);
  }

  /** What has arrived and was not heard. */
  get #lagMs(): number {
    return this.#arrivedMs - this.#heardMs;
  }

  /**
   * A client is held back while too much of its audio waits anywhere on the voice path, and let go
   * when half of that has been heard; and while too many of its updates wait.
   */
  #holdOrLetGo(): void {
    const { maxLagMs } = this.#options;
    const isBehind = this.#lagMs > (this.#isHeld ? maxLagMs / 2 : maxLagMs);
    const mustHold = isBehind || this.#queue.isFull || this.#updates.isFull;
    if (this.#isHeld === mustHold) return;
    this.#isHeld = !this.#isHeld;
    this.#connection?.hold(this.#isHeld);
  }

  /** Runs for each chunk. What else holds a client back says so itself. */
  #noteLag(): void {
    const lagMs = this.#lagMs;
    if (this.#isHeld || lagMs > this.#options.maxLagMs) this.#holdOrLetGo();
    if (this.#options.tellsLag) this.#watchLag(lagMs);
  }

  #expireIn(ms: number): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.end(), ms).unref();
  }
}
