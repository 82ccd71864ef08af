/** The process that hears several utterances at a time with one model; see hearing-protocol.ts. */
import { encodeFrame, FrameReader } from '../../process/index.ts';
import type { SherpaChildOptions } from './sherpa-config.ts';
import { createRepeats } from './repeats.ts';
import { createEars, type SherpaEar } from './sherpa-ears.ts';
import { loadSherpa } from './sherpa-library.ts';
import {
  fromHearing,
  NUMBER_BYTES,
  numbered,
  toHearing,
  type HeardPart,
  type HearingOpening,
} from './hearing-protocol.ts';

interface OpenUtterance {
  ear: SherpaEar;
  isWorthTelling: (text: string) => boolean;
}

function run(options: SherpaChildOptions): void {
  const listen = createEars(loadSherpa(), options);
  const open = new Map<number, OpenUtterance>();

  function onFrame(kind: number, payload: Buffer): void {
    const number = payload.readUInt32LE(0);
    const rest = payload.subarray(NUMBER_BYTES);
    const utterance = open.get(number);
    if (kind === toHearing.open) {
      const opening = JSON.parse(rest.toString('utf8')) as HearingOpening;
      open.set(number, { ear: listen(opening), isWorthTelling: createRepeats() });
    } else if (utterance === undefined) return;
    else if (kind === toHearing.audio) hear(number, utterance, rest);
    else if (kind === toHearing.end) void conclude(number, utterance);
    else if (kind === toHearing.drop) open.delete(number);
  }

  function hear(number: number, utterance: OpenUtterance, audio: Buffer): void {
    utterance.ear.accept(floats(audio));
    const heard = utterance.ear.partial();
    if (heard !== undefined && utterance.isWorthTelling(heard.text)) {
      tell(fromHearing.partial, number, heard);
    }
    const taken = Buffer.allocUnsafe(4);
    taken.writeUInt32LE(audio.byteLength, 0);
    send(fromHearing.heard, numbered(number, taken));
  }

  async function conclude(number: number, { ear }: OpenUtterance): Promise<void> {
    const heard = await ear.conclude();
    if (open.delete(number)) tell(fromHearing.final, number, heard);
  }

  const frames = new FrameReader(onFrame);
  process.stdin.on('data', (chunk: Buffer) => frames.push(chunk));
  send(fromHearing.ready);
}

/** Samples from -1 to 1. */
function floats(audio: Buffer): Float32Array {
  const samples = new Float32Array(audio.byteLength >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = audio.readInt16LE(index * 2) / 32_768;
  }
  return samples;
}

function tell(kind: number, number: number, heard: HeardPart): void {
  send(kind, numbered(number, Buffer.from(JSON.stringify(heard))));
}

/** Pipes are written at once on POSIX systems, even if decoding then keeps the thread busy. */
function send(kind: number, payload?: Uint8Array): void {
  process.stdout.write(encodeFrame(kind, payload));
}

// The parent is gone, however it went.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

try {
  run(JSON.parse(process.argv[2] ?? '{}') as SherpaChildOptions);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(encodeFrame(fromHearing.failed, Buffer.from(reason)), () => process.exit(1));
}
