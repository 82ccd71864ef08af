/** Audio capture: turns a microphone, a stream or a file into s16le chunks, along the same path for all. */
import { VoiceFailure } from '../voice-failure.ts';
import {
  PROCESSOR_NAME,
  STOP,
  type PcmCaptureMessage,
  type PcmCaptureOptions,
} from '../worklet/pcm-protocol.ts';
import bundledWorklet from '../worklet/pcm-capture.ts?bundled-source';

/** Source of the audio. */
export type AudioSource = 'microphone' | MediaStream | Blob;

/** Sample rate sent, in Hz: what recognisers expect, at a third of the bandwidth of 48 kHz. */
export const SAMPLE_RATE_HZ = 16_000;

/** Options of a capture. */
export interface CaptureOptions {
  source: AudioSource;
  /** Microphone device; the browser's choice when empty. */
  deviceId: string;
  chunkMs: number;
  workletUrl: string;
  /** Also plays the source through the speakers. */
  audible: boolean;
  /** @param samples s16le at {@link SAMPLE_RATE_HZ}; @param peak loudest sample, 0 to 1 */
  onChunk: (samples: Uint8Array, peak: number) => void;
  /** Called when a file or a stream has ended, the device is gone, or the browser never began to process audio. */
  onEnd: (reason: CaptureEnd) => void;
}

/** Why a capture ended by itself. */
export type CaptureEnd = 'source-ended' | 'microphone-lost' | 'no-sound-device' | 'sound-blocked';

/** Longest wait for the audio thread to hand over its last samples, in ms. */
const FLUSH_MS = 500;

/** Longest wait for the browser to begin processing audio, in ms: a slow device takes a second to open. */
const BEGIN_MS = 4_000;

/** One recording, from the click that starts it to its end. Create it inside the click. */
export class AudioCapture {
  readonly #options: CaptureOptions;
  readonly #context: AudioContext;
  /** Whether the user had clicked before the capture was created. */
  readonly #wasAllowed = navigator.userActivation.hasBeenActive;
  /** The stream this capture has opened; a stream passed in by the page is not stopped. */
  #ownStream: MediaStream | undefined;
  #node: AudioWorkletNode | undefined;
  #closed = false;
  #flushed: (() => void) | undefined;
  #hasBegun = false;
  #beginTimer: ReturnType<typeof setTimeout> | undefined;

  /** @throws VoiceFailure insecure-context if the page may not capture audio at all */
  constructor(options: CaptureOptions) {
    if (!globalThis.isSecureContext || typeof AudioWorkletNode === 'undefined') {
      throw new VoiceFailure('insecure-context');
    }
    this.#options = options;
    // iOS lets a context produce sound only if it was created before the first await after a click.
    this.#context = new AudioContext({ latencyHint: 'interactive' });
    this.#context.addEventListener('statechange', this.#keepRunning);
    document.addEventListener('visibilitychange', this.#keepRunning);
  }

  /**
   * Requests the microphone and starts the capture.
   *
   * @throws VoiceFailure with a code that maps to a state of the element
   */
  async open(): Promise<void> {
    const worklet = loadWorklet(this.#context, this.#options.workletUrl);
    // Loads during the permission prompt; a failure then must not become an unhandled rejection.
    worklet.catch(() => undefined);
    const input = await this.#openInput();
    await worklet;
    if (this.#closed) return;
    const processorOptions: PcmCaptureOptions = {
      sampleRateHz: SAMPLE_RATE_HZ,
      chunkMs: this.#options.chunkMs,
    };
    const node = new AudioWorkletNode(this.#context, PROCESSOR_NAME, {
      // The browser mixes down to one channel.
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions,
    });
    node.port.onmessage = ({ data }: MessageEvent<PcmCaptureMessage>) => this.#receive(data);
    this.#node = node;
    // The node's output is silent, but browsers only run nodes that are connected to the destination.
    input.connect(node).connect(this.#context.destination);
    if (this.#options.audible) input.connect(this.#context.destination);
    if (input instanceof AudioBufferSourceNode) input.start();
    this.#keepRunning();
    this.#beginTimer = setTimeout(() => this.#checkBegin(), BEGIN_MS);
  }

  /** Stops listening, hands over the samples that do not fill a chunk, and closes the capture. */
  async finish(): Promise<void> {
    const node = this.#node;
    if (node !== undefined && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#flushed = resolve;
        setTimeout(resolve, FLUSH_MS);
        node.port.postMessage(STOP);
      });
    }
    this.close();
  }

  /** Ends the capture at once and releases the device. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#beginTimer);
    document.removeEventListener('visibilitychange', this.#keepRunning);
    this.#node?.port.postMessage(STOP);
    stopTracks(this.#ownStream);
    this.#context.close().catch(() => undefined);
  }

  #receive(message: PcmCaptureMessage): void {
    this.#hasBegun = true;
    if (this.#closed) return;
    if (message.kind === 'stopped') this.#flushed?.();
    else this.#options.onChunk(new Uint8Array(message.samples), message.peak);
  }

  async #openInput(): Promise<AudioBufferSourceNode | MediaStreamAudioSourceNode> {
    const { source } = this.#options;
    if (source instanceof Blob) return this.#openFile(source);
    const stream = source === 'microphone' ? await this.#openMicrophone() : source;
    const track = stream.getAudioTracks().find(({ readyState }) => readyState === 'live');
    if (track === undefined) throw new VoiceFailure('microphone-missing');
    // A stream of the page ends as intended: with its video, or the shared tab, or the call.
    const end = source === 'microphone' ? 'microphone-lost' : 'source-ended';
    track.addEventListener('ended', () => {
      if (!this.#closed) this.#options.onEnd(end);
    });
    return this.#context.createMediaStreamSource(new MediaStream([track]));
  }

  async #openFile(file: Blob): Promise<AudioBufferSourceNode> {
    const node = this.#context.createBufferSource();
    try {
      node.buffer = await this.#context.decodeAudioData(await file.arrayBuffer());
    } catch (cause) {
      throw new VoiceFailure('source-unreadable', { cause });
    }
    node.addEventListener('ended', () => {
      if (!this.#closed) this.#options.onEnd('source-ended');
    });
    return node;
  }

  async #openMicrophone(): Promise<MediaStream> {
    const { deviceId } = this.#options;
    const constraints: MediaTrackConstraints = {
      channelCount: 1,
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      ...(deviceId === '' ? {} : { deviceId: { exact: deviceId } }),
    };
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: constraints });
    } catch (cause) {
      throw new VoiceFailure(microphoneErrorCode(cause), { cause });
    }
    // Closed while the browser was asking for permission.
    if (this.#closed) stopTracks(stream);
    this.#ownStream = stream;
    return stream;
  }

  /**
   * Fails a capture whose context never starts, which browsers do not report: Firefox's stays suspended
   * without an output device, and every browser's does if it was created without a click.
   */
  #checkBegin(): void {
    if (this.#hasBegun || this.#context.state === 'running') return;
    this.#options.onEnd(this.#wasAllowed ? 'no-sound-device' : 'sound-blocked');
  }

  /** Resumes a context that a phone call or a locked screen has suspended, as soon as that is possible. */
  readonly #keepRunning = (): void => {
    if (this.#closed || this.#context.state === 'running') return;
    // Not awaited: without a gesture the promise never settles.
    this.#context.resume().catch(() => undefined);
  };
}

/** Returns the address of the worklet file beside the script that contains this module. */
export function defaultWorkletUrl(): string {
  // Not inlined as new URL('…', import.meta.url): bundlers would copy the file under another name.
  const script = import.meta.url;
  return new URL('pcm-capture.worklet.js', script).href;
}

function stopTracks(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function microphoneErrorCode(error: unknown) {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return isKeptByFrame() ? 'microphone-withheld' : 'microphone-denied';
    case 'NotReadableError':
    case 'AbortError':
      return 'microphone-busy';
    default:
      return 'microphone-missing';
  }
}

/** Returns whether the parent page withholds the microphone from this frame, if the browser reports it. */
function isKeptByFrame(): boolean {
  const { featurePolicy } = document as {
    featurePolicy?: { allowsFeature(name: string): boolean };
  };
  return window !== window.top && featurePolicy?.allowsFeature('microphone') === false;
}

async function loadWorklet(context: AudioContext, url: string): Promise<void> {
  try {
    await context.audioWorklet.addModule(url);
  } catch (cause) {
    await loadBundledWorklet(context, cause);
  }
}

/** Loads the bundled worklet if its file is unreachable, as for a cross-origin script without CORS. */
async function loadBundledWorklet(context: AudioContext, cause: unknown): Promise<void> {
  const url = URL.createObjectURL(new Blob([bundledWorklet], { type: 'text/javascript' }));
  try {
    await context.audioWorklet.addModule(url);
  } catch {
    throw new VoiceFailure('worklet-unavailable', { cause });
  } finally {
    URL.revokeObjectURL(url);
  }
}
