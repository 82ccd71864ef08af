/**
 * A gateway that resumes sessions correctly over a faulty network: it loses frames in both directions, cuts
 * connections, acknowledges late and repeats messages. Every tenth of a second of audio becomes a word, in
 * each language and as speech, so that a test can tell whether all of it arrived.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocketServer, type WebSocket } from 'ws';
import { decodeClientMessage, encodeServerMessage } from '../../../shared/protocol/codec.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { SessionRequest } from '../../../shared/client/token-provider.ts';

/** Audio of one word, in bytes. */
export const WORD_BYTES = 800;
const API_KEY = 'key';

/** A session over all its connections, as the gateway keeps it. */
export interface KeptSession {
  readonly id: string;
  request: SessionRequest;
  /** Audio in the order it was counted. */
  readonly audio: Uint8Array[];
  receivedBytes: number;
  /** Values of `receivedBytes` at which the client has ended an utterance. */
  readonly utteranceEnds: number[];
  words: number;
  /** Messages that must not be lost; the first has sequence 1. */
  readonly durable: ServerMessage[];
  token: string;
  hasEnded: boolean;
}

export interface ResumingGateway {
  readonly server: string;
  readonly apiKey: string;
  readonly sessions: KeptSession[];
  /** Number of connections cut. */
  drops: number;
  /** Probability that a frame is the last of its connection. */
  dropChance: number;
  /** Whether it neither counts audio nor numbers messages. */
  isPlain: boolean;
  /** Whether it accepts updates of running sessions; older gateways end the session instead. */
  takesUpdates: boolean;
  /** Status with which it refuses to resume sessions. */
  refusal: number | undefined;
  /** Ends the session at the next audio, with a transient failure. */
  breaks: boolean;
  /** Stops accepting audio at the next chunk, and concludes what it has when the client has finished. */
  stops: boolean;
  /** Whether the network swallows everything in both directions, and all sockets stay open. */
  isSilent: boolean;
  /** Number of session requests answered. */
  requests: number;
  /** Cuts every connection now. */
  cut(): void;
  close(): Promise<void>;
}

/** @param random source of randomness for the faults, 0 to 1 */
export async function startResumingGateway(random: () => number): Promise<ResumingGateway> {
  const http = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server: http });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const after = new Map<string, number>();
  const gateway: ResumingGateway = {
    server: `http://127.0.0.1:${port}`,
    ...{ apiKey: API_KEY, sessions: [], drops: 0, dropChance: 0 },
    ...{ isPlain: false, takesUpdates: false, refusal: undefined, requests: 0 },
    ...{ breaks: false, stops: false, isSilent: false },
    cut: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? '/', gateway.server);
    const isKnown = request.headers.authorization === `Service-Auth-Key ${API_KEY}`;
    const session =
      request.method === 'POST'
        ? open((await json(request)) as SessionRequest)
        : takeUp(searchParams.get('token'), Number(searchParams.get('last_sequence')));
    if (session === undefined || !isKnown) {
      const status = gateway.refusal ?? (isKnown ? 400 : 403);
      response.writeHead(status).end(JSON.stringify({ message: 'No.' }));
      return;
    }
    gateway.requests += 1;
    const { receivedBytes, token, id } = session;
    const counted = { received_audio_ms: receivedBytes / 8, received_audio_bytes: receivedBytes };
    const url = `ws://127.0.0.1:${port}/v3/voice/realtime/connect`;
    response.end(
      JSON.stringify({
        ...{ streaming_url: url, token, session_id: id },
        ...(request.method === 'GET' && !gateway.isPlain && counted),
      }),
    );
  }

  function open(request: SessionRequest): KeptSession | undefined {
    if (request.target_languages?.includes('xx') === true) return undefined;
    const session: KeptSession = {
      ...{ id: crypto.randomUUID(), request, audio: [], receivedBytes: 0, words: 0 },
      ...{ utteranceEnds: [], durable: [], token: crypto.randomUUID(), hasEnded: false },
    };
    gateway.sessions.push(session);
    return session;
  }

  function takeUp(token: string | null, lastSequence: number): KeptSession | undefined {
    const session = gateway.sessions.find((each) => each.token === token);
    if (session === undefined || gateway.refusal !== undefined) return undefined;
    session.token = crypto.randomUUID();
    after.set(session.token, lastSequence);
    return session;
  }

  sockets.on('connection', (socket, { url }) => {
    const token = new URL(url ?? '/', gateway.server).searchParams.get('token');
    const session = gateway.sessions.find((each) => each.token === token);
    if (session === undefined) socket.close(4403);
    else converse({ gateway, socket, session, random, lastSequence: after.get(token!) ?? 0 });
  });
  return gateway;
}

interface Conversation {
  gateway: ResumingGateway;
  socket: WebSocket;
  session: KeptSession;
  random: () => number;
  lastSequence: number;
}

function converse({ gateway, socket, session, random, lastSequence }: Conversation): void {
  const format = session.request.message_format;
  /** True from the loss of the network until both sides notice. */
  let isLost = false;
  let isStopping = false;

  const send = (message: ServerMessage): void => {
    if (isLost || gateway.isSilent || socket.readyState !== socket.OPEN) return;
    socket.send(encodeServerMessage(message, format));
    if (random() < gateway.dropChance / 2) lose();
  };

  const say = (message: ServerMessage): void => {
    const numbered = gateway.isPlain ? message : withSequence(message, session.durable.length + 1);
    session.durable.push(numbered);
    send(numbered);
  };

  function lose(): void {
    isLost = true;
    gateway.drops += 1;
    // Frames on their way in the meantime are lost.
    setTimeout(() => socket.terminate(), random() * 60);
  }

  function hear(data: Uint8Array): void {
    session.audio.push(data);
    session.receivedBytes += data.length;
    for (; (session.words + 1) * WORD_BYTES <= session.receivedBytes; session.words += 1) {
      for (const message of wordMessages(session)) say(message);
    }
    send(tentativeMessage(session));
    if (!gateway.isPlain && random() < 0.3) send(acknowledgement(session));
  }

  function fail(): void {
    gateway.breaks = false;
    session.token = 'lost';
    send({ type: 'error', ...refusalOf(5_030_004), error_code: 503 });
    socket.close(4503);
  }

  function stop(): void {
    gateway.stops = false;
    isStopping = true;
    // The session is lost with the server.
    session.token = 'gone';
    send(acknowledgement(session));
  }

  function conclude(): void {
    if (!session.hasEnded) {
      session.hasEnded = true;
      say({ type: 'end_of_source_transcript' });
      for (const language of session.request.target_languages ?? []) {
        say({ type: 'end_of_target_transcript', language });
      }
      say({ type: 'end_of_stream' });
    } else send(session.durable.at(-1)!);
    if (!isLost) socket.close(isStopping ? 1001 : 1000);
  }

  function change({ id, ...changes }: Record<string, unknown>): void {
    if (!gateway.takesUpdates) {
      send({ type: 'error', ...refusalOf(4_000_003) });
      socket.close(4400);
      return;
    }
    const { target_languages = [] } = { ...session.request, ...changes };
    if (target_languages.includes('xx')) {
      say({ type: 'session_update_refused', id: id as string, ...refusalOf(4_000_001) });
      return;
    }
    session.request = { ...session.request, target_languages };
    say(inForce(session, id as string));
  }

  socket.on('message', (frame: Buffer) => {
    if (isLost || gateway.isSilent) return;
    const message = decodeClientMessage(frame, format);
    if (gateway.stops && message.type === 'source_media_chunk') stop();
    if (message.type === 'end_of_source_media') conclude();
    else if (isStopping) return;
    else if (gateway.breaks && message.type === 'source_media_chunk') fail();
    else if (message.type === 'session_update') change(message.update);
    else if (message.type === 'source_media_chunk') hear(message.data);
    else session.utteranceEnds.push(session.receivedBytes);
    if (random() < gateway.dropChance) lose();
  });
  if (gateway.takesUpdates && session.durable.length === 0) {
    session.durable.push(withSequence(inForce(session), 1));
  }
  // Sometimes replays more messages than requested.
  const replayFrom = Math.max(0, lastSequence - Math.floor(random() * 3));
  if (!gateway.isPlain) for (const message of session.durable.slice(replayFrom)) send(message);
}

function inForce({ request, words }: KeptSession, id?: string): ServerMessage {
  const { target_languages = [] } = request;
  const named = id === undefined ? {} : { id };
  return { type: 'session_updated', ...named, start_time: words * 100, target_languages };
}

function refusalOf(reason_code: number) {
  return { request_type: 'frame', error_code: 400, reason_code, error_message: 'No.' };
}

/** Returns the messages of one word: its text in all languages, and its speech in the first target. */
function wordMessages({ words, request }: KeptSession): ServerMessage[] {
  const times = { start_time: words * 100, end_time: words * 100 + 100 };
  const targets = request.target_languages ?? [];
  return [
    {
      type: 'source_transcript_update',
      concluded: [{ language: 'en', text: ` ${words}`, ...times }],
      tentative: [],
    },
    ...targets.map((language) => ({
      type: 'target_transcript_update' as const,
      language,
      concluded: [{ text: ` ${language}${words}`, ...times }],
      tentative: [],
    })),
    ...targets.slice(0, 1).map((language) => ({
      type: 'target_media_chunk' as const,
      language,
      data: [Uint8Array.of(words % 256)],
      duration: 100,
    })),
  ];
}

function tentativeMessage({ words }: KeptSession): ServerMessage {
  const times = { start_time: words * 100, end_time: words * 100 + 50 };
  const tentative = [{ language: 'en', text: ` ${words}?`, ...times }];
  return { type: 'source_transcript_update', concluded: [], tentative };
}

function acknowledgement({ receivedBytes }: KeptSession): ServerMessage {
  const received_audio_ms = receivedBytes / 8;
  return {
    type: 'source_media_acknowledgement',
    received_audio_ms,
    received_audio_bytes: receivedBytes,
  };
}

function withSequence(message: ServerMessage, sequence: number): ServerMessage {
  return { ...message, sequence } as ServerMessage;
}
