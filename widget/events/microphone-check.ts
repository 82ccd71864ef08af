/** Which microphones there are, and whether one of them hears anything, before anybody else does. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { AudioCapture } from '../controllers/microphone.ts';
import { toVoiceFailure, type VoiceFailure } from '../voice-failure.ts';

/** Where the choice is remembered, in this browser. */
const REMEMBERED = 'dragoman-microphone';
/** Length of what a level is taken of, in ms. */
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
  /** By name; empty until the browser may say them, which it may once one was allowed. */
  microphones: readonly Microphone[] = [];
  /** Why the last check came to nothing. */
  failure: VoiceFailure | undefined;

  /** @param onLevel receives how loud it is, 0 to 1, ten times a second while it is checked */
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

  /** The one that was chosen, if it is there; empty: the browser's choice. */
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

  /** Looks again which there are; call it when one has been allowed. */
  async list(): Promise<void> {
    const found =
      (await devices()
        ?.enumerateDevices()
        .catch(() => [])) ?? [];
    this.microphones = found
      .filter(({ kind, deviceId, label }) => kind === 'audioinput' && deviceId !== '' && label)
      // Chromium lists its choice under a name of its own as well; that is the empty one here.
      .filter(({ deviceId }) => deviceId !== 'default')
      .map(({ deviceId, label }) => ({ deviceId, name: label }));
    this.#host.requestUpdate();
  }

  readonly #onChange = (): void => void this.list();

  /** Takes another one from now on, and the next time. */
  choose(deviceId: string): void {
    this.#chosen = deviceId;
    try {
      localStorage.setItem(REMEMBERED, deviceId);
    } catch {
      // Nothing is remembered where a browser keeps nothing.
    }
    if (this.isChecking) void this.open();
    this.#host.requestUpdate();
  }

  /** Listens, for this page alone; call it in a click. */
  async open(): Promise<void> {
    this.close();
    this.failure = undefined;
    try {
      const capture = new AudioCapture({
        source: 'microphone',
        deviceId: this.deviceId,
        chunkMs: CHUNK_MS,
        workletUrl: this.#workletUrl,
        audible: false,
        onChunk: (_samples, peak) => this.#onLevel(peak),
        onEnd: () => this.close(),
      });
      this.#capture = capture;
      this.#host.requestUpdate();
      await capture.open();
      await this.list();
    } catch (error) {
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

/** Pages that are not secure have none. */
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
