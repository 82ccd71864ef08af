/**
 * A client of voice sessions that resumes at any of several servers, written from the documentation alone:
 * with numbered messages and acknowledged audio, or with nothing but tokens.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { decodeServerMessage, encodeClientMessage } from '../../../shared/protocol/codec.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { RunningServer } from './server.ts';
import { requestSession, type SessionAnswer } from './voice-client.ts';

type Reconnection = SessionAnswer & { received_audio_bytes?: number };

/** Returns the server of the next request or connection. */
export type Route = () => RunningServer | Promise<RunningServer>;

export interface RoamingOptions {
  request: Record<string, unknown>;
  route: Route;
  /** Whether messages are numbered and audio is acknowledged; true by default. */
  acknowledgements?: boolean;
  chunkBytes: number;
  /** Interval between chunks, in ms. */
  everyMs: number;
  /** The connection from which on it answers pings, by which a server knows what has arrived; 1 by default. */
  confirmsFrom?: number;
  /** Silence after which a connection is left for another, in ms; by default none is. */
  patienceMs?: number;
  /** Whether it keeps listening on a connection it has left, to detect a server that still speaks there. */
  hearsOn?: boolean | undefined;
  /** Position at which it stops sending until a promise resolves. */
  pause?: { atBytes: number; until: Promise<unknown> };
  /** A session update, sent once when that many bytes were sent. */
  update?: { atBytes: number; change: Record<string, unknown> } | undefined;
}

/** Interval between attempts to reconnect, in ms, and the most attempts. */
const AGAIN_MS = 200;
const MOST_ATTEMPTS = 150;
/** Longest time a server may take to take over a session, in ms. */
const TAKING_MS = 10_000;

/** A session, from the client's side. */
export class RoamingClient {
  readonly messages: ServerMessage[] = [];
  /** Number of the connection on which each message came. */
  readonly cameOn: number[] = [];
  /** Time of arrival of each message, in ms since the epoch. */
  readonly cameAtMs: number[] = [];
  /** Speech received on a left connection after speech came on a later one. */
  readonly stale: ServerMessage[] = [];
  readonly sequences: number[] = [];
  readonly closeCodes: number[] = [];
  /** HTTP statuses of failed attempts. */
  readonly refusals: number[] = [];
  sessionId = '';
  connections = 0;
  /** Position in the audio that was handed to a socket, reset to the resumed position after a reconnect. */
  at = 0;
  #socket: WebSocket | undefined;
  #isUpdated = false;
  #hasPaused = false;
  #hasGivenUp = false;
  #attempts = 0;
  readonly #options: RoamingOptions;

  constructor(options: RoamingOptions) {
    this.#options = options;
    void options.pause?.until.then(() => (this.#hasPaused = true));
  }

  /** Stops reconnecting. */
  giveUp(): void {
    this.#hasGivenUp = true;
  }

  /** Drops the connection without a close handshake. */
  drop(): void {
    this.#socket?.terminate();
  }

  /** State of the connection that was left. */
  leftBehind: 'open' | 'closed' | undefined;

  /** Continues on another connection, and still listens on this one. */
  leaveBehind(hear: (message: ServerMessage) => void): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.leftBehind = 'open';
    socket.removeAllListeners('message');
    socket.on('message', (data: Buffer) => hear(decodeServerMessage(data.toString())));
    socket.on('close', () => (this.leftBehind = 'closed'));
    socket.emit('left');
  }

  #hearStale(message: ServerMessage, connection: number): void {
    const isSpeech = /transcript|media_chunk/.test(message.type);
    if (isSpeech && (this.cameOn.at(-1) ?? 0) > connection) this.stale.push(message);
  }

  /** Sends all of the audio, over as many connections as necessary. */
  async speak(audio: Uint8Array): Promise<void> {
    const { request, acknowledgements = true } = this.#options;
    const asked = { ...request, ...(acknowledgements && { acknowledgements }) };
    let session: Reconnection | undefined = await this.#again(() => this.#request(asked));
    this.sessionId = session?.session_id ?? '';
    while (session !== undefined) {
      if (await this.#converse(session, audio)) return;
      const last: Reconnection = session;
      session = await this.#again(() => this.#reconnect(last));
      this.at = session?.received_audio_bytes ?? this.at;
    }
    throw new Error(`It did not come to an end: ${JSON.stringify(this.messages.slice(-3))}`);
  }

  /** Repeats a request until it is answered; returns undefined after MOST_ATTEMPTS or once given up. */
  async #again<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    while (this.#attempts < MOST_ATTEMPTS && !this.#hasGivenUp) {
      this.#attempts += 1;
      const answer = await ask();
      if (answer !== undefined) return answer;
      await delay(AGAIN_MS);
    }
    return undefined;
  }

  async #request(asked: Record<string, unknown>): Promise<SessionAnswer | undefined> {
    try {
      return await requestSession(await this.#options.route(), asked);
    } catch (error) {
      const isAway = error instanceof TypeError || /^5\d\d /.test((error as Error).message);
      if (!isAway) throw error;
      return undefined;
    }
  }

  /** Returns the concluded text of the source, or of a target language. */
  text(language?: string): string {
    return this.messages
      .flatMap((message) => {
        const isSource = language === undefined && message.type === 'source_transcript_update';
        const isTarget =
          message.type === 'target_transcript_update' && message.language === language;
        return isSource || isTarget ? message.concluded.map(({ text }) => text) : [];
      })
      .join('');
  }

  async #reconnect({ token }: SessionAnswer): Promise<Reconnection | undefined> {
    const last =
      (this.#options.acknowledgements ?? true)
        ? `&last_sequence=${this.sequences.at(-1) ?? 0}`
        : '';
    const server = await this.#options.route();
    const { patienceMs } = this.#options;
    try {
      const answer = await fetch(`${server.url}/v3/voice/realtime?token=${token}${last}`, {
        headers: { Authorization: `Service-Auth-Key ${server.apiKey}` },
        // The server may be waiting for the previous owner of the session.
        ...(patienceMs && { signal: AbortSignal.timeout(TAKING_MS + patienceMs) }),
      });
      if (answer.status === 200) return (await answer.json()) as Reconnection;
      this.refusals.push(answer.status);
      const text = await answer.text();
      if (answer.status < 500) throw new Error(`${answer.status} ${text}`);
    } catch (error) {
      // The server is down, or does not answer.
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      if (!(error instanceof TypeError) && !isTimeout) throw error;
      this.refusals.push(0);
    }
    return undefined;
  }

  /** Runs one connection; resolves with whether the stream is complete. */
  async #converse(session: SessionAnswer, audio: Uint8Array): Promise<boolean> {
    const { chunkBytes, everyMs, route, patienceMs = Infinity, confirmsFrom = 1 } = this.#options;
    const { pause } = this.#options;
    const { pathname } = new URL(session.streaming_url);
    const socket = new WebSocket(
      `${(await route()).url.replace('http', 'ws')}${pathname}?token=${session.token}`,
      { autoPong: this.connections + 1 >= confirmsFrom },
    );
    this.#socket = socket;
    let isComplete = false;
    let failure: Error | undefined;
    let heardAtMs = performance.now();
    const connection = this.connections + 1;
    socket.on('open', () => (this.connections += 1));
    socket.on('message', (data: Buffer) => {
      heardAtMs = performance.now();
      this.cameAtMs.push(Date.now());
      const message = decodeServerMessage(data.toString());
      if (message.type === 'error') failure = new Error(JSON.stringify(message));
      this.messages.push(message);
      this.cameOn.push(this.connections);
      const sequence = 'sequence' in message ? message.sequence : undefined;
      if (sequence !== undefined) this.sequences.push(sequence);
      if (message.type === 'end_of_stream') isComplete = true;
    });
    socket.on('unexpected-response', (_request, response) => {
      this.refusals.push(response.statusCode ?? 0);
      response.resume();
      socket.terminate();
    });
    let nextMs = performance.now();
    let hasEnded = false;
    const timer = setInterval(() => {
      if (performance.now() - heardAtMs > patienceMs) {
        if (socket.readyState === WebSocket.OPEN && this.#options.hearsOn === true) {
          this.leaveBehind((message) => this.#hearStale(message, connection));
        } else socket.terminate();
      }
      const isPausing = pause !== undefined && !this.#hasPaused && this.at >= pause.atBytes;
      if (socket.readyState !== WebSocket.OPEN || hasEnded || isPausing) {
        nextMs = performance.now();
        return;
      }
      for (; nextMs <= performance.now() && this.at < audio.length; nextMs += everyMs) {
        const data = audio.subarray(this.at, this.at + chunkBytes);
        socket.send(encodeClientMessage({ type: 'source_media_chunk', data }, 'json'));
        this.at += data.length;
        const { update } = this.#options;
        if (update === undefined || this.#isUpdated || this.at < update.atBytes) continue;
        this.#isUpdated = true;
        const message = { type: 'session_update', update: update.change } as const;
        socket.send(encodeClientMessage(message, 'json'));
      }
      if (this.at < audio.length) return;
      hasEnded = true;
      socket.send(encodeClientMessage({ type: 'end_of_source_media' }, 'json'));
    }, 10);
    await new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.on('left', () => resolve());
      socket.on('close', (code) => {
        this.closeCodes.push(code);
        resolve();
      });
    });
    clearInterval(timer);
    if (failure !== undefined) throw failure;
    return isComplete;
  }
}
