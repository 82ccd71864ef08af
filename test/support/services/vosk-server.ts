/**
 * A stub of vosk-server's asr_server.py that recognises speech made of tones. Protocol: a first text frame
 * with the configuration, not answered; one answer to each frame of audio; endpointing by the server; after
 * the exact text `{"eof" : 1}` the remaining result, and the close.
 */
import { startSpeechSockets, type SpeechConnection, type SpeechSockets } from './speech-sockets.ts';
import {
  FRAME_MS,
  hearTones,
  samplesOfBytes,
  textOf,
  type ToneWord,
} from '../audio/tone-speech.ts';

export interface VoskServer extends SpeechSockets {
  /** Configurations of all connections. */
  readonly configurations: Record<string, unknown>[];
  /** Silence after which it ends an utterance by itself, in ms. */
  endpointMs: number;
  /** Final results wait for this promise, while set. */
  hold: Promise<void> | undefined;
}

const BYTES_PER_MS = 32;

/**
 * @param options.spelling how its model spells words, if not by the names of their tones
 * @param options.host address at which it listens
 */
export async function startVoskServer({
  spelling = {},
  host,
}: { spelling?: Readonly<Record<string, string>>; host?: string } = {}): Promise<VoskServer> {
  const configurations: Record<string, unknown>[] = [];
  const sockets = await startSpeechSockets({ host, serve: (connection) => serve(connection) });
  const server: VoskServer = Object.assign(sockets, {
    configurations,
    endpointMs: 600,
    hold: undefined,
  });

  function serve(connection: SpeechConnection) {
    const recogniser = new Recogniser(() => server.endpointMs, spelling);
    return {
      onText(text: string) {
        if (text === '{"eof" : 1}') {
          void (server.hold ?? Promise.resolve()).then(() => {
            connection.send(recogniser.result());
            connection.close(1000);
          });
        } else if (text.includes('config')) {
          const { config } = JSON.parse(text) as { config: Record<string, unknown> };
          configurations.push(config);
          recogniser.sampleRateHz = Number(config['sample_rate']);
        } else {
          // The original takes any other text for audio, and its recogniser throws.
          connection.close(1011);
        }
      },
      onBytes(bytes: Buffer) {
        connection.hasHeard(bytes.byteLength / BYTES_PER_MS);
        connection.send(recogniser.accept(bytes));
      },
    };
  }
  return server;
}

/** KaldiRecognizer: its times count from the first sample, across utterances. */
class Recogniser {
  sampleRateHz = 8_000;
  readonly #endpointMs: () => number;
  readonly #spelling: Readonly<Record<string, string>>;
  /** Words of the utterance that cannot change any more. */
  #settled: ToneWord[] = [];
  /** Audio after those words. */
  #bytes = Buffer.alloc(0);
  #startMs = 0;

  constructor(endpointMs: () => number, spelling: Readonly<Record<string, string>>) {
    this.#endpointMs = endpointMs;
    this.#spelling = spelling;
  }

  accept(bytes: Buffer): object {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const words = this.#words();
    const silentMs = this.#startMs + this.#lengthMs() - (words.at(-1)?.endMs ?? Infinity);
    this.#settle(words);
    if (silentMs >= this.#endpointMs()) return this.result();
    return { partial: textOf(words) };
  }

  result(): object {
    const words = this.#words();
    this.#startMs += this.#lengthMs();
    this.#bytes = Buffer.alloc(0);
    this.#settled = [];
    if (words.length === 0) return { text: '' };
    const result = words.map(({ text, startMs, endMs }) => ({
      ...{ conf: 1, end: endMs / 1000, start: startMs / 1000, word: text },
    }));
    return { result, text: textOf(words) };
  }

  /** Audio followed by silence is not recognised again. */
  #settle(words: readonly ToneWord[]): void {
    const wholeMs = Math.floor(this.#lengthMs() / FRAME_MS) * FRAME_MS;
    const heardMs = this.#startMs + wholeMs;
    const open = words.find(({ endMs }) => endMs + FRAME_MS > heardMs);
    const settledMs = open?.startMs ?? heardMs;
    this.#settled = words.filter((word) => word !== open);
    const samples = Math.round(((settledMs - this.#startMs) * this.sampleRateHz) / 1000);
    this.#bytes = this.#bytes.subarray(samples * 2);
    this.#startMs = settledMs;
  }

  #lengthMs(): number {
    return (this.#bytes.byteLength / 2 / this.sampleRateHz) * 1000;
  }

  #words(): ToneWord[] {
    const { sampleRateHz } = this;
    const heard = hearTones(samplesOfBytes(this.#bytes), { sampleRateHz }).map((word) => ({
      ...{ text: this.#spelling[word.text] ?? word.text, startMs: word.startMs + this.#startMs },
      endMs: word.endMs + this.#startMs,
    }));
    return [...this.#settled, ...heard];
  }
}
