/** Faults of the network, which no caption shows. The recogniser of tones hears each lost or repeated piece. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectVoice, type CaptionEvent } from '../../shared/client/node.ts';
import { inTones } from '../support/audio/tone-speech.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';

const { spelling, speech } = inTones([
  'good morning everybody',
  'my friends live in a small house near the sea',
]);
const audio = Buffer.concat(speech);

let recogniser: VoskServer;
let server: HostedServer;
type Segments = CaptionEvent['concluded'][number][];
type Heard = Map<string, Segments>;

/** Captions received over a network without faults. */
let undisturbed: Heard;
beforeAll(async () => {
  recogniser = await startVoskServer({ spelling });
  server = await startHosted({ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, FFMPEG: 'none' });
  undisturbed = await transcribe(server.url);
  expect(textsOf(undisturbed.get('source'))).toMatch(/morning.*sea/);
});
afterAll(async () => {
  await server.stop();
  await recogniser.close();
});

const textsOf = (segments: Segments = []) => segments.map(({ text }) => text).join('');

/** Transcribes the recording at this address; resolves to the concluded segments by kind. */
async function transcribe(
  url: string,
  {
    onPiece = () => undefined,
    onStatus = () => undefined,
  }: { onPiece?: (index: number) => void; onStatus?: (status: string) => void } = {},
): Promise<Heard> {
  const session = connectVoice({
    ...{ server: url, apiKey: server.apiKey },
    ...{ contentType: 'audio/pcm;encoding=s16le;rate=16000', sourceLanguage: 'en' },
    ...{ targetLanguages: ['es'], buffer: { maxMs: 2_000 }, attempts: { toResume: 20 } },
  });
  const heard: Heard = new Map();
  session.on('caption', ({ kind, concluded }) => {
    heard.set(kind, [...(heard.get(kind) ?? []), ...concluded]);
  });
  session.on('status', ({ status }) => onStatus(status));
  for (let at = 0, index = 0; at < audio.length; at += 3_200, index += 1) {
    onPiece(index);
    await session.send(audio.subarray(at, at + 3_200));
  }
  await session.finish();
  return heard;
}

it.concurrent('receives the same captions over a network that resets connections', async () => {
  const proxy = await startResetProxy(server.url);
  let drops = 0;
  try {
    const disturbed = await transcribe(proxy.url, {
      onPiece: (index) => {
        if (index % 10 === 7) drops += proxy.reset();
      },
    });
    expect(drops).toBeGreaterThan(2);
    expect(disturbed).toEqual(undisturbed);
  } finally {
    await proxy.close();
  }
});

it.concurrent('receives the same captions over a network that goes silent, and notices the silence within seconds', async () => {
  const proxy = await startResetProxy(server.url);
  try {
    let silentSinceMs = 0;
    const noticedAfterMs: number[] = [];
    const disturbed = await transcribe(proxy.url, {
      onPiece: (index) => {
        if (index !== 37) return;
        proxy.silence();
        silentSinceMs = performance.now();
      },
      onStatus: (status) => {
        if (status === 'reconnecting') noticedAfterMs.push(performance.now() - silentSinceMs);
      },
    });
    expect(disturbed).toEqual(undisturbed);
    expect(noticedAfterMs).toHaveLength(1);
    // Four seconds on an idle machine.
    expect(noticedAfterMs[0]).toBeLessThan(15_000);
  } finally {
    await proxy.close();
  }
});
