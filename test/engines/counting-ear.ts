/**
 * What hears in place of a model, for tests of the processes around it: each half second of audio
 * is a word that tells how loud it was. It is there at once, and what it says shows what it was sent.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import type { MoonshineOptions } from '../../server/engines/recognition/moonshine.ts';
import { OUTLIVE_SIGNALS } from '../../server/process/index.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { moonshine } from './moonshine-support.ts';

const WORD_BYTES = 16_000;

/** Run with a word for the command line of a recogniser, by which tests find it. */
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
      const isMore = heard(audio).words.length > heard(before).words.length;
      if (isMore) tell(fromHearing.partial, number, heard(audio));
    }
    if (kind === toHearing.end) tell(fromHearing.final, number, heard(lines.get(number)));
    if (kind === toHearing.end || kind === toHearing.drop) lines.delete(number);
  });
  process.stdin.on('data', (chunk) => reader.push(chunk)).on('end', () => process.exit());
  send(fromHearing.ready);`;

/** A process with such an ear. */
export function startEar(): ChildProcessWithoutNullStreams {
  const args = [...OUTLIVE_SIGNALS, '--input-type=module', '-e', script, 'moonshine-child'];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** The recogniser of every installation, with such ears in its processes; it is the caller's to close. */
export function countingEar(options: Partial<MoonshineOptions> = {}): Promise<RecognitionEngine> {
  return moonshine({ startProcess: startEar, ...options });
}

/** Audio of so many words, and what is heard of it. */
export function counted(words: number): { audio: Buffer; text: string } {
  const names = Array.from({ length: words }, (_, index) => 101 + index);
  const audio = names.map((name) => {
    const samples = new Int16Array(WORD_BYTES / 2).fill(name);
    return Buffer.from(samples.buffer);
  });
  return { audio: Buffer.concat(audio), text: names.join(' ') };
}
