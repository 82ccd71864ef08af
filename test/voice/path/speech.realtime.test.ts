import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { loudness, pitchHz } from '../../engines/synthesis-conformance.ts';
import type { RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';
import { speech } from '../../support/audio/speech.ts';
import {
  connect,
  endMarks,
  PCM_16K,
  stream,
  type Pace,
  type VoiceClient,
} from '../../support/product/voice-client.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const TEXT = 'ask not what your country can do for you';
const SPOKEN = 'we will meet again in the morning';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer('hearing')));

/** Encodes the speech as a telephone does, and returns the pace at which to send it. */
function telephoned(wav: string): { audio: Buffer; pace: Pace } {
  const args = ['-v', 'error', '-i', wav, '-ar', '8000', '-f', 'mulaw', 'pipe:1'];
  const audio = execFileSync('ffmpeg', args, { maxBuffer: 1 << 26 });
  return { audio, pace: { chunkBytes: 800, chunkMs: 100 } };
}

const mediaOf = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'target_media_chunk' ? [message] : []));

const concludedOf = ({ messages }: VoiceClient) =>
  messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );

/** Runs a session to its end and returns the speech it produced in the same language. */
async function spokenAgain(
  audio: Uint8Array,
  wishes: Record<string, unknown>,
): Promise<{ client: VoiceClient; samples: Int16Array }> {
  const client = await connect(server, { target_media_content_type: PCM_16K, ...wishes });
  await stream(client, audio, { chunkBytes: 3200, chunkMs: 100 });
  client.end();
  expect((await client.closed).code).toBe(1000);
  const bytes = Buffer.concat(mediaOf(client).flatMap(({ data }) => data));
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, at) =>
    bytes.readInt16LE(2 * at),
  );
  return { client, samples };
}

it.concurrent('captions speech over a socket in two languages, with times that follow the audio', async () => {
  const contentType = 'audio/pcm;encoding=ulaw;rate=8000';
  const { audio, pace } = telephoned(await speech({ text: TEXT }));
  const client = await connect(server, {
    ...{ source_media_content_type: contentType, message_format: 'msgpack' },
    target_languages: ['es'],
  });
  await stream(client, audio, pace);
  client.end();
  expect((await client.closed).code).toBe(1000);
  expect(client.error()).toBeUndefined();
  // Telephone audio lacks half of the bandwidth the model was trained on.
  expect(wordErrorRate(TEXT, client.text()), client.text()).toBeLessThanOrEqual(0.5);
  // Nothing of a concurrent speaker's words appears either.
  expect(client.text()).not.toMatch(/meet|again|morning/i);
  expect(client.text('es').toLowerCase()).toMatch(/vuestro|tu país|su país|país/);
  let lastEnd = 0;
  for (const { start_time, end_time, language, words } of concludedOf(client)) {
    expect(language).toBe('en');
    // Words are sent only on request.
    expect(words).toBeUndefined();
    expect(start_time).toBeGreaterThanOrEqual(lastEnd);
    expect(end_time).toBeGreaterThan(start_time);
    lastEnd = end_time;
  }
  expect(lastEnd).toBeGreaterThan(0);
  expect(lastEnd).toBeLessThanOrEqual(audio.length / 8);
  expect(endMarks(client)).toEqual([
    ...['end_of_source_transcript', 'end_of_target_transcript es', 'end_of_stream'],
  ]);
});

it.concurrent('ends a session with a clear error whose audio is none, and keeps serving', async () => {
  const client = await connect(server, { source_media_content_type: 'audio/webm' });
  // Fourteen bytes whose 56-bit size overflows: a demuxer must not loop on them.
  client.sendAudio(Buffer.from('1a45dfa380ec01000000fffffff7', 'hex'));
  client.end();
  expect((await client.closed).code).toBe(4400);
  expect(client.error()?.reason_code).toBe(4000403);
  expect((await server.get('/healthz')).status).toBe(200);
});

it.concurrent('speaks English that a recogniser understands as well as the original', async () => {
  const original = readFileSync(await speech({ text: SPOKEN })).subarray(44);
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
