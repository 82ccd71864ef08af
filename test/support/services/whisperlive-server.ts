/**
 * A stub of Collabora's WhisperLive that recognises speech made of tones. Like the original it transcribes
 * again and again what it has not completed, and nothing below one second. All segments but the last are
 * complete at once; the last is complete when it stays the same long enough. It never repeats a sentence
 * directly, and keeps at most 45 s.
 */
import { startSpeechSockets, type SpeechConnection, type SpeechSockets } from './speech-sockets.ts';
import { hearTones, textOf, type ToneWord } from '../audio/tone-speech.ts';

export interface WhisperLiveServer extends SpeechSockets {
  /** First messages of all connections. */
  readonly options: ClientOptions[];
  /** Messages sent in place of SERVER_READY, one each. */
  readonly greetings: object[];
  maxClients: number;
  /** Detected language, if the client names none. */
  detected: string;
  /** Duration of a transcription round, in ms. */
  roundMs: number;
  /** Audio dropped from memory, in seconds, over all connections. */
  forgottenS: number;
  /** Ends every connection as if its time were over. */
  disconnect(): void;
  reset(): void;
}

export interface ClientOptions {
  uid: string;
  language: string | null;
  task: string;
  model: string;
  use_vad: boolean;
  same_output_threshold?: number;
  initial_prompt?: string;
}

interface Segment {
  start: string;
  end: string;
  text: string;
  completed: boolean;
}

const RATE_HZ = 16_000;
/** Pause that separates two segments, in ms. */
const PAUSE_MS = 400;
const LAST_SEGMENTS = 10;

export async function startWhisperLiveServer(): Promise<WhisperLiveServer> {
  const clients = new Set<Client>();
  const sockets = await startSpeechSockets({
    serve: (connection) => {
      let client: Client | undefined;
      return {
        onText(text) {
          const options = JSON.parse(text) as ClientOptions;
          server.options.push(options);
          const greeting = server.greetings.shift();
          if (clients.size >= server.maxClients) {
            connection.send({ uid: options.uid, status: 'WAIT', message: 9.5 });
            connection.close();
          } else if (greeting !== undefined) {
            connection.send({ uid: options.uid, ...greeting });
          } else {
            client = new Client(connection, options, server);
            clients.add(client);
          }
        },
        onBytes(bytes) {
          if (bytes.equals(Buffer.from('END_OF_AUDIO'))) {
            client?.end();
            connection.close();
            return;
          }
          connection.hasHeard(bytes.byteLength / 64);
          client?.add(floatsOf(bytes));
        },
        onClose() {
          client?.end();
          if (client !== undefined) clients.delete(client);
        },
      };
    },
  });
  const server: WhisperLiveServer = Object.assign(sockets, {
    options: [],
    greetings: [],
    maxClients: 4,
    detected: 'en',
    roundMs: 5,
    forgottenS: 0,
    disconnect() {
      for (const client of clients) client.disconnect();
    },
    reset() {
      Object.assign(server, { maxClients: 4, detected: 'en', roundMs: 5, forgottenS: 0 });
      server.always = undefined;
      const { next, requests, options, greetings } = server;
      for (const list of [next, requests, options, greetings]) list.length = 0;
    },
  });
  return server;
}

function floatsOf(bytes: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** ServeClientFasterWhisper, with times in seconds as in the original. */
class Client {
  readonly #connection: SpeechConnection;
  readonly #options: ClientOptions;
  readonly #server: WhisperLiveServer;
  readonly #timer: NodeJS.Timeout;
  #frames = new Float32Array(0);
  #framesOffset = 0;
  #timestampOffset = 0;
  #language: string | null;
  readonly #transcript: Segment[] = [];
  readonly #texts: string[] = [];
  #previousOutput = '';
  #sameOutputCount = 0;
  #endOfSameOutput: number | undefined;

  constructor(connection: SpeechConnection, options: ClientOptions, server: WhisperLiveServer) {
    this.#connection = connection;
    this.#options = options;
    this.#server = server;
    this.#language = options.language;
    this.#send({ message: 'SERVER_READY', backend: 'faster_whisper' });
    this.#timer = setInterval(() => this.#hear(), server.roundMs);
  }

  add(frames: Float32Array): void {
    if (this.#frames.length > 45 * RATE_HZ) {
      this.#framesOffset += 30;
      this.#frames = this.#frames.slice(30 * RATE_HZ);
      if (this.#timestampOffset < this.#framesOffset) {
        this.#server.forgottenS += this.#framesOffset - this.#timestampOffset;
        this.#timestampOffset = this.#framesOffset;
      }
    }
    const longer = new Float32Array(this.#frames.length + frames.length);
    longer.set(this.#frames);
    longer.set(frames, this.#frames.length);
    this.#frames = longer;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  disconnect(): void {
    this.#send({ message: 'DISCONNECT' });
    this.end();
    this.#connection.close();
  }

  #send(message: object): void {
    this.#connection.send({ uid: this.#options.uid, ...message });
  }

  #hear(): void {
    const from = Math.trunc(Math.max(0, (this.#timestampOffset - this.#framesOffset) * RATE_HZ));
    const chunk = this.#frames.subarray(from);
    const duration = chunk.length / RATE_HZ;
    if (duration < 1) return;
    const found = this.#transcribe(chunk);
    if (found.length === 0) return;
    if (this.#language === null) {
      this.#language = this.#server.detected;
      this.#send({ language: this.#language, language_prob: 0.98 });
    }
    const last = this.#update(found, duration);
    const segments = [
      ...this.#transcript.slice(-LAST_SEGMENTS),
      ...(last === undefined ? [] : [last]),
    ];
    if (segments.length > 0) this.#send({ segments });
  }

  /** Whisper: words separated by a pause form segments of their own. */
  #transcribe(chunk: Float32Array): { start: number; end: number; text: string }[] {
    const terms = this.#options.initial_prompt ?? '';
    const groups: ToneWord[][] = [];
    for (const word of hearTones(chunk, { terms })) {
      const before = groups.at(-1)?.at(-1);
      if (before !== undefined && word.startMs - before.endMs < PAUSE_MS) groups.at(-1)?.push(word);
      else groups.push([word]);
    }
    return groups.map((words) => ({
      start: (words[0]?.startMs ?? 0) / 1000,
      end: (words.at(-1)?.endMs ?? 0) / 1000,
      text: ` ${textOf(words)}`,
    }));
  }

  #update(
    found: { start: number; end: number; text: string }[],
    duration: number,
  ): Segment | undefined {
    let offset: number | undefined;
    for (const segment of found.slice(0, -1)) {
      this.#texts.push(segment.text);
      this.#transcript.push(this.#format(segment, duration, true));
      offset = Math.min(duration, segment.end);
    }
    const tail = found.at(-1);
    if (tail === undefined) return undefined;
    if (tail.text.trim() === this.#previousOutput.trim()) {
      this.#sameOutputCount += 1;
      this.#endOfSameOutput ??= tail.end;
    } else {
      this.#sameOutputCount = 0;
      this.#endOfSameOutput = undefined;
    }
    let last: Segment | undefined = this.#format(tail, duration, false);
    if (this.#sameOutputCount > (this.#options.same_output_threshold ?? 10)) {
      const end = Math.min(duration, this.#endOfSameOutput ?? tail.end);
      if (this.#texts.at(-1)?.trim().toLowerCase() !== tail.text.trim().toLowerCase()) {
        this.#texts.push(tail.text);
        this.#transcript.push(this.#format({ start: 0, end, text: tail.text }, duration, true));
      }
      offset = end;
      this.#sameOutputCount = 0;
      this.#endOfSameOutput = undefined;
      last = undefined;
    } else this.#previousOutput = tail.text;
    if (offset !== undefined) this.#timestampOffset += offset;
    return last;
  }

  #format(
    { start, end, text }: { start: number; end: number; text: string },
    duration: number,
    completed: boolean,
  ): Segment {
    const at = (seconds: number) => (this.#timestampOffset + seconds).toFixed(3);
    return { start: at(start), end: at(Math.min(duration, end)), text, completed };
  }
}
