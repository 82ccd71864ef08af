import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { MessageFormat, ServerMessage } from '../../../shared/protocol/messages.ts';
import { startResetProxy } from '../../support/services/reset-proxy.ts';
import { streamResuming } from '../../support/product/resuming-client.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import { silence } from '../../support/audio/speech.ts';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import { startVoskServer, type VoskServer } from '../../support/services/vosk-server.ts';
import { untilItTranslates } from '../../events/room-client.ts';
import {
  connect,
  connectWith,
  endMarks,
  requestSession,
  sessionCount,
  stream,
  type SessionAnswer,
} from '../../support/product/voice-client.ts';

/** The tone recogniser reveals when a piece is missing or repeated. */
const SENTENCES = [
  'alpha bravo charlie delta echo foxtrot golf hotel',
  'india juliett kilo lima mike november oscar papa',
  'quebec romeo sierra tango uniform victor whiskey xray',
  'golf kilo alpha tango delta whiskey bravo oscar',
];

let recogniser: VoskServer;
let translator: LibreTranslateServer;
let server: HostedServer;
beforeAll(async () => {
  recogniser = await startVoskServer();
  translator = await startLibreTranslateServer();
  server = await startHosted({
    ...WITHOUT_ENGINES,
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, VOICE_RESUME_SECONDS: '20' },
    ...{ LIBRETRANSLATE_URL: translator.url, TRANSLATION_ENGINES: '*: libretranslate' },
  });
  await untilItTranslates(server);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([recogniser.close(), translator.close()]);
});

const key = () => ({ Authorization: `Service-Auth-Key ${server.apiKey}` });
const reconnect = (token: string, more = '') =>
  server.get(`/v3/voice/realtime?token=${token}${more}`, key());

/** Everything that was concluded, in order, each line with its times. */
function concluded(messages: readonly ServerMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type === 'source_transcript_update') {
      return message.concluded.map((segment) => JSON.stringify(segment));
    }
    if (message.type === 'target_transcript_update') {
      const { language, concluded: segments } = message;
      return segments.map((segment) => JSON.stringify({ ...segment, language }));
    }
    return [];
  });
}

/** Lines of one language, as languages may overtake each other. */
function ofLanguage(lines: readonly string[], language: string): string[] {
  return lines.filter((line) => (JSON.parse(line) as { language: string }).language === language);
}

describe.concurrent('a client with acknowledgements', () => {
  it('loses and repeats nothing over many resets', async () => {
    const said = SENTENCES.slice(2);
    const audio = Buffer.concat(said.map((text) => toneSpeech(text)));
    const request = { source_language: 'en', target_languages: ['es'] };
    const calm = await startResetProxy(server.url);
    const rough = await startResetProxy(server.url);
    const run = (through: string, message_format: MessageFormat) =>
      streamResuming({
        ...{ server, through, audio, chunkBytes: 6400, everyMs: 120 },
        request: { ...request, message_format },
      });
    let resets = 0;
    let isOver = false;
    const disturb = async () => {
      while (!isOver && resets < 12) {
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300));
        resets += rough.reset();
      }
    };
    const runs = [run(calm.url, 'json'), run(rough.url, 'msgpack')] as const;
    void disturb();
    const [undisturbed, { messages, connections, sequences }] = await Promise.all(runs);
    isOver = true;
    expect(resets).toBeGreaterThan(5);
    const expected = concluded(undisturbed.messages);
    expect(expected.length).toBeGreaterThanOrEqual(2 * said.length);
    expect(connections).toBeGreaterThan(3);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    for (const language of ['en', 'es']) {
      expect(ofLanguage(concluded(messages), language)).toEqual(ofLanguage(expected, language));
    }
    await Promise.all([calm.close(), rough.close()]);
  });

  it('receives acknowledgements as a sign of life while no audio comes', async () => {
    const client = await connect(server, { acknowledgements: true });
    const isAlive = (message: ServerMessage) => message.type === 'source_media_acknowledgement';
    await until(() => client.messages.filter(isAlive).length >= 3);
    client.socket.terminate();
  });

  it('learns how much audio has arrived, at most twice a second', async () => {
    const startedAtMs = performance.now();
    const client = await connect(server, { acknowledgements: true });
    const received = () =>
      client.messages.flatMap((message) =>
        message.type === 'source_media_acknowledgement' ? [message.received_audio_bytes] : [],
      );
    const half = silence(1500);
    for (const halves of [1, 2]) {
      await stream(client, half, { chunkBytes: 3200, chunkMs: 100 });
      await until(() => received().at(-1) === halves * half.length);
    }
    const all = received();
    const seconds = (performance.now() - startedAtMs) / 1000;
    expect(all.length).toBeLessThanOrEqual(2 * seconds + 1);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    client.socket.terminate();
  });
});

describe('a client without acknowledgements', () => {
  it('continues after a reset without sequences, repetition or gap', async () => {
    const audio = toneSpeech(SENTENCES.slice(0, 2).join(' '));
    const proxy = await startResetProxy(server.url);
    const through = (session: SessionAnswer) => ({
      ...session,
      streaming_url: session.streaming_url.replace(
        new URL(server.url).host,
        new URL(proxy.url).host,
      ),
    });
    const session = await requestSession(server, { target_languages: ['es'] });
    const first = await connectWith(through(session), 'json');
    const half = Math.floor(audio.length / 6400) * 3200;
    const pace = { chunkBytes: 3200, chunkMs: 100 };
    await stream(first, audio.subarray(0, half), pace);
    proxy.reset();
    await first.closed;
    const answer = await reconnect(session.token);
    expect(answer.status).toBe(200);
    const next = (await answer.json()) as SessionAnswer;
    expect(Object.keys(next).sort()).toEqual(['session_id', 'streaming_url', 'token']);
    expect(next.session_id).toBe(session.session_id);
    const second = await connectWith(through(next), 'json');
    await stream(second, audio.subarray(half), pace);
    second.end();
    expect((await second.closed).code).toBe(1000);
    expect(endMarks(second)).toHaveLength(3);
    const all = [...first.messages, ...second.messages];
    const lines = concluded(all);
    expect(new Set(lines).size).toBe(lines.length);
    expect(all.some((message) => 'sequence' in message)).toBe(false);
    const heard = (first.text() + second.text()).toLowerCase();
    // What was in transit at the reset is lost, in the middle.
    for (const word of ['alpha', 'bravo', 'oscar', 'papa']) expect(heard).toContain(word);
    await proxy.close();
  });
});

describe('reconnection tokens', () => {
  it('drop a connection that is still live', async () => {
    const session = await requestSession(server);
    const first = await connectWith(session, 'json');
    const answer = await reconnect(session.token);
    expect(answer.status).toBe(200);
    expect((await first.closed).code).toBe(4409);
    const second = await connectWith((await answer.json()) as SessionAnswer, 'json');
    second.sendAudio(silence(100));
    second.end();
    expect((await second.closed).code).toBe(1000);
  });

  it('end the session when they are outdated, on connection as on reconnection', async () => {
    for (const attempt of ['reconnect', 'connect'] as const) {
      const session = await requestSession(server);
      const first = await connectWith(session, 'json');
      const next = (await (await reconnect(session.token)).json()) as SessionAnswer;
      await first.closed;
      const live = await connectWith(next, 'json');
      if (attempt === 'reconnect') expect((await reconnect(session.token)).status).toBe(403);
      else await expect(connectWith(session, 'json')).rejects.toThrow('403');
      expect((await live.closed).code).toBe(4403);
      expect(live.error()?.reason_code).toBe(4030003);
      expect((await reconnect(next.token)).status).toBe(400);
    }
  });

  it('are refused with a message when they are unknown or malformed', async () => {
    for (const [token, more] of [
      ['nope', ''],
      ['', ''],
      ['nope', '&last_sequence=x'],
    ] as const) {
      const answer = await reconnect(token, more);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ message: expect.stringMatching(/\w/) as string });
    }
    expect((await server.get('/v3/voice/realtime', key())).status).toBe(400);
    expect((await server.get('/v3/voice/realtime?token=x')).status).toBe(403);
  });

  it('can be exchanged before the first connection as well', async () => {
    const session = await requestSession(server);
    const next = (await (await reconnect(session.token)).json()) as SessionAnswer;
    const client = await connectWith(next, 'json');
    client.end();
    expect((await client.closed).code).toBe(1000);
  });

  it('are invalid after an error', async () => {
    const session = await requestSession(server);
    const client = await connectWith(session, 'json');
    client.socket.send('nonsense');
    expect((await client.closed).code).toBe(4400);
    expect((await reconnect(session.token)).status).toBe(400);
  });
});

describe('a session whose connection dropped', () => {
  it('delivers its last words to a client that comes back for them', async () => {
    // Without a pause, in which the speech could be concluded before.
    const audio = toneSpeech(SENTENCES[0] ?? '', { padEndMs: 100 });
    const session = await requestSession(server, { acknowledgements: true });
    const client = await connectWith(session, 'json');
    let release: () => void = () => undefined;
    recogniser.hold = new Promise<void>((resolve) => (release = resolve));
    await stream(client, audio, { chunkBytes: 3200, chunkMs: 100 });
    client.end();
    // The pong shows that the end has arrived.
    await new Promise((resolve) => client.socket.once('pong', resolve).ping());
    client.socket.terminate();
    const answer = await reconnect(session.token, '&last_sequence=0');
    const back = await connectWith((await answer.json()) as SessionAnswer, 'json');
    release();
    expect((await back.closed).code).toBe(1000);
    expect(back.text().toLowerCase()).toContain('echo foxtrot');
    expect(endMarks(back).at(-1)).toBe('end_of_stream');
  });

  it('ends at once when its client closes it regularly', async () => {
    // A reset after the last word leaves a session waiting for a client that does not come back.
    await until(async () => (await sessionCount(server)) === 0);
    const client = await connect(server);
    const before = await sessionCount(server);
    client.socket.close(1000);
    await client.closed;
    await until(async () => (await sessionCount(server)) < before);
    expect(client.socket.readyState).toBe(WebSocket.CLOSED);
  });
});
