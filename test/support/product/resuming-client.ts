/**
 * A client of the voice socket that resumes after every lost connection, written from the documentation
 * alone: numbered messages, acknowledged audio.
 */
import { WebSocket } from 'ws';
import { decodeServerMessage, encodeClientMessage } from '../../../shared/protocol/codec.ts';
import type { MessageFormat, ServerMessage } from '../../../shared/protocol/messages.ts';
import { requestSession, type SessionAnswer } from './voice-client.ts';
import type { RunningServer } from './server.ts';

export interface ResumingOptions {
  server: RunningServer;
  /** Address at which sockets are opened, in place of the server's own. */
  through: string;
  request: Record<string, unknown> & { message_format: MessageFormat };
  audio: Uint8Array;
  chunkBytes: number;
  /** Interval between chunks, in ms. */
  everyMs: number;
}

export interface ResumedStream {
  /** Messages in order of arrival, over all connections, including any that the server sent twice. */
  messages: ServerMessage[];
  connections: number;
  /** Sequence numbers of the durable messages, in order of arrival. */
  sequences: number[];
}

type Reconnection = SessionAnswer & { received_audio_bytes: number };

/** Streams audio over as many connections as necessary; resolves after end_of_stream. */
export async function streamResuming(options: ResumingOptions): Promise<ResumedStream> {
  const { server, request } = options;
  const stream: ResumedStream = { messages: [], connections: 0, sequences: [] };
  const asked = { ...request, acknowledgements: true };
  let session: SessionAnswer = await requestSession(server, asked);
  let sentBytes = 0;
  while (!(await converse(session, sentBytes, options, stream))) {
    const last = stream.sequences.at(-1) ?? 0;
    const answer = await server.get(
      `/v3/voice/realtime?token=${session.token}&last_sequence=${last}`,
      { Authorization: `Service-Auth-Key ${server.apiKey}` },
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    const reconnected = (await answer.json()) as Reconnection;
    session = reconnected;
    sentBytes = reconnected.received_audio_bytes;
  }
  return stream;
}

/** Runs one connection; resolves with whether the stream is complete. */
async function converse(
  session: SessionAnswer,
  fromByte: number,
  { through, request, audio, chunkBytes, everyMs }: ResumingOptions,
  stream: ResumedStream,
): Promise<boolean> {
  const format = request.message_format;
  const { pathname } = new URL(session.streaming_url);
  const url = `${through.replace('http', 'ws')}${pathname}?token=${session.token}`;
  const socket = new WebSocket(url);
  let isComplete = false;
  let at = fromByte;
  stream.connections += 1;
  socket.on('message', (data: Buffer, isBinary) => {
    const message = decodeServerMessage(isBinary ? data : data.toString());
    if (message.type === 'error') throw new Error(message.error_message);
    stream.messages.push(message);
    const sequence = 'sequence' in message ? message.sequence : undefined;
    if (sequence !== undefined) stream.sequences.push(sequence);
    if (message.type === 'end_of_stream') isComplete = true;
  });
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (at < audio.length) {
      const data = audio.subarray(at, at + chunkBytes);
      socket.send(encodeClientMessage({ type: 'source_media_chunk', data }, format));
      at += data.length;
    } else {
      socket.send(encodeClientMessage({ type: 'end_of_source_media' }, format));
      clearInterval(timer);
    }
  }, everyMs);
  await new Promise<void>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  clearInterval(timer);
  return isComplete;
}
