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
    if (reason === 'stopped' && !this.#socket.hasBeenOpen) {
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

  /** Goes on in other languages: the microphone stays open and no word is lost in between. */
  changeRequest(request: SessionRequest): void {
    if (this.#over || this.#stopping !== undefined) return;
    if (this.#nextSocket !== undefined) {
      this.#nextSocket.request = request;
      return;
    }
    this.#nextSocket = this.#makeSocket(request);
    // Otherwise it is told to finish as soon as it is open.
    if (this.#socket.isOpen) this.#socket.finish();
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
    for (;;) {
      this.#setState(this.#stopping === undefined ? 'connecting' : 'stopping');
      const conversation = this.#socket.run();
      // Stopped between two conversations: what was said meanwhile waits in the second.
      if (this.#stopping !== undefined) this.#socket.finish();
      await conversation;
      if (this.#nextSocket === undefined || this.#over) return;
      this.#socket = this.#nextSocket;
      this.#nextSocket = undefined;
    }
  }

  #makeSocket(request: SessionRequest): VoiceSocket {
    const { provideToken, chunkMs, onMessage, onDrop } = this.#options;
    return new VoiceSocket({
      request,
      provideToken,
      chunkMs,
      onDrop,
      onMessage: (message) => {
        if (!this.#over) onMessage(message);
      },
      onStatus: (status) => this.#socketStatus(status),
    });
  }

  #socketStatus(status: 'open' | 'reconnecting' | 'offline'): void {
    if (this.#stopping !== undefined) return;
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
    const wasLive = this.#socket.hasBeenOpen;
    this.#over = true;
    clearInterval(this.#watch);
    this.#capture?.close();
    this.#socket.close();
    if (failure !== undefined) this.#options.onFailure(failure);
    const ended = wasLive ? 'ended' : 'idle';
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
