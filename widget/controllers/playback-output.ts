/** Audio output of translated speech: selects a path the browser supports, and plays speech through it. */

/** Raw Opus packets through WebCodecs, WebM through Media Source Extensions, or plain PCM samples. */
export type SpeechPath = 'webcodecs' | 'mse' | 'pcm';

/** Content type requested from the gateway, by path. */
export const speechContentTypes: Record<SpeechPath, string> = {
  // Ogg pages hold whole packets, so they are far simpler to parse than WebM.
  webcodecs: 'audio/ogg;codecs=opus',
  mse: 'audio/webm;codecs=opus',
  pcm: 'audio/pcm;encoding=s16le;rate=24000',
};

/** Returns the best path for this browser. */
export function speechPath(): SpeechPath {
  // Firefox has AudioDecoder too, but its own media pipeline keeps better time.
  const isFirefox = navigator.userAgent.includes('Firefox/');
  if (typeof AudioDecoder !== 'undefined' && !isFirefox) return 'webcodecs';
  const playsWebm =
    isFirefox &&
    typeof MediaSource !== 'undefined' &&
    MediaSource.isTypeSupported(speechContentTypes.mse);
  return playsWebm ? 'mse' : 'pcm';
}

/** Plays pieces of audio one after the other. Times are positions in the audio of all streams, in ms. */
export interface SpeechOutput {
  /** Position being heard; stands still while nothing is left to play. */
  readonly positionMs: number;
  /** Begins another stream at a position; the previous one plays to its end. */
  begin(startMs: number): void;
  /** Adds pieces of the stream, including headers. */
  append(pieces: readonly Uint8Array[]): void;
  /** Asks the browser to allow sound, ideally inside a click. Resolves with whether sound is allowed. */
  unlock(): Promise<boolean>;
  /** Skips audio that would be heard before a position. */
  skipTo(timeMs: number): void;
  /** @param volume 0 to 1; @param rampMs duration of the change */
  setVolume(volume: number, rampMs: number): void;
  close(): void;
}

/** Callbacks of an output. */
interface SpeechOutputOptions {
  /** Called when the browser allows sound or takes it away. */
  onAllowed: (isAllowed: boolean) => void;
  /** Called when nothing more can be played. */
  onFailure: (cause: unknown) => void;
}

/** Opens the output of a path. Call it inside a click. */
export function openOutput(path: SpeechPath, options: SpeechOutputOptions): SpeechOutput {
  if (path === 'mse') return new MediaSourceOutput(options);
  return new ScheduledOutput(path === 'pcm' ? 'pcm' : 'opus', options);
}

/** Longest wait for the browser to allow sound, in ms: without a gesture the browser never answers. */
const UNLOCK_WAIT_MS = 400;

/** Resolves with whether a promise is fulfilled within UNLOCK_WAIT_MS. */
async function isKeptSoon(promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, UNLOCK_WAIT_MS, false);
  });
  const kept = promise.then(
    () => true,
    () => false,
  );
  const isKept = await Promise.race([kept, late]);
  clearTimeout(timer);
  return isKept;
}

/** Delay before the first sound of an utterance, in s: the margin by which later pieces may be late. */
const LEAD_S = 0.15;
/** Tolerance of positions, in ms: the gateway's are whole ms, so a sentence may begin slightly early. */
const TOLERANCE_MS = 10;

/** Audio without a gap: its start on the context's clock, its start position and its length. */
interface Run {
  startS: number;
  startMs: number;
  lengthMs: number;
}

/** Plays samples through an AudioContext: each buffer begins where the previous one ends. */
class ScheduledOutput implements SpeechOutput {
  readonly #context: AudioContext;
  readonly #gain: GainNode;
  readonly #source: SampleSource;
  readonly #onAllowed: (isAllowed: boolean) => void;
  readonly #playing = new Set<AudioBufferSourceNode>();
  /** Buffers held until the browser allows sound. */
  #waiting: { buffer: AudioBuffer; startMs: number }[] = [];
  readonly #runs: Run[] = [];
  #nextS = 0;
  /** Length of the audio decoded so far, in ms. */
  #decodedMs = 0;
  #skipToMs = 0;
  #restMs = 0;

  constructor(kind: 'opus' | 'pcm', { onAllowed, onFailure }: SpeechOutputOptions) {
    const onSamples = (samples: Float32Array<ArrayBuffer>) => this.#take(samples);
    this.#source = (kind === 'opus' ? opusSamples : pcmSamples)({ onSamples, onFailure });
    this.#onAllowed = onAllowed;
    // At the audio's own rate, adjacent buffers join seamlessly; any other rate makes each seam click.
    this.#context = new AudioContext({ sampleRate: this.#source.sampleRateHz });
    this.#gain = this.#context.createGain();
    this.#gain.connect(this.#context.destination);
    this.#context.addEventListener('statechange', this.#stateChanged);
  }

  get positionMs(): number {
    const { currentTime, outputLatency } = this.#context;
    // Safari does not provide the latency.
    const heardS = currentTime - (outputLatency || 0);
    while ((this.#runs[1]?.startS ?? Infinity) <= heardS) this.#runs.shift();
    const [run] = this.#runs;
    if (run === undefined || run.startS > heardS) return this.#restMs;
    return (this.#restMs = run.startMs + Math.min(run.lengthMs, (heardS - run.startS) * 1000));
  }

  // Nothing to do: positions continue, and an Opus decoder needs nothing from the headers.
  begin(): void {}

  append(pieces: readonly Uint8Array[]): void {
    this.#source.append(pieces);
  }

  async unlock(): Promise<boolean> {
    const isAllowed = this.#context.state === 'running' || (await isKeptSoon(this.#resume()));
    if (isAllowed) this.#scheduleWaiting();
    return isAllowed;
  }

  skipTo(timeMs: number): void {
    this.#skipToMs = timeMs;
    this.#waiting = this.#waiting.filter(({ startMs }) => startMs >= timeMs - TOLERANCE_MS);
  }

  setVolume(volume: number, rampMs: number): void {
    // With a third of the ramp as time constant, 95 % of the change is done at its end.
    this.#gain.gain.setTargetAtTime(volume, this.#context.currentTime, rampMs / 3000);
  }

  close(): void {
    this.#context.removeEventListener('statechange', this.#stateChanged);
    this.#source.close();
    for (const node of this.#playing) node.stop();
    this.#context.close().catch(() => undefined);
  }

  #resume(): Promise<void> {
    return this.#context.resume();
  }

  #take(samples: Float32Array<ArrayBuffer>): void {
    const { sampleRateHz } = this.#source;
    const startMs = this.#decodedMs;
    this.#decodedMs += (samples.length / sampleRateHz) * 1000;
    if (startMs < this.#skipToMs - TOLERANCE_MS) return;
    const buffer = this.#context.createBuffer(1, samples.length, sampleRateHz);
    buffer.copyToChannel(samples, 0);
    if (this.#context.state === 'running') this.#schedule(buffer, startMs);
    else this.#waiting.push({ buffer, startMs });
  }

  #schedule(buffer: AudioBuffer, startMs: number): void {
    const { currentTime, sampleRate } = this.#context;
    const lengthMs = buffer.duration * 1000;
    const run = this.#runs.at(-1);
    if (run === undefined || this.#nextS < currentTime) {
      // Starts on a whole sample; otherwise the browser interpolates every sample.
      this.#nextS = Math.ceil((currentTime + LEAD_S) * sampleRate) / sampleRate;
      this.#runs.push({ startS: this.#nextS, startMs, lengthMs });
    } else run.lengthMs += lengthMs;
    const node = this.#context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.#gain);
    node.onended = () => this.#playing.delete(node);
    this.#playing.add(node);
    node.start(this.#nextS);
    this.#nextS += buffer.duration;
  }

  #scheduleWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { buffer, startMs } of waiting) this.#schedule(buffer, startMs);
  }

  /** Handles interruptions: a phone call takes the sound away and gives it back. */
  readonly #stateChanged = (): void => {
    const isAllowed = this.#context.state === 'running';
    if (isAllowed) this.#scheduleWaiting();
    this.#onAllowed(isAllowed);
  };
}

/** Decodes pieces and hands over their samples, in order. */
interface SampleSource {
  /** Sample rate of the samples handed over, in Hz. */
  readonly sampleRateHz: number;
  append(pieces: readonly Uint8Array[]): void;
  close(): void;
}

interface SampleSourceOptions {
  onSamples: (samples: Float32Array<ArrayBuffer>) => void;
  onFailure: (cause: unknown) => void;
}

/** Samples of s16le data. */
function pcmSamples({ onSamples }: SampleSourceOptions): SampleSource {
  return {
    sampleRateHz: 24_000,
    append(pieces) {
      const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
      const samples = new Float32Array(sizeBytes >> 1);
      let filled = 0;
      for (const piece of pieces) {
        const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
        for (let byte = 0; byte + 1 < piece.length; byte += 2) {
          samples[filled++] = view.getInt16(byte, true) / 32_768;
        }
      }
      if (filled > 0) onSamples(samples);
    },
    close: () => undefined,
  };
}

/** Opus always decodes at 48 kHz. */
const OPUS_RATE_HZ = 48_000;
/** Samples joined into one buffer: packets are only 20 ms long, and each buffer costs the browser a node. */
const BATCH_SAMPLES = OPUS_RATE_HZ / 5;
const PACKET_US = 20_000;

/** Samples of Opus in Ogg pages, decoded by WebCodecs. */
function opusSamples({ onSamples, onFailure }: SampleSourceOptions): SampleSource {
  const batch = new Float32Array(BATCH_SAMPLES);
  let filled = 0;
  /** Number of packets given to the decoder, and number decoded. */
  let given = 0;
  let decoded = 0;
  /** Value of `given` after each chunk: sentences begin with a chunk, so buffers must as well. */
  const chunkEnds: number[] = [];

  function handOver(): void {
    if (filled > 0) onSamples(batch.slice(0, filled));
    filled = 0;
  }
  const decoder = new AudioDecoder({
    output(data) {
      const { numberOfFrames: count } = data;
      if (filled + count > BATCH_SAMPLES) handOver();
      data.copyTo(batch.subarray(filled, filled + count), { planeIndex: 0, format: 'f32-planar' });
      data.close();
      filled += count;
      // flush() is not used: it drops the decoder state that the next packet builds on.
      if (++decoded < (chunkEnds[0] ?? Infinity)) return;
      chunkEnds.shift();
      handOver();
    },
    error: onFailure,
  });
  decoder.configure({ codec: 'opus', sampleRate: OPUS_RATE_HZ, numberOfChannels: 1 });
  return {
    sampleRateHz: OPUS_RATE_HZ,
    append(pieces) {
      for (const data of pieces.flatMap(pagePackets)) {
        if (isOpusHeader(data)) continue;
        const packet = { type: 'key', timestamp: given * PACKET_US, data: data as BufferSource };
        decoder.decode(new EncodedAudioChunk(packet as EncodedAudioChunkInit));
        given++;
      }
      chunkEnds.push(given);
    },
    close() {
      if (decoder.state !== 'closed') decoder.close();
    },
  };
}

const PAGE_HEADER_BYTES = 27;
/** "OggS". */
const CAPTURE_PATTERN = 0x4f676753;
/** "Opus", as in OpusHead and OpusTags. */
const OPUS_HEADER = 0x4f707573;

/**
 * Returns the packets of one Ogg page (RFC 3533, RFC 7845). The gateway never splits a packet over pages.
 *
 * @throws RangeError if the data is not a whole Ogg page
 */
function pagePackets(page: Uint8Array): Uint8Array[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  if (view.getUint32(0) !== CAPTURE_PATTERN) throw new RangeError('This is not an Ogg page.');
  const lacingCount = view.getUint8(26);
  const packets: Uint8Array[] = [];
  let start = PAGE_HEADER_BYTES + lacingCount;
  let end = start;
  for (let index = 0; index < lacingCount; index++) {
    const length = view.getUint8(PAGE_HEADER_BYTES + index);
    end += length;
    // A lacing value of 255 continues the packet.
    if (length === 255) continue;
    if (end > page.length) throw new RangeError('The Ogg page is cut off.');
    packets.push(page.subarray(start, end));
    start = end;
  }
  return packets;
}

/** Returns whether a packet is OpusHead or OpusTags; audio packets never begin this way. */
function isOpusHeader(packet: Uint8Array): boolean {
  if (packet.length < 8) return false;
  return new DataView(packet.buffer, packet.byteOffset).getUint32(0) === OPUS_HEADER;
}

/** Length of played audio at which the buffer is trimmed, and length kept then, in s. */
const KEPT_S = 60;
const TRIMMED_TO_S = 10;

/** Bytes to append, or the position of a stream that begins. */
type Step = Uint8Array<ArrayBuffer> | { startMs: number };

/** Plays WebM through Media Source Extensions, with one endless media element outside the document. */
class MediaSourceOutput implements SpeechOutput {
  readonly #audio = new Audio();
  readonly #media = new MediaSource();
  readonly #address = URL.createObjectURL(this.#media);
  readonly #options: SpeechOutputOptions;
  readonly #steps: Step[] = [];
  #buffer: SourceBuffer | undefined;
  #skipToS = 0;

  constructor(options: SpeechOutputOptions) {
    this.#options = options;
    this.#media.addEventListener('sourceopen', () => this.#open(), { once: true });
    this.#audio.addEventListener('error', () => options.onFailure(this.#audio.error));
    this.#audio.addEventListener('pause', () => options.onAllowed(false));
    this.#audio.addEventListener('playing', () => options.onAllowed(true));
    this.#audio.src = this.#address;
  }

  get positionMs(): number {
    return this.#audio.currentTime * 1000;
  }

  begin(startMs: number): void {
    this.#steps.push({ startMs });
    this.#pump();
  }

  append(pieces: readonly Uint8Array[]): void {
    this.#steps.push(joined(pieces));
    this.#pump();
  }

  async unlock(): Promise<boolean> {
    let isRefused = false;
    // Fulfilled only once something is there to play; rejected at once.
    const playing = this.#audio.play().catch(() => (isRefused = true));
    await isKeptSoon(playing);
    return !isRefused;
  }

  skipTo(timeMs: number): void {
    this.#skipToS = timeMs / 1000;
    this.#skip();
  }

  setVolume(volume: number): void {
    this.#audio.volume = volume;
  }

  close(): void {
    this.#steps.length = 0;
    this.#buffer = undefined;
    this.#audio.removeAttribute('src');
    this.#audio.load();
    URL.revokeObjectURL(this.#address);
  }

  #open(): void {
    try {
      const buffer = this.#media.addSourceBuffer(speechContentTypes.mse);
      buffer.addEventListener('updateend', () => this.#pump());
      this.#buffer = buffer;
    } catch (cause) {
      this.#options.onFailure(cause);
    }
    this.#pump();
  }

  #pump(): void {
    const buffer = this.#buffer;
    if (buffer === undefined || buffer.updating || this.#media.readyState !== 'open') return;
    try {
      this.#skip();
      if (this.#trim(buffer)) return;
      let step = this.#steps.shift();
      if (step !== undefined && 'startMs' in step) {
        // Resets the parser, which is in the middle of a segment of unknown length.
        buffer.abort();
        // Joins the streams without a gap, at which playback would stop.
        buffer.timestampOffset = endS(buffer) ?? step.startMs / 1000;
        step = this.#steps.shift();
      }
      if (step instanceof Uint8Array) buffer.appendBuffer(step);
    } catch (cause) {
      this.#options.onFailure(cause);
    }
  }

  #trim(buffer: SourceBuffer): boolean {
    const { currentTime } = this.#audio;
    const startS = buffer.buffered.length > 0 ? buffer.buffered.start(0) : currentTime;
    if (currentTime - startS < KEPT_S) return false;
    buffer.remove(startS, currentTime - TRIMMED_TO_S);
    return true;
  }

  #skip(): void {
    if (this.#audio.currentTime >= this.#skipToS) return;
    const bufferedS = this.#buffer && endS(this.#buffer);
    if (bufferedS !== undefined && bufferedS > this.#skipToS) {
      this.#audio.currentTime = this.#skipToS;
    }
  }
}

function endS({ buffered }: SourceBuffer): number | undefined {
  return buffered.length === 0 ? undefined : buffered.end(buffered.length - 1);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}
