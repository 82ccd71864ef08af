/** Microphone choice and check: lists the microphones and shows the level of one before it goes live. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { AudioCapture } from '../controllers/microphone.ts';
import { toVoiceFailure, VoiceFailure } from '../voice-failure.ts';

/** Storage key of the chosen microphone, in this browser. */
const REMEMBERED = 'dragoman-microphone';
/** Length of audio behind each level reading, in ms. */
const CHUNK_MS = 100;

export interface Microphone {
  deviceId: string;
  name: string;
}

export class MicrophoneCheck implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #workletUrl: string;
  readonly #onLevel: (peak: number) => void;
  #capture: AudioCapture | undefined;
  #chosen = remembered();
  /** Empty until the browser may reveal device names, which it does after a microphone was allowed. */
  microphones: readonly Microphone[] = [];
  /** Why the last check failed or ended by itself. */
  failure: VoiceFailure | undefined;

  /** @param onLevel receives the level, 0 to 1, ten times a second during a check */
  constructor(
    host: ReactiveControllerHost,
    { workletUrl, onLevel }: { workletUrl: string; onLevel: (peak: number) => void },
  ) {
    this.#host = host;
    this.#workletUrl = workletUrl;
    this.#onLevel = onLevel;
    host.addController(this);
  }

  get isChecking(): boolean {
    return this.#capture !== undefined;
  }

  /** The chosen microphone if it is present; empty for the browser's choice. */
  get deviceId(): string {
    const isThere = this.microphones.some(({ deviceId }) => deviceId === this.#chosen);
    return isThere ? this.#chosen : '';
  }

  hostConnected(): void {
    devices()?.addEventListener('devicechange', this.#onChange);
    void this.list();
  }

  hostDisconnected(): void {
    devices()?.removeEventListener('devicechange', this.#onChange);
    this.close();
  }

  /** Lists the microphones again; call it once a microphone has been allowed. */
  async list(): Promise<void> {
    const found =
      (await devices()
        ?.enumerateDevices()
        .catch(() => [])) ?? [];
    this.microphones = found
      .filter(({ kind, deviceId, label }) => kind === 'audioinput' && deviceId !== '' && label)
      // Chromium also lists its default as a device of its own; an empty id stands for it here.
      .filter(({ deviceId }) => deviceId !== 'default')
      .map(({ deviceId, label }) => ({ deviceId, name: label }));
    this.#host.requestUpdate();
  }

  readonly #onChange = (): void => void this.list();

  /** Chooses a microphone, also for later visits. */
  choose(deviceId: string): void {
    this.#chosen = deviceId;
    try {
      localStorage.setItem(REMEMBERED, deviceId);
    } catch {
      // The choice is not remembered if the browser has no storage.
    }
    if (this.isChecking) void this.open();
    this.#host.requestUpdate();
  }

  /** Starts a check, whose audio stays on this page; call it from a click. */
  async open(): Promise<void> {
    this.close();
    this.failure = undefined;
    let capture: AudioCapture | undefined;
    try {
      capture = new AudioCapture({
        source: 'microphone',
        deviceId: this.deviceId,
        chunkMs: CHUNK_MS,
        workletUrl: this.#workletUrl,
        audible: false,
        onChunk: (_samples, peak) => this.#onLevel(peak),
        onEnd: (reason) => {
          this.close();
          if (reason !== 'source-ended') this.failure = new VoiceFailure(reason);
        },
      });
      this.#capture = capture;
      this.#host.requestUpdate();
      await capture.open();
      await this.list();
    } catch (error) {
      // Ended meanwhile; another check may be under way.
      if (this.#capture !== capture) return;
      this.close();
      this.failure = toVoiceFailure(error);
      this.#host.requestUpdate();
    }
  }

  close(): void {
    if (this.#capture === undefined) return;
    this.#capture.close();
    this.#capture = undefined;
    this.#onLevel(0);
    this.#host.requestUpdate();
  }
}

/** Undefined on insecure pages. */
function devices(): MediaDevices | undefined {
  return navigator.mediaDevices;
}

function remembered(): string {
  try {
    return localStorage.getItem(REMEMBERED) ?? '';
  } catch {
    return '';
  }
}
