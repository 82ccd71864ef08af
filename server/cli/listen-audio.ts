/** Audio input of `listen`: a file or standard input, in a format that the voice protocol supports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isWav, readWavHead, wavCodec, type WavFormat } from '../../shared/wav.ts';

export interface AudioInput {
  contentType: string;
  audio: AsyncIterable<Uint8Array>;
  /** Size of `audio` in bytes, if known beforehand. */
  sizeBytes: number | undefined;
  /** Stops reading. */
  stop(): void;
}

export interface AudioInputOptions {
  /** Path of a file, or `-` for standard input. */
  source: string;
  /** Format of the audio; detected if undefined. */
  contentType: string | undefined;
  /** Converts the audio through ffmpeg to a format that every server accepts. */
  convert: boolean;
}

const RAW_PCM = 'audio/pcm;encoding=s16le;rate=16000';
/** Number of bytes that identify every container. */
const MAGIC_BYTES = 12;
/** Limit on the header of a WAV file; studio programs write much before the samples. */
const MAX_WAV_HEAD_BYTES = 1024 * 1024;

const typesByExtension: Record<string, string> = {
  '.flac': 'audio/flac',
  '.mp3': 'audio/mpeg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.webm': 'audio/webm',
  '.mka': 'audio/x-matroska',
  '.mkv': 'audio/x-matroska',
};

/** @throws Error with advice, when the audio cannot be read or its format is unknown */
export async function openAudio(options: AudioInputOptions): Promise<AudioInput> {
  const { source, contentType, convert } = options;
  const found = source === '-' ? undefined : await stat(source);
  if (found?.isDirectory() === true) throw new Error(`${source}: is not a file.`);
  if (found?.isFile() === true && found.size === 0) {
    throw new Error(`${source}: there is no audio in it.`);
  }
  if (convert) return converted(source);
  const sizeBytes = found?.size;
  const stream = source === '-' ? process.stdin : createReadStream(source);
  const reader = headReader(stream);
  const input = { audio: reader.rest(), sizeBytes, stop: () => void stream.destroy() };
  if (contentType !== undefined) return { ...input, contentType };
  const head = await reader.head((bytes) => bytes.length >= MAGIC_BYTES);
  const tagBytes = id3Bytes(head);
  if (tagBytes > 0) {
    const tagged = headReader(slice(reader.rest(), tagBytes, Infinity));
    const magic = await tagged.head((bytes) => bytes.length >= MAGIC_BYTES);
    return {
      ...input,
      contentType: isFlac(magic) ? 'audio/flac' : 'audio/mpeg',
      audio: tagged.rest(),
      ...(sizeBytes !== undefined && { sizeBytes: Math.max(0, sizeBytes - tagBytes) }),
    };
  }
  if (!isWav(head)) return { ...input, contentType: guessType(source, head) };
  const wav = readWavHead(await reader.head(hasWavHead));
  const wavType = wav?.format && wavContentType(wav.format);
  if (wav !== undefined && wavType !== undefined) {
    const dataBytes = Math.min(wav.dataBytes, (sizeBytes ?? Infinity) - wav.dataStart);
    return {
      ...input,
      contentType: wavType,
      audio: slice(reader.rest(), wav.dataStart, dataBytes),
      sizeBytes: Number.isFinite(dataBytes) ? dataBytes : undefined,
    };
  }
  // Two channels, 24 bits or 22 kHz: servers need not support such WAV files.
  if (source === '-') throw new Error('This WAV is not 16-bit PCM of one channel. Use --convert.');
  stream.destroy();
  return converted(source);
}

const hasWavHead = (bytes: Buffer): boolean =>
  readWavHead(bytes) !== undefined || bytes.length > MAX_WAV_HEAD_BYTES;

const isFlac = (head: Buffer): boolean => head.toString('latin1', 0, 4) === 'fLaC';

function guessType(source: string, head: Buffer): string {
  const magic = head.toString('latin1', 0, 4);
  const byExtension = typesByExtension[path.extname(source).toLowerCase()];
  if (isFlac(head)) return 'audio/flac';
  if (magic === 'OggS') return 'audio/ogg';
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return byExtension ?? 'audio/auto';
  if (byExtension !== undefined) return byExtension;
  if (source === '-') return RAW_PCM;
  throw new Error(
    `${source}: what kind of audio is this? Say it with --content-type, or let ffmpeg read it with --convert.`,
  );
}

/**
 * Returns the size of the ID3v2 tag of an MP3. It may contain pictures, which must not be sent at
 * the pace of speech.
 */
function id3Bytes(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Seven bits per byte; a footer of the header's size may follow.
  const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return 10 + size + ((head[5] ?? 0) & 0x10 ? 10 : 0);
}

/** Converts audio to one channel at 16 kHz through ffmpeg. */
function converted(source: string): AudioInput {
  // Named as a file: ffmpeg takes what precedes a colon, as in `T10:30.wav`, for a protocol.
  const input = source === '-' ? ['pipe:0'] : ['-nostdin', '-i', `file:${source}`];
  const output = ['-vn', '-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1'];
  const args = ['-hide_banner', '-loglevel', 'error', ...(source === '-' ? ['-i'] : []), ...input];
  const child = spawn('ffmpeg', [...args, ...output], {
    stdio: [source === '-' ? 'inherit' : 'ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  let isStopped = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  ended.catch(() => undefined);
  async function* audio(): AsyncGenerator<Uint8Array> {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    const [code] = await ended.catch(() => {
      throw new Error('This audio needs ffmpeg, which is not installed.');
    });
    if (code !== 0 && !isStopped) {
      throw new Error(complaint.trim().replaceAll(`file:${source}`, source) || 'ffmpeg failed.');
    }
  }
  const stop = (): void => {
    isStopped = true;
    child.kill();
  };
  return { contentType: RAW_PCM, audio: audio(), sizeBytes: undefined, stop };
}

/** Reads the head of a stream; {@link rest} still yields all of it. */
function headReader(stream: AsyncIterable<Uint8Array>) {
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  let read = Buffer.alloc(0);
  return {
    /** Reads until `isEnough` is satisfied or the stream ends. */
    async head(isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
      while (!isEnough(read)) {
        const { done, value } = await iterator.next();
        if (done === true) break;
        read = Buffer.concat([read, value]);
      }
      return read;
    },
    async *rest(): AsyncGenerator<Uint8Array> {
      if (read.length > 0) yield read;
      read = Buffer.alloc(0);
      for (;;) {
        const { done, value } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    },
  };
}

async function* slice(
  audio: AsyncIterable<Uint8Array>,
  start: number,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  let skip = start;
  let left = sizeBytes;
  for await (const chunk of audio) {
    const piece = chunk.subarray(skip, Math.min(chunk.length, skip + left));
    skip = Math.max(0, skip - chunk.length);
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left <= 0) return;
  }
}

// WAV formats in terms of the voice protocol.

/** Returns the content type in the voice protocol; undefined if it has none, as for two channels. */
function wavContentType(format: WavFormat): string | undefined {
  const { codec, channels, sampleRateHz: rateHz, bitsPerSample: bits } = format;
  if (channels !== 1) return undefined;
  if (codec === wavCodec.pcm && bits === 16 && [8_000, 16_000, 44_100, 48_000].includes(rateHz)) {
    return `audio/pcm;encoding=s16le;rate=${rateHz}`;
  }
  if (rateHz !== 8_000 || bits !== 8) return undefined;
  if (codec === wavCodec.alaw) return 'audio/pcm;encoding=alaw;rate=8000';
  return codec === wavCodec.ulaw ? 'audio/pcm;encoding=ulaw;rate=8000' : undefined;
}
