/** Recognition engines that hear over WebSockets, which may break: what they have in common. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../process/log.ts';
import type { RecognitionEngine, RecognitionOptions } from '../engine.ts';
import { backOffMs, serviceFailure } from '../service/service-client.ts';
import { Setback } from './recogniser-socket.ts';
import { hearUtterances, type UtteranceHearer } from './utterance-stream.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';

interface SocketRecogniserOptions extends Pick<
  RecognitionEngine,
  'name' | 'languages' | 'detectsLanguage' | 'usesSpokenTerms' | 'punctuates'
> {
  log: Logger;
  /** Connects for a session. @throws Setback; the signal's reason when aborted */
  connect: (session: RecognitionOptions, signal: AbortSignal) => Promise<Conversation>;
  /** A longer utterance is heard in parts, in ms. */
  maxUtteranceMs?: number;
  /** See {@link PersistentHearer}. */
  tries?: number | undefined;
  firstDelayMs?: number | undefined;
}

/** An engine that keeps one connection for each session. */
export function createSocketRecogniser(options: SocketRecogniserOptions): RecognitionEngine {
  const { log, name, languages, detectsLanguage, usesSpokenTerms, punctuates } = options;
  const { connect, tries, firstDelayMs, maxUtteranceMs } = options;
  const closing = new AbortController();
  return {
    name,
    languages,
    detectsLanguage,
    usesSpokenTerms,
    punctuates,
    recognise: (speech, session) =>
      hearUtterances({
        engine: name,
        speech,
        signal: session.signal,
        onHeard: session.onHeard,
        closing: closing.signal,
        ...(maxUtteranceMs !== undefined && { maxUtteranceMs }),
        createHearer: () =>
          new PersistentHearer({
            log,
            engine: name,
            connect: (signal) => connect(session, signal),
            ...(tries !== undefined && { tries }),
            ...(firstDelayMs !== undefined && { firstDelayMs }),
          }),
      }),
    close: async () => closing.abort(),
  };
}

/**
 * Sends an utterance while what comes back is read; neither outlives the other.
 *
 * @param send sends all of the utterance, or stops when its signal is aborted
 * @param read answers what was heard
 */
export async function sendAndRead(
  utterance: Utterance,
  {
    send,
    read,
    signal,
  }: {
    send: (signal: AbortSignal) => Promise<void>;
    read: () => Promise<HeardUtterance>;
    signal: AbortSignal;
  },
): Promise<HeardUtterance> {
  const sending = new AbortController();
  const stop = (): void => {
    sending.abort();
    // Who waits for more of the utterance looks at the signal then.
    utterance.change.notify();
  };
  signal.addEventListener('abort', stop, { once: true });
  const sent = send(sending.signal);
  try {
    // A failure of either ends both; what is read is complete only after all was sent.
    const [heard] = await Promise.all([read(), sent]);
    return heard;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

// Hears utterances over connections that may break: an utterance whose connection is lost is
// heard again, from its first sample, over another one. No final is lost and none comes twice,
// because an utterance has none before its connection has reported all of it.

/** A connection to a recogniser, ready for the next utterance. */
export interface Conversation {
  /** Whether it can be used for another utterance. */
  readonly isOpen: boolean;
  /** Like {@link UtteranceHearer.hear}. @throws Setback when the connection is of no use any more */
  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance>;
  close(): void;
}

interface PersistentHearerOptions {
  log: Logger;
  /** Name of the engine, for people. */
  engine: string;
  /** @throws Setback; the signal's reason when aborted */
  connect: (signal: AbortSignal) => Promise<Conversation>;
  /** Connections for one utterance until its session is given up. */
  tries?: number;
  /** Wait before the second one; it doubles with every further one. */
  firstDelayMs?: number;
}

const TRIES = 4;
const FIRST_DELAY_MS = 250;

class PersistentHearer implements UtteranceHearer {
  readonly #options: PersistentHearerOptions;
  #conversation: Conversation | undefined;

  constructor(options: PersistentHearerOptions) {
    this.#options = options;
  }

  async hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    let shown = '';
    /** What the connections before have shown: it does not grow up again, word by word. */
    let before = '';
    const onNewPartial = (heard: HeardUtterance): void => {
      if (heard.text.length < before.length) return;
      shown = heard.text;
      onPartial(heard);
    };
    for (let failures = 0; ;) {
      try {
        const conversation = await this.#connected(signal);
        return await conversation.hear(utterance, onNewPartial, signal);
      } catch (error) {
        this.close();
        before = shown;
        signal.throwIfAborted();
        if (!(error instanceof Setback)) throw error;
        if (error.kind === 'renewal') continue;
        failures += 1;
        await this.#bear(error, failures, signal);
      }
    }
  }

  close(): void {
    this.#conversation?.close();
    this.#conversation = undefined;
  }

  async #connected(signal: AbortSignal): Promise<Conversation> {
    if (this.#conversation?.isOpen !== true) {
      this.close();
      const conversation = await this.#options.connect(signal);
      if (signal.aborted) conversation.close();
      signal.throwIfAborted();
      this.#conversation = conversation;
    }
    return this.#conversation;
  }

  /** Waits for the next try, or gives up. */
  async #bear(setback: Setback, failures: number, signal: AbortSignal): Promise<void> {
    const { log, engine, tries = TRIES, firstDelayMs = FIRST_DELAY_MS } = this.#options;
    const { problem, kind, fields } = setback;
    const caller = { kind: 'recogniser', engine, log } as const;
    const failure = serviceFailure(caller, problem, { fields: { failures, ...fields } });
    if (kind === 'refusal' || failures >= tries) throw failure;
    const delayMs = backOffMs(failures, { firstMs: firstDelayMs });
    await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
