/**
 * A stand-in for a speech model, for tests of the processes around it: turns each half second of audio into
 * a word that depends on its loudness. It starts at once, and its words show which audio it received.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import type { MoonshineOptions } from '../../server/engines/recognition/moonshine.ts';
import { OUTLIVE_SIGNALS } from '../../server/process/index.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { moonshine } from './moonshine-support.ts';

const WORD_BYTES = 16_000;
/** The word that ends the process that hears it. */
const DEADLY_WORD = 666;

/** Carries a word in its command line by which tests find recogniser processes. */
const script = `
  import { encodeFrame, FrameReader } from ${JSON.stringify(builtModule('server/process/index.ts'))};
  import { fromHearing, numbered, toHearing } from ${JSON.stringify(builtModule('server/engines/recognition/hearing-protocol.ts'))};
  const lines = new Map();
  const send = (kind, payload) => process.stdout.write(encodeFrame(kind, payload));
  const tell = (kind, number, heard) => send(kind, numbered(number, Buffer.from(JSON.stringify(heard))));
  const heard = (audio) => {
    const words = [];
    for (let at = 0; at + ${WORD_BYTES} <= audio.length; at += ${WORD_BYTES}) {
      words.push({ text: String(audio.readInt16LE(at)), startMs: at / 32, endMs: (at + ${WORD_BYTES}) / 32 });
    }
    const text = words.map((word) => word.text).join(' ');
    return { text, agreed: text, words };
  };
  const reader = new FrameReader((kind, payload) => {
    const number = payload.readUInt32LE(0);
    const rest = Buffer.from(payload.subarray(4));
    if (kind === toHearing.open) lines.set(number, Buffer.alloc(0));
    if (kind === toHearing.audio) {
      const before = lines.get(number);
      const audio = Buffer.concat([before, rest]);
      lines.set(number, audio);
      const taken = Buffer.alloc(4);
      taken.writeUInt32LE(rest.length);
      send(fromHearing.heard, numbered(number, taken));
      if (heard(audio).words.some((word) => word.text === '${DEADLY_WORD}')) process.exit(1);
      const isMore = heard(audio).words.length > heard(before).words.length;
      if (isMore) tell(fromHearing.partial, number, heard(audio));
    }
    if (kind === toHearing.end) tell(fromHearing.final, number, heard(lines.get(number)));
    if (kind === toHearing.end || kind === toHearing.drop) lines.delete(number);
  });
  process.stdin.on('data', (chunk) => reader.push(chunk)).on('end', () => process.exit());
  send(fromHearing.ready);`;

/** Starts a process with this stand-in. */
function startEar(): ChildProcessWithoutNullStreams {
  const args = [...OUTLIVE_SIGNALS, '--input-type=module', '-e', script, 'moonshine-child'];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Creates the built-in recogniser with stand-ins in its processes; the caller closes it. */
export function countingEar(options: Partial<MoonshineOptions> = {}): Promise<RecognitionEngine> {
  return moonshine({ startProcess: startEar, ...options });
}

/** Returns audio of that many words, and the text recognised in it. */
export function counted(words: number): { audio: Buffer; text: string } {
  return named(Array.from({ length: words }, (_, index) => 101 + index));
}

/** Returns audio that ends every process that hears it. */
export const deadly = (): Buffer => named([101, DEADLY_WORD]).audio;

function named(names: readonly number[]): { audio: Buffer; text: string } {
  const audio = names.map((name) => {
    const samples = new Int16Array(WORD_BYTES / 2).fill(name);
    return Buffer.from(samples.buffer);
  });
  return { audio: Buffer.concat(audio), text: names.join(' ') };
}
