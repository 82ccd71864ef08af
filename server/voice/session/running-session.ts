/**
 * One voice session: its voice path, the messages its client has yet to receive, and its current
 * connection. A session outlives its connections: when one drops, the voice path goes on, and the next
 * connection receives what the client has missed.
 */
import { type ServiceError, toServiceError } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import type { RecognitionEngine } from '../../engines/engine.ts';
import type { ApiKey, PageOrigin } from '../../http/door.ts';
import { createLagWatch, SessionMeasures, type SessionCondition } from './session-measures.ts';
import {
  createSessionUpdates,
  type SentUpdate,
  type SessionTerms,
  type SessionUpdates,
} from './session-updates.ts';
import { createSessionMeter, MediaQueue, type RealTimeMeter } from './media-queue.ts';
import type { VoiceMeasures } from '../path/measures.ts';
import { Acknowledgements, Outbox } from './outbox.ts';
import type { VoicePipeline, VoicePipelineOptions } from '../path/pipeline.ts';
import type { SessionHold } from './handover.ts';
import { resumedPath, type KeptSession } from './kept-session.ts';
import {
  sessionGone,
  whileSure,
  type SessionConnection,
  type SessionIntake,
  type SessionRoom,
} from './session-connection.ts';
import type { SessionJournal } from './session-journal.ts';
import type { SpeechCharge } from './speech-charge.ts';

/** What a session supplies to its voice path. */
export type VoicePathInput = Pick<
  VoicePipelineOptions,
  'media' | 'meter' | 'onHeard' | 'signal' | 'progress' | 'resumed'
>;

/** The key that opened a session, and what it requested. */
export interface SessionOrigin {
  /** Undefined for sessions of the demo page. */
  key: ApiKey | undefined;
  openedAtMs: number;
  /** As requested; undefined when the language is detected. */
  sourceLanguage: string | undefined;
  /** The recogniser that is likeliest to hear the session. */
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
  /** Whether the client receives the terms in force as soon as it connects. */
  tellsTerms: boolean;
  terms: SessionTerms;
  /** Audio that may wait for a slow engine before the client is held back, in ms. */
  maxLagMs: number;
  /** How long a session without a connection is kept, in ms. */
  resumeMs: number;
  measures: VoiceMeasures;
  /** Undefined for sessions that are not charged. */
  charge: Pick<SpeechCharge, 'add'> | undefined;
  /** Whether a page of this origin may connect to the session. */
  mayConnect: (page: PageOrigin) => boolean;
  run: (input: VoicePathInput) => VoicePipeline;
  /** Room in which viewers read the captions. */
  room: SessionRoom | undefined;
  /** Records what another server needs to resume the session; undefined for a single server. */
  journal?: SessionJournal | undefined;
  /** State in which another server left the session. */
  resumed?: KeptSession | undefined;
  /** Called once, when the session is over. */
  onOver: () => void;
  /** Called instead of `onOver` when another server takes the session. */
  onGone?: () => void;
}

export class RunningSession implements SessionIntake {
  readonly id: string;
  readonly origin: SessionOrigin;
  readonly #options: RunningSessionOptions;
  readonly #outbox: Outbox;
  readonly #queue: MediaQueue;
  readonly #updates: SessionUpdates;
  #pipeline: VoicePipeline | undefined;
  readonly #measures: SessionMeasures;
  readonly #unwatch: readonly (() => void)[];
  readonly #meter: RealTimeMeter;
  readonly #charge: Pick<SpeechCharge, 'add'> | undefined;
  /** Undefined for clients that did not ask for their lag. */
  readonly #watchLag: ((lagMs: number) => void) | undefined;
  readonly #maxLagMs: number;
  readonly #ended = new AbortController();
  readonly #moved = new AbortController();
  readonly #journal: SessionJournal | undefined;
  #isStopping = false;
  #connection: { replaced: AbortController; hold: (isHeld: boolean) => void } | undefined;
  /** Runs while no client is connected. */
  #expiry: NodeJS.Timeout | undefined;
  readonly #isPcm: boolean;
  readonly #isInRoom: boolean;
  #hasStarted = false;
  #receivedMs = 0;
  /** When the first sample was said, counted back from the last arrival, in ms since the epoch. */
  #originMs = 0;
  #audioCountedAtMs = -Infinity;
  #saidAtMs = -Infinity;
  #heardMs = 0;
  #isHeld = false;
  /** Undefined for clients that did not request acknowledgements. */
  readonly #acknowledgements: Acknowledgements | undefined;
  /** Last sequence that the reconnecting client reported, for its next connection. */
  #resumeAfter: number | undefined;

  /** @param expectWithinMs time within which a client must connect, or the session ends */
  constructor(options: RunningSessionOptions, expectWithinMs: number) {
    this.#options = options;
    this.#isPcm = options.format.container === 'pcm';
    this.#isInRoom = options.room !== undefined;
    this.#maxLagMs = options.maxLagMs;
    this.id = options.id;
    this.origin = options.origin;
    const { measures, journal, resumed, charge } = options;
    this.#journal = journal;
    this.#charge = charge;
    // The client may send at once whatever another server would have accepted by now.
    this.#meter = createSessionMeter(
      options.format,
      resumed && {
        elapsedMs: Date.now() - options.origin.openedAtMs,
        receivedMs: resumed.audio.receivedMs,
      },
    );
    this.#measures = new SessionMeasures(measures);
    this.#outbox = new Outbox({
      isNumbered: options.acknowledges,
      onOvertaken: () => measures.updatesDropped(1),
      onKept: journal && ((message, sequence) => journal.told(message, sequence)),
      onDropped: journal && ((sequence) => journal.dropped(sequence)),
    });
    journal?.listenTo({
      onKept: (sequence) => this.#outbox.release(sequence),
      onAudioKept: (durationMs) => charge?.add(durationMs),
      onRefused: () => this.leave(),
    });
    this.#queue = new MediaQueue({
      format: options.format,
      maxLagMs: options.maxLagMs,
      hold: () => this.#holdOrLetGo(),
      onPiece: journal && ((piece) => journal.audio.came(piece)),
      receivedBytes: resumed?.audio.receivedBytes,
    });
    this.#updates = createSessionUpdates(options.terms, {
      apply: (path) => !this.isOver && this.#pipeline?.change(path, this.#receivedMs) === true,
      onChanged: (request) => journal?.changed(request),
      receivedMs: () => this.#receivedMs,
      tell: (message) => this.#pipeline?.tell(message) ?? this.#outbox.put(message),
      onWaiting: () => this.#holdOrLetGo(),
    });
    if (resumed !== undefined) this.#resume(resumed);
    else if (options.tellsTerms) this.#updates.tellTerms();
    if (options.tellsLag) {
      this.#watchLag = createLagWatch((lagMs) =>
        this.#outbox.notify({ type: 'source_lag_update', lag_ms: Math.round(lagMs) }),
      );
    }
    this.#unwatch = [
      measures.watchQueue('source_media', () => this.#queue.size),
      measures.watchQueue('outbox', () => this.#outbox.unconfirmedCount),
    ];
    if (options.acknowledges) {
      this.#acknowledgements = new Acknowledgements(() => this.#acknowledge());
    }
    this.#expireIn(expectWithinMs);
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Current state of the session; times in ms. */
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

  /** Whether a page may connect to the session. */
  mayConnect(page: PageOrigin): boolean {
    return this.#options.mayConnect(page);
  }

  /** Received audio; undefined for clients that did not request acknowledgements. */
  get received(): { received_audio_ms: number; received_audio_bytes: number } | undefined {
    if (!this.#options.acknowledges) return undefined;
    // Only audio that the broker has counts: audio held by this server alone is lost if the server dies.
    const { ms, bytes } = this.#journal?.audio.kept ?? {
      ms: this.#receivedMs,
      bytes: this.#queue.receivedBytes,
    };
    return { received_audio_ms: Math.round(ms), received_audio_bytes: bytes };
  }

  /** Whether this server owns the session; always true on a single server. */
  get isOwned(): boolean {
    return this.#journal === undefined || this.#journal.hold !== undefined;
  }

  /** Makes this server the owner of the session. @throws ServiceError broker_unavailable */
  async own(hold: SessionHold): Promise<void> {
    await this.#journal?.begin(hold);
  }

  /** Writes again what the broker has lost. */
  restore(): void {
    this.#journal?.restore(this.#outbox.kept);
  }

  /**
   * Prepares for a reconnection: drops the current connection, if any, and waits `withinMs` for the next
   * one.
   *
   * @param lastSequence sequence of the last message the client has, if the client reports it
   */
  awaitReconnection(withinMs: number, lastSequence: number | undefined): void {
    this.#resumeAfter = lastSequence;
    // The client may connect to another server, which must know its position as well.
    if (lastSequence !== undefined) this.#confirm(lastSequence);
    this.#connection?.replaced.abort();
    this.#connection = undefined;
    this.#expireIn(withinMs);
  }

  /** Opens a connection to the session and drops the previous one, if any. */
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
    // The pipeline starts before the gap is marked: replayed audio precedes the gap.
    if (!this.#hasStarted && !this.#outbox.hasEnded) void this.#run();
    // Clients that receive acknowledgements continue at the exact byte that is missing.
    if (isResumed && !this.#options.acknowledges) this.#queue.markGap();
    if (isResumed) this.#options.measures.connectionResumed();
    this.#acknowledgements?.now();
    return {
      sessionId: this.id,
      messageFormat: this.#options.messageFormat,
      intake: this,
      reader: this.#journal === undefined ? reader : whileSure(reader, this.#journal),
      moved: this.#moved.signal,
      failed: this.#ended.signal,
      replaced: connection.replaced.signal,
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

  /** Stops taking audio, acknowledges what has arrived, and lets the voice path conclude it. */
  conclude(): void {
    this.#isStopping = true;
    this.#acknowledgements?.now();
    this.endMedia();
  }

  /**
   * Ends the session at once.
   *
   * @param reason sent to a connected client; omitted when no client is connected
   */
  end(reason?: ServiceError): void {
    if (this.isOver) return;
    const hold = this.#journal?.hold;
    // After a stall of this process another server may own the session, and only the owner may end it.
    if (hold?.isCertain === false) void hold.check().then((isOurs) => isOurs && this.#end(reason));
    else this.#end(reason);
  }

  #end(reason: ServiceError | undefined): void {
    if (this.isOver) return;
    this.#close(reason ?? sessionGone());
    this.#measures.ended(reason, this.#outbox.hasEnded);
    if (this.#journal !== undefined) this.#charge?.add(this.#journal.audio.takeUnkept());
    this.#options.onOver();
  }

  /**
   * Hands the session over to another server, together with everything known about it.
   *
   * @returns false when the journal cannot be written (the session stays here) or the session is over
   */
  async handOver(): Promise<boolean> {
    if (this.isOwned && (await this.#journal?.flush()) === false) return false;
    if (this.isOver) return false;
    // The client sends again whatever arrived in the meantime.
    this.leave();
    return true;
  }

  /** Stops the session here, as another server owns it: nothing more is recognised or sent. */
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
    this.#acknowledgements?.stop();
    this.#ended.abort(reason);
    for (const unwatch of this.#unwatch) unwatch();
    this.#outbox.close();
    this.#queue.end();
  }

  #resume({ messages, lastSequence, confirmed, audio }: KeptSession): void {
    this.#outbox.resume({ messages, lastSequence, confirmed });
    this.#receivedMs = audio.receivedMs;
    this.#queue.replay(audio.pieces);
    if (audio.hasEnded) this.endMedia();
  }

  async #run(): Promise<void> {
    this.#hasStarted = true;
    this.#originMs = Date.now() - this.#arrivedMs;
    const { resumed } = this.#options;
    this.#pipeline = this.#options.run({
      media: this.#queue,
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
      resumed: resumed && resumedPath(resumed),
    });
    this.#options.room?.hear({
      sessionId: this.id,
      captions: this.#pipeline.captions(),
      originMs: () => this.#originMs,
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

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get hasMediaEnded(): boolean {
    return this.#queue.hasEnded;
  }

  get hasMediaWaiting(): boolean {
    return this.#queue.size > 0;
  }

  get audioCountedAtMs(): number {
    return this.#audioCountedAtMs;
  }

  push(data: Uint8Array): void {
    const durationMs = this.#queue.check(data);
    if (data.length === 0) return;
    if (this.#isPcm) this.#count(durationMs);
    this.#queue.push(data);
    if (this.#isInRoom) {
      this.#originMs = Math.max(this.origin.openedAtMs, Date.now() - this.#arrivedMs);
    }
    // Compressed audio is not decoded while recognition stalls, but its lag grows all the same; what is decoded
    // later, a whole second at once in Ogg, has been heard a moment after.
    this.#noteLag();
    this.#acknowledgements?.soon();
  }

  endUtterance(): void {
    this.#queue.endUtterance();
  }

  update(update: SentUpdate): void {
    this.#updates.take(update);
  }

  endMedia(): void {
    this.#queue.end();
    this.#updates.end();
    this.#journal?.audio.ended();
  }

  /** Returns whether another acknowledgement is to follow, even if no audio comes. */
  #acknowledge(): boolean {
    const { received } = this;
    if (received === undefined || !this.isConnected) return false;
    this.#outbox.notify({ type: 'source_media_acknowledgement', ...received });
    return !this.#outbox.hasEnded;
  }

  /** @throws ServiceError audio_too_fast */
  #count(durationMs: number): void {
    const nowMs = performance.now();
    this.#meter.count(durationMs, nowMs);
    this.#receivedMs += durationMs;
    if (durationMs > 0) this.#audioCountedAtMs = nowMs;
    if (this.#journal === undefined) this.#charge?.add(durationMs);
    else this.#journal.audio.counted(durationMs);
    this.#measures.audio(durationMs, this.#receivedMs, this.#lagMs);
  }

  /** Audio that has arrived, in ms; for compressed audio not yet decoded, an estimate. */
  get #arrivedMs(): number {
    return this.#receivedMs + (this.#isPcm ? 0 : this.#queue.waitingMs);
  }

  /** Audio that has arrived but has not been recognised, in ms. */
  get #lagMs(): number {
    return this.#arrivedMs - this.#heardMs;
  }

  /**
   * Applies back-pressure: holds the client back while too much audio waits anywhere on the voice path,
   * until half of it has been recognised, or while too many session updates wait.
   */
  #holdOrLetGo(): void {
    const isBehind = this.#lagMs > (this.#isHeld ? this.#maxLagMs / 2 : this.#maxLagMs);
    const mustHold = isBehind || this.#queue.isFull || this.#updates.isFull;
    if (this.#isHeld === mustHold) return;
    this.#isHeld = !this.#isHeld;
    this.#connection?.hold(this.#isHeld);
  }

  /** Runs for each chunk, so it acts only on lag; the queue and the updates report for themselves. */
  #noteLag(): void {
    const lagMs = this.#lagMs;
    if (this.#isHeld || lagMs > this.#maxLagMs) this.#holdOrLetGo();
    this.#watchLag?.(lagMs);
  }

  #expireIn(ms: number): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.end(), ms).unref();
  }
}
