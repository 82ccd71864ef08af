/** Decoding of what a browser's MediaRecorder sends: live WebM with clusters of unknown size. */
import { expect, it } from 'vitest';
import { mediaOf, samplesIn } from '../../support/audio/heard.ts';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import { createAudioDecoders } from '../../../server/voice/audio/decode.ts';
import {
  correlate,
  decodedByFfmpeg,
  fileOf,
  samplesOf,
  spokenWav,
} from '../../support/audio/audio-files.ts';
import { launchChromium } from '../../support/machine/chromium.ts';
import { recordLog } from '../../support/product/log-record.ts';

/** Records Chromium's fake microphone twice in succession; returns the chunks of each recording in order. */
async function recordTwice(): Promise<Uint8Array[][]> {
  const browser = await launchChromium(spokenWav());
  try {
    const page = await browser.newPage();
    // getUserMedia requires a secure context; a local file is one.
    await page.goto(`file://${fileOf(Buffer.from('<title>Recorder</title>'), 'html')}`);
    const recordings = await page.evaluate(async () => {
      const media = await navigator.mediaDevices.getUserMedia({ audio: true });
      const record = async () => {
        const chunks: number[][] = [];
        const recorder = new MediaRecorder(media, { mimeType: 'audio/webm;codecs=opus' });
        const pending: Promise<unknown>[] = [];
        recorder.ondataavailable = ({ data }) => {
          pending.push(data.arrayBuffer().then((bytes) => chunks.push([...new Uint8Array(bytes)])));
          if (pending.length === 10) recorder.stop();
        };
        const stopped = new Promise((resolve) => (recorder.onstop = resolve));
        recorder.start(100);
        await stopped;
        await Promise.all(pending);
        return chunks;
      };
      return [await record(), await record()];
    });
    return recordings.map((chunks) => chunks.map((chunk) => Uint8Array.from(chunk)));
  } finally {
    await browser.close();
  }
}

it('decodes the chunks of a MediaRecorder and goes on when the recorder is restarted', async () => {
  const recordings = await recordTwice();
  const decoders = createAudioDecoders({ log: recordLog() });
  const pieces: Uint8Array[] = [];
  async function* media() {
    for (const chunks of recordings) yield* chunks;
  }
  const heard = decoders.decode(mediaOf(media()), {
    format: parseSourceMediaType('audio/webm;codecs=opus')!,
    sampleRateHz: 16_000,
    signal: new AbortController().signal,
  });
  for await (const piece of samplesIn(heard)) pieces.push(piece);
  await decoders.close();

  const ours = samplesOf(Buffer.concat(pieces));
  const theirs = recordings.flatMap((chunks) => [
    ...decodedByFfmpeg(fileOf(Buffer.concat(chunks), 'webm'), 16_000),
  ]);
  expect(theirs.length).toBeGreaterThan(1.5 * 16_000);
  expect(Math.abs(ours.length - theirs.length)).toBeLessThan(320);
  expect(correlate(ours, Int16Array.from(theirs)).correlation).toBeGreaterThan(0.99);
});
