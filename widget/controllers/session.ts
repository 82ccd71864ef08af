/**
 * Session of the caption element: runs capture and connection from the click to the last word, and reports
 * which state they are in.
 */
import { globalSocketClass } from '../../shared/client/socket.ts';
import type { SessionChanges } from '../../shared/client/session-updates.ts';
import type { SessionRequest, TokenProvider } from '../../shared/client/token-provider.ts';
import { VoiceLink, type LinkStatus } from '../../shared/client/voice-link.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { MessageFormat, ServerMessage } from '../../shared/protocol/messages.ts';
import type { VoiceErrorCode, VoiceState } from '../events.ts';
import { toVoiceFailure, VoiceFailure } from '../voice-failure.ts';
import { AudioCapture, SAMPLE_RATE_HZ, type AudioSource, type CaptureEnd } from './microphone.ts';

/** Why a session ended. */
export type EndReason = 'stopped' | 'source-ended' | 'failed';

/** Options and callbacks of a session. */
export interface SessionOptions {
  /** Undefined to receive without capturing. */
  source: AudioSource | undefined;
  deviceId: string;
  chunkMs: number;
  workletUrl: string;
  audible: boolean;
  request: SessionRequest;
  provideToken: TokenProvider;
  onState: (state: VoiceState) => void;
  onMessage: (message: ServerMessage) => void;
  /** Called when the gateway has lost the session: tentative text will not be concluded. */
  onRestart: () => void;
  /** Returns whether the gateway is to hear silence instead of the microphone. */
  isHeld: () => boolean;
  onLevel: (level: number) => void;
  onFailure: (failure: VoiceFailure) => void;
  /** Called when the requested languages cannot be served: the session goes on with those in force. */
  onRefused: (failure: VoiceFailure, inForce: SessionRequest) => void;
  /** Called once, after the last state change. */
  onEnd: (reason: EndReason) => void;
  /** Whether to try to resume a lost connection without a time limit. */
  keepsTrying: boolean;
}

/**
 * Consecutive attempts before giving up. The five pauses between them make 11 to 20 s; each attempt takes as
 * long as the token does, then ten seconds at most.
 */
const ATTEMPTS = { toBegin: 6, toResume: 6 };
/** Audio buffered for the gateway, which keeps a dropped session for a minute. */
const BUFFER = { maxMs: 60_000, maxBytes: 16 * 1024 * 1024 };
/** Audio from an outage that a new session still hears: older words would come too late. */
const RESTART = { keptMs: 10_000 };
/** Longest silence of the gateway after the end of the audio, in ms. */
const END_DEADLINE_MS = 10_000;
/** Digital silence that is reported, in ms: a muted or vanished microphone fires no event. */
const QUIET_AFTER_MS = 5_000;
const WATCH_EVERY_MS = 1_000;
/** Longest wait for the end of an utterance before a language change, in ms. */
const LANGUAGE_CHANGE_DEADLINE_MS = 5_000;
/** Peak of −80 dB, below the noise of any open microphone. */
const SILENT_PEAK = 1e-4;

/** States that explain a failure; others are `failed`. */
export const failureStates: Partial<
  Record<VoiceErrorCode, 'insecure-context' | 'microphone-denied' | 'no-microphone'>
> = {
  'insecure-context': 'insecure-context',
  'microphone-denied': 'microphone-denied',
  'microphone-withheld': 'microphone-denied',
  'microphone-missing': 'no-microphone',
  'microphone-busy': 'no-microphone',
  'microphone-lost': 'no-microphone',
};

/** One session of the element: its microphone, its connection and its state. Start it inside the click. */
export class ElementSession {
  readonly #options: SessionOptions;
  #capture: AudioCapture | undefined;
  #link: VoiceLink;
  #state: VoiceState = 'idle';
  #lastSoundAt = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #over = false;
  #stopping: EndReason | undefined;
  #failure: VoiceFailure | undefined;
  /** Takes over when the current connection, in other languages, has delivered its last words. */
  #nextLink: VoiceLink | undefined;
  #hasBeenLive = false;
  /** Whether the gateway has tentative text that is not concluded yet. */
  #isMidUtterance = false;
  /** Language change that waits for the end of the utterance. */
  #heldRequest: SessionRequest | undefined;
  /** Newest request sent as an update of the running session. */
  #wish: SessionRequest | undefined;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #done: Promise<void>;
  #markDone: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#link = this.#makeLink(options.request);
    this.#done = new Promise((resolve) => (this.#markDone = resolve));
  }

  /** Runs the session to its end; every failure goes to `onFailure`. */
  async start(): Promise<void> {
    try {
      await this.#openCapture();
      if (this.#isOver()) return;
      this.#watch = setInterval(() => this.#checkForSound(), WATCH_EVERY_MS);
      await this.#converse();
      this.#end(this.#stopping ?? 'stopped');
    } catch (error) {
      this.#fail(toVoiceFailure(error));
    }
  }

  /** Stops listening, waits for the last words within a deadline, and ends the session. */
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
    this.#link.finish();
    return this.#done;
  }

  /** Ends the session at once, for an element that leaves the page. */
  abort(): void {
    this.#end('stopped');
  }

  /**
   * Continues in other languages; the newest request wins. Updates the running session if the gateway can,
   * and otherwise opens another one. The microphone then stays open, and an utterance that already shows
   * words is concluded first, in its original languages, for five more seconds at most. If the gateway
   * refuses the change, the session goes on unchanged.
   */
  changeRequest(request: SessionRequest): void {
    if (this.#over || this.#stopping !== undefined) return;
    if (this.#nextLink !== undefined) {
      this.#nextLink.request = withOwnWishes(request);
      return;
    }
    const changes = changesBetween(this.#link.request, request);
    const isHere = changes !== undefined && this.#link.takesUpdates && !this.#link.isFinishing;
    if (isHere && this.#heldRequest === undefined) {
      this.#wish = request;
      this.#link.update(changes).catch((error: unknown) => {
        if (this.#wish === request) void this.#takeRefusal(request, toVoiceFailure(error));
      });
    } else this.#changeSession(request);
  }

  /**
   * Handles a refused update. Another session would be refused as well, so of several changes each is tried
   * by itself, and those that are accepted stay in force.
   */
  async #takeRefusal(request: SessionRequest, failure: VoiceFailure): Promise<void> {
    if (failure.code !== 'update-refused') {
      this.#changeSession(request);
      return;
    }
    const wishes = changeable.filter((name) => !hasSame(name, this.#link.request, request));
    const link = this.#link;
    if (wishes.length > 1) {
      const tries = wishes.map((name) => link.update({ [name]: request[name] ?? null }));
      await Promise.allSettled(tries);
    }
    if (!this.#over && this.#link === link && this.#wish === request) {
      this.#options.onRefused(failure, link.request);
    }
  }

  #changeSession(request: SessionRequest): void {
    if (this.#over || this.#stopping !== undefined) return;
    this.#wish = undefined;
    this.#heldRequest = request;
    if (this.#isMidUtterance) {
      this.#changeTimer ??= setTimeout(() => this.#changeNow(), LANGUAGE_CHANGE_DEADLINE_MS);
    } else this.#changeNow();
  }

  #changeNow(): void {
    const request = this.#takeHeldRequest();
    if (request === undefined) return;
    this.#nextLink = this.#makeLink(request);
    // Before it is open, the link finishes as soon as it opens.
    if (this.#link.isOpen) this.#link.finish();
  }

  #takeHeldRequest(): SessionRequest | undefined {
    const request = this.#heldRequest;
    this.#heldRequest = undefined;
    clearTimeout(this.#changeTimer);
    this.#changeTimer = undefined;
    return request;
  }

  async #openCapture(): Promise<void> {
    const { source, isHeld, onLevel } = this.#options;
    this.#setState(source === 'microphone' ? 'requesting-microphone' : 'connecting');
    if (source === undefined) return;
    this.#capture = new AudioCapture({
      ...this.#options,
      source,
      onChunk: (samples, peak) => {
        if (peak > SILENT_PEAK) this.#hearSound();
        // Silence rather than no audio: the gateway measures time by the audio it receives.
        if (isHeld()) samples.fill(0);
        this.#send(samples);
        onLevel(isHeld() ? 0 : peak);
      },
      onEnd: (reason) => this.#captureEnded(reason),
    });
    await this.#capture.open();
    this.#lastSoundAt = performance.now();
  }

  async #converse(): Promise<void> {
    // Set once: to the reader, a change of languages is no interruption.
    if (this.#stopping === undefined) this.#setState('connecting');
    for (;;) {
      const conversation = this.#link.run();
      // Stopped between two connections: the audio captured since waits in the second one.
      if (this.#stopping !== undefined) this.#link.finish();
      await conversation.catch((error: unknown) => {
        // A finishing connection loses only its last words; the session goes on, or ends as requested.
        if (!this.#link.isFinishing) throw error;
      });
      if (this.#nextLink === undefined || this.#over) return;
      this.#link = this.#nextLink;
      this.#nextLink = undefined;
      this.#isMidUtterance = false;
    }
  }

  #makeLink(request: SessionRequest): VoiceLink {
    const { provideToken, onMessage, onRestart, keepsTrying } = this.#options;
    return new VoiceLink({
      request: withOwnWishes(request),
      provideToken,
      WebSocket: globalSocketClass(),
      attempts: keepsTrying ? { ...ATTEMPTS, toResume: Infinity } : ATTEMPTS,
      buffer: BUFFER,
      restart: RESTART,
      endDeadlineMs: END_DEADLINE_MS,
      onRestart: () => {
        this.#isMidUtterance = false;
        onRestart();
        this.#changeNow();
      },
      onMessage: (message) => {
        if (this.#over) return;
        onMessage(message);
        this.#followUtterance(message);
      },
      onStatus: (status) => this.#linkStatus(status),
      onRoom: () => undefined,
    });
  }

  /** Sends audio without back-pressure: real-time audio cannot wait, so the oldest overflow is dropped. */
  #send(samples: Uint8Array): void {
    const { audio } = this.#nextLink ?? this.#link;
    audio.push(samples);
    audio.dropOverflow();
  }

  #followUtterance(message: ServerMessage): void {
    if (message.type === 'source_transcript_update') {
      this.#isMidUtterance = message.tentative.length > 0;
    } else if (message.type === 'end_of_source_transcript') this.#isMidUtterance = false;
    if (!this.#isMidUtterance) this.#changeNow();
  }

  #linkStatus(status: LinkStatus): void {
    if (status === 'open') this.#hasBeenLive = true;
    if (this.#stopping !== undefined) return;
    // Until the first connection succeeds, it still counts as connecting.
    if (status === 'reconnecting' && !this.#hasBeenLive) return;
    if (status === 'open') {
      this.#lastSoundAt = performance.now();
      if (this.#nextLink !== undefined) this.#link.finish();
    }
    this.#setState(status === 'open' ? 'live' : status);
  }

  #captureEnded(reason: CaptureEnd): void {
    if (reason === 'no-sound-device' || reason === 'sound-blocked') {
      this.#fail(new VoiceFailure(reason));
      return;
    }
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
    const isUnopened = failure.code === 'connection-lost' && !this.#hasBeenLive;
    this.#failure = isUnopened
      ? new VoiceFailure('connection-refused', { cause: failure })
      : failure;
    this.#end('failed');
  }

  #end(reason: EndReason): void {
    if (this.#over) return;
    const failure = this.#failure;
    this.#over = true;
    clearInterval(this.#watch);
    this.#takeHeldRequest();
    this.#capture?.close();
    this.#link.close();
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

/** Request fields that a running session can change. */
const changeable = [
  'target_languages',
  'target_media_languages',
  'target_media_content_type',
  'target_media_voice',
] as const;

/** Returns the request with the options that this class relies on. */
function withOwnWishes(request: SessionRequest): SessionRequest {
  return { ...request, acknowledgements: true, lag_updates: true, session_updates: true };
}

/** Returns the changes that turn one request into the other; undefined if they require another session. */
function changesBetween(before: SessionRequest, after: SessionRequest): SessionChanges | undefined {
  const fixed = [
    'source_language',
    'source_language_mode',
    'message_format',
    'caption_mode',
  ] as const;
  if (!fixed.every((name) => hasSame(name, before, after))) return undefined;
  return Object.fromEntries(changeable.map((name) => [name, after[name] ?? null]));
}

function hasSame(name: keyof SessionRequest, one: SessionRequest, other: SessionRequest): boolean {
  return JSON.stringify(one[name]) === JSON.stringify(other[name]);
}

/** Most target languages of a session, including the one for speech. */
const MAX_TARGETS = 5;

/**
 * Parses a list of languages separated by blanks or commas. Returns five at most, always including the
 * language for speech.
 */
export function targetsOf(list: string, speech: LanguageTag): LanguageTag[] {
  const targets = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
  if (speech === '' || targets.slice(0, MAX_TARGETS).includes(speech)) {
    return targets.slice(0, MAX_TARGETS);
  }
  return [...targets.slice(0, MAX_TARGETS - 1), speech];
}

/** Returns the body of a session request, without its speech fields. */
export function captionRequest({
  messageFormat,
  sourceLanguage,
  sourceLanguageMode,
  captionMode,
  targetLanguages,
}: {
  messageFormat: MessageFormat;
  sourceLanguage: LanguageTag;
  sourceLanguageMode: string;
  captionMode: string;
  targetLanguages: readonly LanguageTag[];
}): SessionRequest {
  return {
    source_media_content_type: `audio/pcm;encoding=s16le;rate=${SAMPLE_RATE_HZ}`,
    message_format: messageFormat,
    ...(sourceLanguage === '' ? {} : { source_language: sourceLanguage }),
    ...(sourceLanguageMode === '' ? {} : { source_language_mode: sourceLanguageMode }),
    ...(captionMode === '' ? {} : { caption_mode: captionMode }),
    target_languages: [...targetLanguages],
  };
}
