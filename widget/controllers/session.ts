/** From a press of the button to the last word: capture and conversation, and the state they are in. */
import { globalSocketClass } from '../../shared/client/socket.ts';
import type { SessionChanges } from '../../shared/client/session-updates.ts';
import type { SessionRequest, TokenProvider } from '../../shared/client/token-provider.ts';
import { VoiceLink, type LinkStatus } from '../../shared/client/voice-link.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { MessageFormat, ServerMessage } from '../../shared/protocol/messages.ts';
import type { VoiceErrorCode, VoiceState } from '../events.ts';
import { toVoiceFailure, VoiceFailure } from '../voice-failure.ts';
import { AudioCapture, SAMPLE_RATE_HZ, type AudioSource, type CaptureEnd } from './microphone.ts';

/** Why a session is over. */
export type EndReason = 'stopped' | 'source-ended' | 'failed';

/** How a session is made, and who learns what of it. */
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
  /** The gateway knows nothing of the session any more: what is tentative will not be concluded. */
  onRestart: () => void;
  /** Whether the gateway hears silence for now, in place of what the microphone does. */
  isHeld: () => boolean;
  onLevel: (level: number) => void;
  onFailure: (failure: VoiceFailure) => void;
  /** Other languages cannot be served: the session goes on with what is in force. */
  onRefused: (failure: VoiceFailure, inForce: SessionRequest) => void;
  /** Called once, after the last state. */
  onEnd: (reason: EndReason) => void;
  /** Whether a gateway that was there is waited for as long as it takes. */
  keepsTrying: boolean;
}

/**
 * Attempts in a row before giving up: the five pauses between them make 11 to 20 s, and each attempt
 * takes as long as the token does, then ten seconds at most.
 */
const ATTEMPTS = { toBegin: 6, toResume: 6 };
/** Audio kept for the gateway: it keeps a dropped session for a minute. */
const BUFFER = { maxMs: 60_000, maxBytes: 16 * 1024 * 1024 };
/** Of what was said without a gateway, a new session hears this much: older words come too late. */
const RESTART = { keptMs: 10_000 };
/** How long the gateway may be silent after the end of the audio. */
const END_DEADLINE_MS = 10_000;
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
  'microphone-withheld': 'microphone-denied',
  'microphone-missing': 'no-microphone',
  'microphone-busy': 'no-microphone',
  'microphone-lost': 'no-microphone',
};

/** One conversation of the element: its microphone, its link and its state. Start it inside the click. */
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
  /** Takes over when the conversation before it, in other languages, has said its last word. */
  #nextLink: VoiceLink | undefined;
  #hasBeenLive = false;
  /** Whether words were heard that the gateway has not concluded. */
  #isMidUtterance = false;
  /** Other languages that wait for the end of the utterance. */
  #heldRequest: SessionRequest | undefined;
  /** What the running session was last asked to become. */
  #wish: SessionRequest | undefined;
  #changeTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #done: Promise<void>;
  #markDone: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#link = this.#makeLink(options.request);
    this.#done = new Promise((resolve) => (this.#markDone = resolve));
  }

  /** Runs to the end; every failure goes to `onFailure`. */
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
    this.#link.finish();
    return this.#done;
  }

  /** Ends at once, for an element that leaves the page. */
  abort(): void {
    this.#end('stopped');
  }

  /**
   * Goes on in other languages, the newest ones asked for: in the same session where the gateway can
   * change it, in another one otherwise. Then the microphone stays open, and an utterance of which
   * words are shown already is concluded first, in the languages it began in, unless it lasts more
   * than five seconds longer. Where the gateway refuses the change, the session goes on as it is.
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

  /** What this gateway refuses here it would refuse of another session too; of several wishes some may do. */
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
    // Otherwise it finishes as soon as it is open.
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
        // Silence and not nothing: the gateway counts time by what it gets.
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
    // Only once: for the reader a change of languages does not interrupt anything.
    if (this.#stopping === undefined) this.#setState('connecting');
    for (;;) {
      const conversation = this.#link.run();
      // Stopped between two conversations: what was said meanwhile waits in the second.
      if (this.#stopping !== undefined) this.#link.finish();
      await conversation.catch((error: unknown) => {
        // Its last words are lost; the session goes on, or ends as it was asked to.
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

  /** Sound cannot wait: what is too much drops at its old end. */
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
    // Before the first connection it still is the first that is being made.
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

/** Fields of the request that a running session can change. */
const changeable = [
  'target_languages',
  'target_media_languages',
  'target_media_content_type',
  'target_media_voice',
] as const;

/** A request with what the element itself relies on. */
function withOwnWishes(request: SessionRequest): SessionRequest {
  return { ...request, acknowledgements: true, lag_updates: true, session_updates: true };
}

/** What makes one request the other; undefined where that takes another session. */
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

/** Most languages one session translates into, the spoken one among them. */
const MAX_TARGETS = 5;

/**
 * The languages of a list separated by blanks, five at most. The one that is spoken is always among
 * them.
 */
export function targetsOf(list: string, speech: LanguageTag): LanguageTag[] {
  const targets = [...new Set(list.split(/[\s,]+/).filter(Boolean))];
  if (speech === '' || targets.slice(0, MAX_TARGETS).includes(speech)) {
    return targets.slice(0, MAX_TARGETS);
  }
  return [...targets.slice(0, MAX_TARGETS - 1), speech];
}

/** The body of a session request without what concerns speech. */
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
