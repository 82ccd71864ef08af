/**
 * Hears utterances over connections that may break: an utterance whose connection is lost is heard
 * again, from its first sample, over another one. No final is lost and none comes twice, because an
 * utterance has none before its connection has told all of it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../process/log.ts';
import { serviceFailure } from '../service/failure.ts';
import { backOffMs } from '../service/retry.ts';
import { Setback } from './setback.ts';
import type { HeardUtterance } from './utterance-times.ts';
import type { UtteranceHearer } from './utterance-stream.ts';
import type { Utterance } from './utterance.ts';

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

export interface PersistentHearerOptions {
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

export class PersistentHearer implements UtteranceHearer {
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
