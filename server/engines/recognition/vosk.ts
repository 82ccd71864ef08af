/**
 * Recognition by a Vosk server (alphacep/vosk-server, WebSocket). The server detects utterances by itself and
 * accepts no endpoints, but returns a final when a connection ends. Each utterance therefore gets its own
 * connection, which costs the server next to nothing. The server answers every message but the first with
 * exactly one message.
 */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { Change } from '../../process/concurrency.ts';
import { declareEngine, listed, problemWithSocketAddress, socketAddress } from '../declaration.ts';
import {
  RECOGNITION_RATE_HZ,
  SAMPLES_PER_MS,
  type RecognitionEngine,
  type Unavailable,
  type Word,
} from '../engine.ts';
import {
  type Conversation,
  createSocketRecogniser,
  sendAndRead,
  RecogniserSocket,
  ConnectionFailure,
} from './socket-recogniser.ts';
import { languagesToHear, type SocketEngineOptions } from './remote-recogniser.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';

export interface VoskOptions extends SocketEngineOptions {
  /** Address of the server, or one address per language: `en=ws://a:2700,de=ws://b:2700`. */
  url: string;
  /** Language of the model of a single server; English by default. */
  languages?: readonly string[] | undefined;
}

const NAME = 'vosk';
const LEAST_SAMPLES = 100 * SAMPLES_PER_MS;
const MOST_SAMPLES = 250 * SAMPLES_PER_MS;
/**
 * Limit of unanswered messages: two seconds of speech. More audio would queue in the server, where it cannot
 * be dropped.
 */
const MAX_UNANSWERED = 8;
/** The server compares the whole text, blanks included. */
const END_OF_UTTERANCE = '{"eof" : 1}';
/** One address with its language: `de=ws://host:2700`. */
const NAMED_SERVER = /^([a-z]{2,3}(?:-[a-z]+)?)=(.+)$/i;
const UNKNOWN_WORD = /^(?:<.*>|\[.*\])$/;

const Result = Type.Object({
  text: Type.String(),
  result: Type.Optional(
    Type.Array(
      Type.Object({
        word: Type.String(),
        start: Type.Number(),
        end: Type.Number(),
        conf: Type.Optional(Type.Number()),
      }),
    ),
  ),
});
const finalResult = Compile(Result);
const partialResult = Compile(Type.Object({ partial: Type.String() }));

/** The Vosk engine. */
export const vosk = declareEngine({
  settings: {
    VOSK_URL: Type.Optional(
      Type.String({
        description:
          'Address of a Vosk server, or one address for each language: `en=ws://a:2700,de=ws://b:2700`.',
      }),
    ),
    VOSK_LANGUAGES: Type.Optional(
      Type.String({ description: 'Language of the model of the Vosk server; `en` by default.' }),
    ),
  },
  start: async ({ log, settings: { VOSK_URL: url, VOSK_LANGUAGES: languages } }) =>
    url === undefined ? undefined : createVosk({ log, url, languages: listed(languages) }),
});

/** Makes no connection yet: a server that is down now may be up when a session starts. */
export async function createVosk(options: VoskOptions): Promise<RecognitionEngine | Unavailable> {
  const { log, timeoutMs = 10_000, tries, firstDelayMs } = options;
  const found = serversOf(options);
  if ('problem' in found) return unavailable(found.problem);
  const { servers } = found;
  return createSocketRecogniser({
    log,
    name: NAME,
    languages: [...servers.keys()],
    tries,
    firstDelayMs,
    detectsLanguage: false,
    // Vosk's phrase list excludes all other words, and most models do not accept one.
    usesSpokenTerms: false,
    punctuates: false,
    connect: async ({ language = 'en' }, signal) => {
      const url = servers.get(baseLanguage(language)) ?? [...servers.values()][0] ?? '';
      const socket = await RecogniserSocket.connect({ url, headers: {}, timeoutMs, signal });
      return new VoskConversation(socket);
    },
  });
}

/** Returns the addresses by language, or what is wrong with the settings, for the operator. */
function serversOf({
  url: setting,
  languages,
}: VoskOptions): { servers: Map<LanguageTag, string> } | { problem: string } {
  const servers = new Map<LanguageTag, string>();
  for (const entry of setting.split(/[\s,]+/).filter((part) => part !== '')) {
    const named = NAMED_SERVER.exec(entry);
    const url = named?.[2] ?? entry;
    const problem = problemWithSocketAddress(url);
    if (problem !== undefined) return { problem: `VOSK_URL ${problem}.` };
    const code = named?.[1];
    const heard = languagesToHear(code === undefined ? languages : [code], ['en']);
    if ('problem' in heard) {
      return {
        problem: `${code === undefined ? 'VOSK_LANGUAGES' : 'VOSK_URL'}: ${heard.problem}.`,
      };
    }
    for (const language of heard.languages) {
      if (servers.has(language)) return { problem: twoServers(language) };
      servers.set(language, socketAddress(url).href);
    }
  }
  return servers.size === 0 ? { problem: 'VOSK_URL is empty.' } : { servers };
}

function twoServers(language: LanguageTag): string {
  return (
    `VOSK_URL names two servers for ${language}: ` +
    'give each address its language, as in en=ws://a:2700,de=ws://b:2700.'
  );
}

/** The conversation over a connection: one utterance. */
class VoskConversation implements Conversation {
  readonly #socket: RecogniserSocket;
  readonly #change = new Change();
  #isFresh = true;
  /** End positions of unanswered messages, in samples of the utterance. */
  readonly #unanswered: number[] = [];
  #hasSentAll = false;

  constructor(socket: RecogniserSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#isFresh && this.#socket.isOpen;
  }

  close(): void {
    this.#socket.close();
  }

  async hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    this.#isFresh = false;
    const heard = await sendAndRead(utterance, {
      send: (sending) => this.#send(utterance, sending),
      read: () => this.#read(onPartial),
      signal,
    });
    this.close();
    return heard;
  }

  async #send(utterance: Utterance, signal: AbortSignal): Promise<void> {
    const config = { sample_rate: RECOGNITION_RATE_HZ, words: true, max_alternatives: 0 };
    await this.#socket.send(JSON.stringify({ config }));
    const isStopped = () => signal.aborted;
    for (let from = 0; ;) {
      const request = { from, least: LEAST_SAMPLES, most: MOST_SAMPLES, signal };
      const samples = await utterance.read(request);
      if (isStopped()) return;
      if (samples.length === 0) break;
      from += samples.length;
      const { buffer, byteOffset, byteLength } = samples;
      await this.#ask(new Uint8Array(buffer, byteOffset, byteLength), from);
      while (this.#unanswered.length >= MAX_UNANSWERED && !isStopped()) await this.#change.next();
    }
    this.#hasSentAll = true;
    await this.#ask(END_OF_UTTERANCE, utterance.sampleCount);
  }

  async #ask(message: string | Uint8Array, endSamples: number): Promise<void> {
    this.#unanswered.push(endSamples);
    this.#socket.expect();
    await this.#socket.send(message);
  }

  async #read(onPartial: (heard: HeardUtterance) => void): Promise<HeardUtterance> {
    const texts: string[] = [];
    const words: Word[] = [];
    try {
      for (;;) {
        const message = await this.#socket.next();
        const lengthMs = this.#answered() / SAMPLES_PER_MS;
        if (finalResult.Check(message)) {
          texts.push(spokenText(message.text));
          words.push(...wordsOf(message));
          const heard = { text: texts.join(' ').trim(), lengthMs, words };
          if (this.#hasSentAll && this.#unanswered.length === 0) return heard;
          onPartial(heard);
        } else if (partialResult.Check(message)) {
          const text = [...texts, spokenText(message.partial)].join(' ').trim();
          if (text !== '') onPartial({ text, lengthMs });
        } else throw new ConnectionFailure('does not speak its protocol');
      }
    } finally {
      // Wakes a sender that waits for answers, so that it sees the aborted signal.
      setImmediate(() => this.#change.notify());
    }
  }

  /** Records an answer and returns the position up to which the utterance was heard, in samples. */
  #answered(): number {
    const endSamples = this.#unanswered.shift();
    if (endSamples === undefined) throw new ConnectionFailure('does not speak its protocol');
    this.#socket.forgive();
    if (this.#unanswered.length > 0) this.#socket.expect();
    this.#change.notify();
    return endSamples;
  }
}

function spokenText(text: string): string {
  const words = text.split(' ').filter((word) => word !== '' && !UNKNOWN_WORD.test(word));
  return words.join(' ');
}

/** Vosk times words from the first sample of the connection, whatever finals it has sent in between. */
function wordsOf({ result = [] }: Static<typeof Result>): Word[] {
  return result
    .filter(({ word }) => !UNKNOWN_WORD.test(word))
    .map(({ word, start, end, conf }) => ({
      text: word,
      startMs: start * 1000,
      endMs: end * 1000,
      ...(conf !== undefined && { confidence: Math.min(Math.max(conf, 0), 1) }),
    }));
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `Vosk server: ${reason}` };
}
