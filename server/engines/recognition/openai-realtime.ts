/**
 * Recognition over OpenAI's realtime interface (WebSocket). Utterances are ours, so the server's own
 * turn detection is off: audio is appended while someone speaks and committed at the endpoint. The
 * item made of it is transcribed then.
 */
import type { RecognitionEngine, RecognitionOptions, Unavailable } from '../engine.ts';
import type { Conversation } from './persistent-hearer.ts';
import { convertTo24kHz, samplesAt24kHz } from './rate-conversion.ts';
import { sessionUpdate, type RealtimeSession } from './realtime-dialects.ts';
import { committed, completed, delta, failed, throwError } from './realtime-events.ts';
import { RecogniserSocket } from './recogniser-socket.ts';
import type { SocketEngineOptions } from './remote-options.ts';
import { Setback } from './setback.ts';
import { problemWithSocketAddress, socketAddress } from './socket-address.ts';
import { createSocketRecogniser, sendAndRead } from './socket-recogniser.ts';
import { languagesToHear, whisperCode, whisperLanguages } from './spoken-languages.ts';
import { termsPrompt } from './terms-prompt.ts';
import type { HeardUtterance } from './utterance-stream.ts';
import type { Utterance } from './utterance.ts';

export interface OpenAiRealtimeOptions extends SocketEngineOptions {
  /** Address up to `/v1`; what follows a ? is kept for servers that want a model there. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
}

const NAME = 'openai-realtime';
/** Tenths of a second go out, more only when we are behind; counted at 16 and at 24 kHz. */
const LEAST_SAMPLES = 1_600;
const MOST_SAMPLES_24 = 12_000;
/** The server refuses to transcribe less than 100 ms. */
const SHORTEST_SAMPLES_24 = 4_800;

/** Contacts nobody yet: a server that is down now may be up when someone speaks. */
export async function createOpenAiRealtime(
  options: OpenAiRealtimeOptions,
): Promise<RecognitionEngine | Unavailable> {
  const { log, url, model, key, languages: setting, timeoutMs = 15_000 } = options;
  const problem = problemWithSocketAddress(url);
  if (problem !== undefined) return unavailable(`OPENAI_REALTIME_URL ${problem}.`);
  if (model === undefined) {
    return unavailable('OPENAI_REALTIME_MODEL is missing: name the model that transcribes.');
  }
  const heard = languagesToHear(setting, whisperLanguages);
  if ('problem' in heard) return unavailable(`OPENAI_REALTIME_LANGUAGES: ${heard.problem}.`);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const address = realtimeAddress(url);
  return createSocketRecogniser({
    ...{ log, name: NAME, languages: heard.languages },
    ...{ tries: options.tries, firstDelayMs: options.firstDelayMs },
    // It hears any language, but does not say which it was.
    detectsLanguage: false,
    usesSpokenTerms: true,
    punctuates: true,
    connect: async (session, signal) => {
      const socket = await RecogniserSocket.connect({ url: address, headers, timeoutMs, signal });
      return await setUp(socket, sessionOf(model, session));
    },
  });
}

function realtimeAddress(url: string): string {
  const address = socketAddress(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/realtime`;
  if (!address.searchParams.has('intent')) address.searchParams.set('intent', 'transcription');
  return address.href;
}

function sessionOf(model: string, { language, spokenTerms }: RecognitionOptions): RealtimeSession {
  const code = language === undefined ? undefined : whisperCode(language);
  return { model, language: code, prompt: termsPrompt(spokenTerms) };
}

async function setUp(socket: RecogniserSocket, session: RealtimeSession): Promise<Conversation> {
  try {
    socket.expect();
    const first = await socket.next();
    throwError(first, { isSetUp: true });
    const update = sessionUpdate(first, session);
    if (update === undefined) throw new Setback('does not speak its protocol');
    await socket.send(JSON.stringify(update));
    for (let type: unknown; typeof type !== 'string' || !type.endsWith('session.updated');) {
      const event = await socket.next();
      throwError(event, { isSetUp: true });
      type = event['type'];
    }
    socket.forgive();
    return new RealtimeConversation(socket);
  } catch (reason) {
    socket.close();
    throw reason;
  }
}

class RealtimeConversation implements Conversation {
  readonly #socket: RecogniserSocket;
  /** The item whose transcript came last: what still comes of it is old. */
  #lastItem: string | undefined;

  constructor(socket: RecogniserSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  close(): void {
    this.#socket.close();
  }

  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    return sendAndRead(utterance, {
      send: (sending) => this.#send(utterance, sending),
      read: () => this.#read(utterance, onPartial),
      signal,
    });
  }

  async #send(utterance: Utterance, signal: AbortSignal): Promise<void> {
    const isStopped = () => signal.aborted;
    let sent = 0;
    for (let from = 0; ;) {
      const request = { from, least: LEAST_SAMPLES, most: Infinity, signal };
      const { length } = await utterance.read(request);
      if (isStopped()) return;
      if (length === 0) break;
      from += length;
      const ready = samplesAt24kHz(utterance.sampleCount, utterance.isOver);
      for (; sent < ready; sent = Math.min(sent + MOST_SAMPLES_24, ready)) {
        const to = Math.min(sent + MOST_SAMPLES_24, ready);
        await this.#append(convertTo24kHz(utterance.samples, sent, to));
        if (isStopped()) return;
      }
    }
    const whole = Math.max(samplesAt24kHz(utterance.sampleCount, true), SHORTEST_SAMPLES_24);
    if (sent < whole) await this.#append(convertTo24kHz(utterance.samples, sent, whole));
    this.#socket.expect();
    await this.#socket.send('{"type":"input_audio_buffer.commit"}');
  }

  async #append({ buffer, byteOffset, byteLength }: Int16Array): Promise<void> {
    const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    await this.#socket.send(`{"type":"input_audio_buffer.append","audio":"${audio}"}`);
  }

  async #read(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
  ): Promise<HeardUtterance> {
    let item: string | undefined;
    let text = '';
    const isOurs = (id: string) => (item === undefined ? id !== this.#lastItem : id === item);
    for (;;) {
      const event = await this.#socket.next();
      if (committed.Check(event)) item = event.item_id;
      else if (delta.Check(event) && isOurs(event.item_id)) {
        text += event.delta;
        onPartial({ text, lengthMs: utterance.lengthMs });
      } else if (completed.Check(event) && isOurs(event.item_id)) {
        this.#lastItem = event.item_id;
        this.#socket.forgive();
        return { text: event.transcript, lengthMs: utterance.lengthMs };
      } else if (failed.Check(event) && isOurs(event.item_id)) {
        throw new Setback('could not hear an utterance');
      } else throwError(event, { isSetUp: false });
    }
  }
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `OpenAI-compatible realtime transcription: ${reason}` };
}
