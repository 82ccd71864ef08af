/** Recognition engines that hear over WebSockets: what they have in common. */
import type { Logger } from '../../process/log.ts';
import type { RecognitionEngine, RecognitionOptions } from '../engine.ts';
import { PersistentHearer, type Conversation } from './persistent-hearer.ts';
import type { HeardUtterance } from './utterance-times.ts';
import { hearUtterances } from './utterance-stream.ts';
import type { Utterance } from './utterance.ts';

export interface SocketRecogniserOptions extends Pick<
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
    ...{ name, languages, detectsLanguage, usesSpokenTerms, punctuates },
    recognise: (speech, session) =>
      hearUtterances({
        ...{ engine: name, speech, signal: session.signal, closing: closing.signal },
        ...(maxUtteranceMs !== undefined && { maxUtteranceMs }),
        createHearer: () =>
          new PersistentHearer({
            ...{ log, engine: name, connect: (signal) => connect(session, signal) },
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
