/** The child process that speaks one text after the other with one model; see hearing-protocol.ts. */
import { FrameReader } from '../../process/index.ts';
import { loadSherpa, type SherpaTts } from '../recognition/sherpa-library.ts';
import {
  fail,
  fromHearing,
  fromVoice,
  NUMBER_BYTES,
  numbered,
  send,
  type SherpaVoiceModel,
  toVoice,
  type VoiceRequest,
} from '../recognition/hearing-protocol.ts';

/** Samples per frame, far below the maximum frame length: one or two seconds. */
const FRAME_SAMPLES = 32_000;

function run({ family, files, threads }: SherpaVoiceModel): void {
  const { OfflineTts } = loadSherpa();
  const voice = new OfflineTts({
    model: { [family]: files, numThreads: threads, provider: 'cpu', debug: 0 },
    // The first sentence is sent while the second is being synthesised.
    maxNumSentences: 1,
  });
  const wanted = new Set<number>();
  let before: Promise<void> = Promise.resolve();

  async function speak(number: number, { text, speaker }: VoiceRequest): Promise<void> {
    if (wanted.has(number)) {
      await voice.generateAsync({
        text,
        sid: speaker,
        speed: 1,
        enableExternalBuffer: true,
        onProgress({ samples }) {
          if (wanted.has(number)) sendSamples(number, voice, samples);
          return wanted.has(number);
        },
      });
    }
    wanted.delete(number);
    send(fromVoice.done, numbered(number));
  }

  const frames = new FrameReader((kind, payload) => {
    const number = payload.readUInt32LE(0);
    if (kind === toVoice.stop) wanted.delete(number);
    if (kind !== toVoice.speak) return;
    const request = JSON.parse(payload.toString('utf8', NUMBER_BYTES)) as VoiceRequest;
    wanted.add(number);
    before = before.then(() => speak(number, request));
  });
  process.stdin.on('data', (chunk: Buffer) => frames.push(chunk));
  send(fromHearing.ready);
}

function sendSamples(number: number, { sampleRate }: SherpaTts, samples: Float32Array): void {
  for (let from = 0; from < samples.length; from += FRAME_SAMPLES) {
    const part = samples.subarray(from, from + FRAME_SAMPLES);
    const rest = Buffer.allocUnsafe(4 + part.length * 2);
    rest.writeUInt32LE(sampleRate, 0);
    part.forEach((sample, index) => {
      const level = Math.max(-1, Math.min(1, sample));
      rest.writeInt16LE(Math.round(level * 32_767), 4 + index * 2);
    });
    send(fromVoice.samples, numbered(number, rest));
  }
}

// The parent has ended, however it ended.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

try {
  run(JSON.parse(process.argv[2] ?? '{}') as SherpaVoiceModel);
} catch (error) {
  fail(error);
}
