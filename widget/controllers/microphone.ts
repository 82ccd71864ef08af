/** Sound in, s16le chunks out: a microphone, a stream of the page or a file, all along one path. */
import { VoiceFailure } from '../voice-failure.ts';
import {
  PROCESSOR_NAME,
  STOP,
  type PcmCaptureMessage,
  type PcmCaptureOptions,
} from '../worklet/pcm-protocol.ts';
import bundledWorklet from '../worklet/pcm-capture.ts?bundled-source';

/** Where the sound comes from. */
export type AudioSource = 'microphone' | MediaStream | Blob;

/** Rate of what is sent, in Hz: what recognisers want, and a third of the bandwidth of 48 kHz. */
export const SAMPLE_RATE_HZ = 16_000;

/** How a capture is made. */
export interface CaptureOptions {
  source: AudioSource;
  /** Device of the microphone; the browser's choice when empty. */
  deviceId: string;
  chunkMs: number;
  workletUrl: string;
  /** Plays the source through the speakers as well. */
  audible: boolean;
  /** @param samples s16le at {@link SAMPLE_RATE_HZ}; @param peak loudest sample, 0 to 1 */
  onChunk: (samples: Uint8Array, peak: number) => void;
  /** A file has been played, the device is gone, or the browser never began to process sound. */
  onEnd: (reason: CaptureEnd) => void;
}

/** Why a capture ends by itself. */
export type CaptureEnd = 'source-ended' | 'microphone-lost' | 'no-sound-device' | 'sound-blocked';

/** How long the audio thread may take to hand over its last samples, in ms. */
const FLUSH_MS = 500;

/** How long the browser may take to begin with sound, in ms: opening a slow device takes a second. */
const BEGIN_MS = 4_000;

/** One recording, from its click to its end. Make it inside the click. */
export class AudioCapture {
  readonly #options: CaptureOptions;
  readonly #context: AudioContext;
  /** Whether somebody had clicked before. */
  readonly #wasAllowed = navigator.userActivation.hasBeenActive;
  /** Only what we opened ourselves is ours to stop. */
  #ownStream: MediaStream | undefined;
  #node: AudioWorkletNode | undefined;
  #closed = false;
  #flushed: (() => void) | undefined;
  #hasBegun = false;
  #beginTimer: ReturnType<typeof setTimeout> | undefined;

  /** @throws VoiceFailure insecure-context when the page may not capture sound at all */
  constructor(options: CaptureOptions) {
    if (!globalThis.isSecureContext || typeof AudioWorkletNode === 'undefined') {
      throw new VoiceFailure('insecure-context');
    }
    this.#options = options;
    // iOS lets a context make sound only if it was opened before the first await after a click.
    this.#context = new AudioContext({ latencyHint: 'interactive' });
    this.#context.addEventListener('statechange', this.#keepRunning);
    document.addEventListener('visibilitychange', this.#keepRunning);
  }

  /**
   * Asks for the microphone and starts.
   *
   * @throws VoiceFailure with a code that says which state fits
   */
  async open(): Promise<void> {
    const worklet = loadWorklet(this.#context, this.#options.workletUrl);
    // Both run at once; a failing worklet must not go unhandled while the permission is asked for.
    worklet.catch(() => undefined);
    const input = await this.#openInput();
    await worklet;
    if (this.#closed) return;
    const processorOptions: PcmCaptureOptions = {
      sampleRateHz: SAMPLE_RATE_HZ,
      chunkMs: this.#options.chunkMs,
    };
    const node = new AudioWorkletNode(this.#context, PROCESSOR_NAME, {
      // One channel, mixed down by the browser.
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions,
    });
    node.port.onmessage = ({ data }: MessageEvent<PcmCaptureMessage>) => this.#receive(data);
    this.#node = node;
    // The output is silent; being connected makes every browser pull the node.
    input.connect(node).connect(this.#context.destination);
    if (this.#options.audible) input.connect(this.#context.destination);
    if (input instanceof AudioBufferSourceNode) input.start();
    this.#keepRunning();
    this.#beginTimer = setTimeout(() => this.#checkBegin(), BEGIN_MS);
  }

  /** Stops listening and hands over the samples that do not fill a chunk; then it is closed. */
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

  /** Ends at once and lets go of the device. */
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
    const [track] = stream.getAudioTracks();
    if (track === undefined) throw new VoiceFailure('microphone-missing');
    track.addEventListener('ended', () => {
      if (!this.#closed) this.#options.onEnd('microphone-lost');
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
    // Cancelled while the browser was asking.
    if (this.#closed) stopTracks(stream);
    this.#ownStream = stream;
    return stream;
  }

  /**
   * A context that never gets going says nothing about it: Firefox has none without a device to play
   * sound, and every browser keeps one that was made without a click waiting for one.
   */
  #checkBegin(): void {
    if (this.#hasBegun || this.#context.state === 'running') return;
    this.#options.onEnd(this.#wasAllowed ? 'no-sound-device' : 'sound-blocked');
  }

  /** A phone call or a locked screen suspends the context; it goes on as soon as it may. */
  readonly #keepRunning = (): void => {
    if (this.#closed || this.#context.state === 'running') return;
    // Not awaited: without a gesture it never settles.
    this.#context.resume().catch(() => undefined);
  };
}

/** Address of the worklet's file, beside the script that holds this. */
export function defaultWorkletUrl(): string {
  // Not written as new URL('…', import.meta.url): bundlers would copy the file under another name.
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

/** Whether the page around this one keeps the microphone to itself, where the browser tells. */
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

/** The file may be out of reach, as when a page takes our script from another origin without CORS. */
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
