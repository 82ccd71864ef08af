import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loudness, pitchHz } from '../../engines/synthesis-conformance.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { speech } from '../../support/speech.ts';
import {
  connect,
  endMarks,
  PCM_16K,
  stream,
  type VoiceClient,
} from '../../support/voice-client.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

const TEXT = 'the red house stands on the hill and we will meet again in the morning';
const PACE = { chunkBytes: 3200, chunkMs: 100 };

let server: TestServer;
beforeAll(async () => (server = await startServer()));
afterAll(() => server.stop());

const mediaOf = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'target_media_chunk' ? [message] : []));

/** A session to its end, with what it hears spoken in the same language. */
async function spokenAgain(
  audio: Uint8Array,
  wishes: Record<string, unknown>,
): Promise<{ client: VoiceClient; samples: Int16Array }> {
  const client = await connect(server, { target_media_content_type: PCM_16K, ...wishes });
  await stream(client, audio, PACE);
  client.end();
  expect((await client.closed).code).toBe(1000);
  const bytes = Buffer.concat(mediaOf(client).flatMap(({ data }) => data));
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, at) =>
    bytes.readInt16LE(2 * at),
  );
  return { client, samples };
}

it('English is spoken so that a recogniser follows it as well as the original', async () => {
  const original = readFileSync(await speech({ text: TEXT })).subarray(44);
  const first = await spokenAgain(original, { target_media_languages: ['en'] });
  expect(endMarks(first.client)).toContain('end_of_target_media en');
  const media = mediaOf(first.client);
  expect(media[0]).toMatchObject({ language: 'en', content_type: PCM_16K, headers: 0 });
  const told = media.reduce((sum, { duration }) => sum + duration, 0);
  expect(Math.abs(told - first.samples.length / 16)).toBeLessThan(20);
  expect(
    media
      .flatMap(({ text }) => text ?? [])
      .join('')
      .trim(),
  ).toBe(first.client.text().trim());
  expect(loudness(first.samples)).toBeGreaterThan(300);

  const heard = Buffer.concat([Buffer.from(first.samples.buffer), Buffer.alloc(32_000)]);
  const wishes = { target_media_languages: ['en-GB'], target_media_voice: 'male' };
  const second = await spokenAgain(heard, wishes);
  const said = first.client.text();
  expect(wordErrorRate(said, second.client.text()), second.client.text()).toBeLessThanOrEqual(0.25);
  const [woman, man] = [first, second].map(({ samples }) =>
    pitchHz({ samples, sampleRateHz: 16_000 }),
  );
  expect(woman).toBeGreaterThan(1.2 * (man ?? Infinity));
});
