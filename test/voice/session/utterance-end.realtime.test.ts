/** Push-to-talk: speech is concluded when the button is released, and its words are sent. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { connectVoice, type CaptionEvent } from '../../../shared/client/node.ts';
import type { SourceSegment } from '../../../shared/protocol/messages.ts';
import { encodedBy } from '../../support/audio/encoded-speech.ts';
import { until, type RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';
import { speech } from '../../support/audio/speech.ts';
import { connect, PCM_16K, stream, type VoiceClient } from '../../support/product/voice-client.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const FIRST = 'she bought a new house near the river last summer';
const SECOND = 'we will meet again in the morning';

let server: RunningServer;
beforeAll(async () => (server = await sharedServer('hearing')));

/** Speech of one sentence, s16le at 16 kHz, without the silence after the last word. */
async function said(text: string): Promise<Buffer> {
  const samples = readFileSync(await speech({ text })).subarray(44);
  let end = samples.length;
  while (end > 2 && Math.abs(samples.readInt16LE(end - 2)) < 600) end -= 2;
  return samples.subarray(0, end);
}

const concluded = ({ messages }: VoiceClient): SourceSegment[] =>
  messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );

it.concurrent('concludes and translates speech that FFmpeg decodes when the client signals its end', async () => {
  const client = await connect(server, {
    ...{ source_media_content_type: 'audio/mpeg', target_languages: ['es'] },
    ...{ word_details: true, message_format: 'msgpack' },
  });
  const whole = Buffer.concat([await said(FIRST), await said(SECOND)]);
  const encoded = encodedBy(['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'], whole);
  const share = (await said(FIRST)).length / whole.length;
  const cut = Math.ceil((encoded.length * share) / 2) * 2;
  const pace = {
    chunkBytes: Math.ceil(encoded.length / (whole.length / 3200) / 2) * 2,
    chunkMs: 100,
  };

  await stream(client, encoded.subarray(0, cut), pace);
  client.endUtterance();
  client.endUtterance();
  // Nothing else is sent, not even silence: only the signalled end can conclude the speech.
  await until(() => client.text() !== '' && client.text('es') !== '');
  expect(wordErrorRate(FIRST, client.text())).toBeLessThan(0.25);
  const before = client.text();

  await stream(client, encoded.subarray(cut), pace);
  client.end();
  expect((await client.closed).code).toBe(1000);
  expect(client.text().startsWith(before)).toBe(true);
  expect(wordErrorRate(`${FIRST} ${SECOND}`, client.text())).toBeLessThan(0.2);

  for (const { text, words = [], start_time: start, end_time: end } of concluded(client)) {
    expect(words.map((word) => word.text).join(' ')).toBe(text.trim());
    const times = words.flatMap((word) => [word.start_time, word.end_time]);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect([times[0], times.at(-1)]).toEqual([start, end]);
    for (const { confidence = NaN } of words) {
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  }
});

it.concurrent('is supported by the client library, which passes the words on', async () => {
  const session = connectVoice({
    ...{ server: server.url, apiKey: server.apiKey, wordDetails: true },
    ...{ contentType: PCM_16K, sourceLanguage: 'en' },
  });
  const heard: CaptionEvent['concluded'][number][] = [];
  session.on('caption', ({ concluded: segments }) => heard.push(...segments));
  await session.send(await said(SECOND));
  session.endUtterance();
  await until(() => heard.length > 0);
  const [first] = heard;
  expect(first?.words?.map(({ text }) => text).join(' ')).toBe(first?.text.trim());
  expect(first?.words?.[0]).toEqual({
    ...{ text: 'We', startMs: first?.startMs },
    ...{ endMs: expect.any(Number) as number, confidence: expect.any(Number) as number },
  });
  await session.finish();
});
