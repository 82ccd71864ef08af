/** Where translated speech is heard: which way it takes, as browsers differ in what they play, and what plays it. */

/** Raw Opus packets through WebCodecs, WebM through Media Source Extensions, or plain samples. */
export type SpeechPath = 'webcodecs' | 'mse' | 'pcm';

/** What the gateway is asked for, by path. */
export const speechContentTypes: Record<SpeechPath, string> = {
  // Its pages hold whole packets: far less to take apart than WebM.
  webcodecs: 'audio/ogg;codecs=opus',
  mse: 'audio/webm;codecs=opus',
  pcm: 'audio/pcm;encoding=s16le;rate=24000',
};

/** The best path of this browser. */
export function speechPath(): SpeechPath {
  // Firefox has an AudioDecoder too, but its own pipeline for media keeps time better.
  const isFirefox = navigator.userAgent.includes('Firefox/');
  if (typeof AudioDecoder !== 'undefined' && !isFirefox) return 'webcodecs';
  const playsWebm =
    isFirefox &&
    typeof MediaSource !== 'undefined' &&
    MediaSource.isTypeSupported(speechContentTypes.mse);
  return playsWebm ? 'mse' : 'pcm';
}

/** Plays the pieces it is given one after the other. Times count the sound of all streams, in ms. */
export interface SpeechOutput {
  /** What is being heard now; stands still while nothing is left to play. */
  readonly positionMs: number;
  /** Another stream begins, at such a time; what came before is played to its end. */
  begin(startMs: number): void;
  /** Adds pieces of the stream, headers among them. */
  append(pieces: readonly Uint8Array[]): void;
  /** Asks the browser for sound, in the middle of a click if it can be. Resolves with its answer. */
  unlock(): Promise<boolean>;
  /** Leaves out whatever would be heard before a time. */
  skipTo(timeMs: number): void;
  /** @param volume 0 to 1; @param rampMs how fast it gets there */
  setVolume(volume: number, rampMs: number): void;
  close(): void;
}

/** What becomes known of an output. */
interface SpeechOutputOptions {
  /** The browser has begun, or has stopped, to let it sound. */
  onAllowed: (isAllowed: boolean) => void;
  /** Nothing more can be played. */
  onFailure: (cause: unknown) => void;
}

/** What plays along a path. Make it inside a click. */
export function openOutput(path: SpeechPath, options: SpeechOutputOptions): SpeechOutput {
  if (path === 'mse') return new MediaSourceOutput(options);
  return new ScheduledOutput(path === 'pcm' ? 'pcm' : 'opus', options);
}

/** Without a gesture, a browser does not even answer. */
const UNLOCK_WAIT_MS = 400;

/** Whether a promise is kept within the time that browsers take to allow sound. */
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

/** Silence before the first sound of an utterance, in s: what the next pieces may be late by. */
const LEAD_S = 0.15;
/** Times of the gateway are whole ms, so a sentence may begin a little before its time. */
const TOLERANCE_MS = 10;

/** Sound without a gap: when it begins on the context's clock, and which time of the speech that is. */
interface Run {
  startS: number;
  startMs: number;
  lengthMs: number;
}

/** Samples through an AudioContext: each buffer begins where the one before it ends. */
class ScheduledOutput implements SpeechOutput {
  readonly #context: AudioContext;
  readonly #gain: GainNode;
  readonly #source: SampleSource;
  readonly #onAllowed: (isAllowed: boolean) => void;
  readonly #playing = new Set<AudioBufferSourceNode>();
  /** What waits until the browser allows sound. */
  #waiting: { buffer: AudioBuffer; startMs: number }[] = [];
  readonly #runs: Run[] = [];
  #nextS = 0;
  /** How much has been decoded. */
  #decodedMs = 0;
  #skipToMs = 0;
  #restMs = 0;

  constructor(kind: 'opus' | 'pcm', { onAllowed, onFailure }: SpeechOutputOptions) {
    const onSamples = (samples: Float32Array<ArrayBuffer>) => this.#take(samples);
    this.#source = (kind === 'opus' ? opusSamples : pcmSamples)({ onSamples, onFailure });
    this.#onAllowed = onAllowed;
    // At the rate of the sound buffers join to the sample; at another one each seam would click.
    this.#context = new AudioContext({ sampleRate: this.#source.sampleRateHz });
    this.#gain = this.#context.createGain();
    this.#gain.connect(this.#context.destination);
    this.#context.addEventListener('statechange', this.#stateChanged);
  }

  get positionMs(): number {
    const { currentTime, outputLatency } = this.#context;
    // Safari does not know the latency.
    const heardS = currentTime - (outputLatency || 0);
    while ((this.#runs[1]?.startS ?? Infinity) <= heardS) this.#runs.shift();
    const [run] = this.#runs;
    if (run === undefined || run.startS > heardS) return this.#restMs;
    return (this.#restMs = run.startMs + Math.min(run.lengthMs, (heardS - run.startS) * 1000));
  }

  // Times go on and a decoder of Opus needs nothing of the headers.
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
    // A third of the ramp as time constant: nineteen twentieths are done when it is over.
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
      // On a whole sample, or each of them would be interpolated.
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

  /** A phone call takes the sound away and gives it back. */
  readonly #stateChanged = (): void => {
    const isAllowed = this.#context.state === 'running';
    if (isAllowed) this.#scheduleWaiting();
    this.#onAllowed(isAllowed);
  };
}

/** Takes pieces and hands over what they sound like, in order. */
interface SampleSource {
  /** Of what is handed over, in Hz. */
  readonly sampleRateHz: number;
  append(pieces: readonly Uint8Array[]): void;
  close(): void;
}

interface SampleSourceOptions {
  onSamples: (samples: Float32Array<ArrayBuffer>) => void;
  onFailure: (cause: unknown) => void;
}

/** s16le: most browsers run on little-endian machines only, so the bytes are samples already. */
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
/** Packets of 20 ms are put together to this, in samples: each seam costs the browser a node. */
const BATCH_SAMPLES = OPUS_RATE_HZ / 5;
const PACKET_US = 20_000;

/** Opus in Ogg pages, by WebCodecs. */
function opusSamples({ onSamples, onFailure }: SampleSourceOptions): SampleSource {
  const batch = new Float32Array(BATCH_SAMPLES);
  let filled = 0;
  /** Packets that were given to the decoder, and that came out of it. */
  let given = 0;
  let decoded = 0;
  /** `given` after each chunk: sentences begin with one, so buffers do too. */
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
      // Not by flush(): it makes the decoder forget the sound that the next packet builds on.
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
 * The packets of one Ogg page (RFC 3533, RFC 7845). The gateway never spreads a packet over two pages.
 *
 * @throws RangeError when it is no Ogg page, or a part of one
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
    // A packet goes on while its parts are full.
    if (length === 255) continue;
    if (end > page.length) throw new RangeError('The Ogg page is cut off.');
    packets.push(page.subarray(start, end));
    start = end;
  }
  return packets;
}

/** Whether a packet is OpusHead or OpusTags; sound never begins like this. */
function isOpusHeader(packet: Uint8Array): boolean {
  if (packet.length < 8) return false;
  return new DataView(packet.buffer, packet.byteOffset).getUint32(0) === OPUS_HEADER;
}

/** What has been heard is let go of when it gets this long, in s. */
const KEPT_S = 60;
const TRIMMED_TO_S = 10;

/** Bytes to append, or the time of a stream that begins. */
type Step = Uint8Array<ArrayBuffer> | { startMs: number };

/** WebM through Media Source Extensions: one media element that never ends, and is in no page. */
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
    // Kept only when there is something to play; refused at once.
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
        // The parser is in the middle of a segment without an end.
        buffer.abort();
        // Not a sample between the two, or playing would stop there.
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
