/** A client of the voice socket, as users' programs implement it. */
import { WebSocket } from 'ws';
import { decodeServerMessage, encodeClientMessage } from '../../../shared/protocol/codec.ts';
import type { MessageFormat, MessageOf, ServerMessage } from '../../../shared/protocol/messages.ts';
import type { RunningServer } from './server.ts';

export interface VoiceClient {
  socket: WebSocket;
  sessionId: string;
  /** Messages in order of arrival. */
  messages: ServerMessage[];
  /** Sends one chunk of audio. */
  sendAudio(data: Uint8Array): void;
  endUtterance(): void;
  /** Sends a session update with any payload. */
  update(update: object): void;
  end(): void;
  /** Resolves when the socket is closed. */
  closed: Promise<{ code: number; reason: string }>;
  /** Returns the first `error` message, if any. */
  error(): MessageOf<'error'> | undefined;
  /** Returns the concluded text of the source, or of a target language. */
  text(language?: string): string;
}

export interface SessionAnswer {
  streaming_url: string;
  token: string;
  session_id: string;
}

export const PCM_16K = 'audio/pcm;encoding=s16le;rate=16000';

/** Requests a session; fails if the server refuses. */
export async function requestSession(
  server: RunningServer,
  request: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<SessionAnswer> {
  const body = { source_media_content_type: PCM_16K, source_language: 'en', ...request };
  const response = await server.post('/v3/voice/realtime', body, headers);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as SessionAnswer;
}

/** Returns the number of sessions that a server has. */
export async function sessionCount(server: Pick<RunningServer, 'get'>): Promise<number> {
  const health = (await (await server.get('/healthz')).json()) as { voice_sessions: number };
  return health.voice_sessions;
}

/** Requests a session and opens its socket. */
export async function connect(
  server: RunningServer,
  request: Record<string, unknown> & { message_format?: MessageFormat } = {},
): Promise<VoiceClient> {
  const session = await requestSession(server, request);
  return connectWith(session, request.message_format ?? 'json');
}

/** Opens the socket of a session. */
export async function connectWith(
  session: SessionAnswer,
  format: MessageFormat,
): Promise<VoiceClient> {
  const socket = new WebSocket(`${session.streaming_url}?token=${session.token}`, {
    rejectUnauthorized: false,
  });
  const messages: ServerMessage[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary !== (format === 'msgpack')) throw new Error('a frame of the wrong type');
    messages.push(decodeServerMessage(isBinary ? data : data.toString()));
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return {
    ...{ socket, messages, closed, sessionId: session.session_id },
    sendAudio: (data) =>
      socket.send(encodeClientMessage({ type: 'source_media_chunk', data }, format)),
    endUtterance: () => socket.send(encodeClientMessage({ type: 'end_of_utterance' }, format)),
    update: (update) =>
      socket.send(encodeClientMessage({ type: 'session_update', update }, format)),
    end: () => socket.send(encodeClientMessage({ type: 'end_of_source_media' }, format)),
    error: () => messages.find((message) => message.type === 'error'),
    text: (language) => messages.flatMap((message) => concludedTexts(message, language)).join(''),
  };
}

function concludedTexts(message: ServerMessage, language: string | undefined): string[] {
  if (language === undefined && message.type === 'source_transcript_update') {
    return message.concluded.map(({ text }) => text);
  }
  if (message.type === 'target_transcript_update' && message.language === language) {
    return message.concluded.map(({ text }) => text);
  }
  return [];
}

export interface Pace {
  /** Size of a chunk, whose audio lasts `chunkMs`. */
  chunkBytes: number;
  chunkMs: number;
  /** Multiple of real time; the contract allows up to 2. */
  speed?: number;
  /** Called before each chunk. */
  onChunk?: (index: number) => void;
}

/** Sends audio at its pace. */
export async function stream(client: VoiceClient, audio: Uint8Array, pace: Pace): Promise<void> {
  const { chunkBytes, chunkMs, speed = 1.8, onChunk } = pace;
  const startedAt = performance.now();
  for (let at = 0, index = 0; at < audio.length; at += chunkBytes, index += 1) {
    const waitMs = startedAt + (index * chunkMs) / speed - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (client.socket.readyState !== WebSocket.OPEN) return;
    onChunk?.(index);
    client.sendAudio(audio.subarray(at, at + chunkBytes));
  }
}

/** Returns the messages that mark the ends of streams, in order. */
export function endMarks({ messages }: VoiceClient): string[] {
  return messages
    .filter(({ type }) => type.startsWith('end_'))
    .map((message) =>
      'language' in message ? `${message.type} ${message.language}` : message.type,
    );
}

/** Opens a socket and resolves with the HTTP status: 101 if it was upgraded. */
export function upgradeStatus(url: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
    });
    socket.on('error', () => undefined);
  });
}
