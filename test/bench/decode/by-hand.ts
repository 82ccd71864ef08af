/** The libraries that decode, without anything of ours around them. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggReader, readAudioFromOgg } from '../../../server/voice/audio/codecs/ogg-reader.ts';
import { WebmReader } from '../../../server/voice/audio/codecs/webm-reader.ts';

const RATE_HZ = 16_000;
const APPLICATION_AUDIO = 2049;
/** As large as any packet of the benchmark and its samples. */
const BUFFER_BYTES = 64 * 1024;

interface Opusscript {
  HEAPU8: Uint8Array;
  _malloc(sizeBytes: number): number;
  OpusScriptHandler: {
    new (
      sampleRateHz: number,
      channels: number,
      application: number,
    ): {
      _decode(input: number, inputBytes: number, output: number): number;
    };
    destroy_handler(handler: unknown): void;
  };
}

const createModule = createRequire(import.meta.url)(
  'opusscript/build/opusscript_native_wasm.js',
) as () => Opusscript;
let opusscript: { module: Opusscript; input: number; output: number } | undefined;

/** Packets that were read before, so that reading does not count. */
const packetsOfFile = new WeakMap<Uint8Array, Uint8Array[]>();

function packetsOf(file: Uint8Array, read: (packets: Uint8Array[]) => void): Uint8Array[] {
  const known = packetsOfFile.get(file);
  if (known !== undefined) return known;
  const packets: Uint8Array[] = [];
  read(packets);
  packetsOfFile.set(file, packets);
  return packets;
}

function startOpusscript() {
  const module = createModule();
  const [input, output] = [module._malloc(BUFFER_BYTES), module._malloc(BUFFER_BYTES)];
  return { module, input, output };
}

function decodeOpus(packets: readonly Uint8Array[]): void {
  const { module, input, output } = (opusscript ??= startOpusscript());
  const handler = new module.OpusScriptHandler(RATE_HZ, 1, APPLICATION_AUDIO);
  for (const packet of packets) {
    module.HEAPU8.set(packet, input);
    handler._decode(input, packet.length, output);
  }
  module.OpusScriptHandler.destroy_handler(handler);
}

export async function opusInWebm(file: Uint8Array): Promise<void> {
  const packets = packetsOf(file, (found) => {
    const packet = (bytes: Uint8Array) => found.push(Uint8Array.from(bytes));
    new WebmReader({ track: () => undefined, packet }).push(file);
  });
  decodeOpus(packets);
}

export async function opusInOgg(file: Uint8Array): Promise<void> {
  const packets = packetsOf(file, (found) => {
    const packet = (bytes: Uint8Array) => found.push(Uint8Array.from(bytes));
    new OggReader(readAudioFromOgg({ start: () => undefined, packet })).push(file);
  });
  decodeOpus(packets);
}

/** libFLAC as compiled to WebAssembly; native and in Ogg. */
export async function flac(file: Uint8Array): Promise<void> {
  const decoder = new FLACDecoder();
  await decoder.ready;
  await decoder.decode(file);
  await decoder.flush();
  decoder.free();
}

/** One FFmpeg for the whole file. */
export const ffmpeg =
  (format: string) =>
  async (file: Uint8Array): Promise<void> => {
    const input = ['-v', 'error', '-threads', '1', '-f', format, '-i', 'pipe:0'];
    const output = ['-ac', '1', '-ar', `${RATE_HZ}`, '-f', 's16le', 'pipe:1'];
    const child = spawn('ffmpeg', [...input, ...output], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.resume();
    child.stdin.end(file);
    await new Promise((resolve) => child.once('close', resolve));
  };
