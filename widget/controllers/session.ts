/** From a press of the button to the last word: capture and conversation, and the state they are in. */
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import type { VoiceErrorCode, VoiceState } from '../events.ts';
import { VoiceFailure } from '../voice-failure.ts';
import { AudioCapture, type AudioSource } from './microphone.ts';
import type { SessionRequest, TokenProvider } from './token-endpoint.ts';
import { VoiceSocket } from './voice-socket.ts';

/** Why a session is over. */
export type EndReason = 'stopped' | 'source-ended' | 'failed';

/** How a session is made and whom it tells. */
export interface SessionOptions {
  /** Undefined: nothing is captured here, only received. */
  source: AudioSource | undefined;
  deviceId: string;
  chunkMs: number;
  workletUrl: string;
  audible: boolean;
  request: SessionRequest;
  provideToken: TokenProvider;
  onState: (state: VoiceState) => void;
  onMessage: (message: ServerMessage) => void;
  onDrop: () => void;
  onLevel: (level: number) => void;
  onFailure: (failure: VoiceFailure) => void;
  /** Called once, after the last state. */
  onEnd: (reason: EndReason) => void;
}

/** Digital silence lasting this long is worth telling: a muted or vanished microphone fires no event. */
const QUIET_AFTER_MS = 5_000;
const WATCH_EVERY_MS = 1_000;
/** Longest wait for the end of an utterance before other languages begin. */
const LANGUAGE_CHANGE_DEADLINE_MS = 5_000;
/** −80 dB, below the noise of any open microphone. */
const SILENT_PEAK = 1e-4;

const failureStates: Partial<Record<VoiceErrorCode, VoiceState>> = {
  'insecure-context': 'insecure-context',
  'microphone-denied': 'microphone-denied',
  'microphone-missing': 'no-microphone',
  'microphone-busy': 'no-microphone',
  'microphone-lost': 'no-microphone',
};

/** One session. Start it inside the click. */
export class VoiceSession {
  readonly #options: SessionOptions;
  #capture: AudioCapture | undefined;
  #socket: VoiceSocket;
  #state: VoiceState = 'idle';
  #lastSoundAt = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #over = false;
  #stopping: EndReason | undefined;
  #failure: VoiceFailure | undefined;
  /** Takes over when the conversation before it, in other languages, has said its last word. */
  #nextSocket: VoiceSocket | undefined;
  #hasBeenLive = false;
  /** Whether words were heard that the gateway has not concluded. */
  #isMidUtterance = false;
  /** Other languages that wait for the end of the utterance. */
  #heldRequest: SessionRequest | undefined;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #done: Promise<void>;
  #markDone: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#socket = this.#makeSocket(options.request);
    this.#done = new Promise((resolve) => (this.#markDone = resolve));
  }

  /** Runs to the end; every failure is told to `onFailure`. */
  async start(): Promise<void> {
    try {
      await this.#openCapture();
      if (this.#isOver()) return;
      this.#watch = setInterval(() => this.#checkForSound(), WATCH_EVERY_MS);
      await this.#converse();
      this.#end(this.#stopping ?? 'stopped');
    } catch (error) {
      this.#fail(error instanceof VoiceFailure ? error : new VoiceFailure('connection-lost'));
    }
  }

  /** Stops listening, waits for the last words (within a deadline) and ends. */
  async stop(reason: EndReason = 'stopped'): Promise<void> {
    if (this.#over || this.#stopping !== undefined) return this.#done;
    this.#stopping = reason;
    this.#takeHeldRequest();
    if (reason === 'stopped' && !this.#hasBeenLive) {
      this.#end('stopped');
      return;
    }
    this.#setState('stopping');
    await this.#capture?.finish();
    this.#socket.finish();
    return this.#done;
  }

  /** Ends at once, for an element that leaves the page. */
  abort(): void {
    this.#end('stopped');
  }

  /**
   * Goes on in other languages, the newest ones asked for. The microphone stays open, and an
   * utterance of which words are shown already is concluded first, in the languages it began in,
   * unless it lasts more than five seconds longer.
   */
  changeRequest(request: SessionRequest): void {
    if (this.#over || this.#stopping !== undefined) return;
    if (this.#nextSocket !== undefined) {
      this.#nextSocket.request = request;
      return;
    }
    this.#heldRequest = request;
    if (this.#isMidUtterance) {
      this.#changeTimer ??= setTimeout(() => this.#changeNow(), LANGUAGE_CHANGE_DEADLINE_MS);
    } else this.#changeNow();
  }

  #changeNow(): void {
    const request = this.#takeHeldRequest();
    if (request === undefined) return;
    this.#nextSocket = this.#makeSocket(request);
    // Otherwise it is told to finish as soon as it is open.
    if (this.#socket.isOpen) this.#socket.finish();
  }

  #takeHeldRequest(): SessionRequest | undefined {
    const request = this.#heldRequest;
    this.#heldRequest = undefined;
    clearTimeout(this.#changeTimer);
    this.#changeTimer = undefined;
    return request;
  }

  async #openCapture(): Promise<void> {
    const { source, onLevel } = this.#options;
    this.#setState(source === 'microphone' ? 'requesting-microphone' : 'connecting');
    if (source === undefined) return;
    this.#capture = new AudioCapture({
      ...this.#options,
      source,
      onChunk: (samples, peak) => {
        if (peak > SILENT_PEAK) this.#hearSound();
        (this.#nextSocket ?? this.#socket).push(samples);
        onLevel(peak);
      },
      onEnd: (reason) => this.#captureEnded(reason),
    });
    await this.#capture.open();
    this.#lastSoundAt = performance.now();
  }

  async #converse(): Promise<void> {
    // Only once: for the reader a change of languages does not interrupt anything.
    if (this.#stopping === undefined) this.#setState('connecting');
    for (;;) {
      const conversation = this.#socket.run();
      // Stopped between two conversations: what was said meanwhile waits in the second.
      if (this.#stopping !== undefined) this.#socket.finish();
      await conversation;
      if (this.#nextSocket === undefined || this.#over) return;
      this.#socket = this.#nextSocket;
      this.#nextSocket = undefined;
      this.#isMidUtterance = false;
    }
  }

  #makeSocket(request: SessionRequest): VoiceSocket {
    const { provideToken, chunkMs, onMessage, onDrop } = this.#options;
    return new VoiceSocket({
      request,
      provideToken,
      chunkMs,
      onDrop: () => {
        this.#isMidUtterance = false;
        onDrop();
        this.#changeNow();
      },
      onMessage: (message) => {
        if (this.#over) return;
        onMessage(message);
        this.#followUtterance(message);
      },
      onStatus: (status) => this.#socketStatus(status),
    });
  }

  #followUtterance(message: ServerMessage): void {
    if ('source_transcript_update' in message) {
      this.#isMidUtterance = message.source_transcript_update.tentative.length > 0;
    } else if ('end_of_source_transcript' in message) this.#isMidUtterance = false;
    if (!this.#isMidUtterance) this.#changeNow();
  }

  #socketStatus(status: 'open' | 'reconnecting' | 'offline'): void {
    if (status === 'open') this.#hasBeenLive = true;
    if (this.#stopping !== undefined) return;
    // Before the first connection it still is the first that is being made.
    if (status === 'reconnecting' && !this.#hasBeenLive) return;
    if (status === 'open') {
      this.#lastSoundAt = performance.now();
      if (this.#nextSocket !== undefined) this.#socket.finish();
    }
    this.#setState(status === 'open' ? 'live' : status);
  }

  #captureEnded(reason: 'source-ended' | 'microphone-lost'): void {
    if (reason === 'microphone-lost') this.#failure = new VoiceFailure('microphone-lost');
    void this.stop(reason === 'microphone-lost' ? 'failed' : 'source-ended');
  }

  #hearSound(): void {
    this.#lastSoundAt = performance.now();
    if (this.#state === 'quiet') this.#setState('live');
  }

  #checkForSound(): void {
    const { source } = this.#options;
    if (this.#state !== 'live' || source === undefined || source instanceof Blob) return;
    if (performance.now() - this.#lastSoundAt > QUIET_AFTER_MS) this.#setState('quiet');
  }

  #fail(failure: VoiceFailure): void {
    if (this.#over) return;
    this.#failure = failure;
    this.#end('failed');
  }

  #end(reason: EndReason): void {
    if (this.#over) return;
    const failure = this.#failure;
    this.#over = true;
    clearInterval(this.#watch);
    this.#takeHeldRequest();
    this.#capture?.close();
    this.#socket.close();
    if (failure !== undefined) this.#options.onFailure(failure);
    const ended = this.#hasBeenLive ? 'ended' : 'idle';
    this.#setState(failure ? (failureStates[failure.code] ?? 'failed') : ended);
    this.#options.onEnd(failure ? 'failed' : reason);
    this.#markDone();
  }

  #isOver(): boolean {
    return this.#over;
  }

  #setState(state: VoiceState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state);
  }
}
