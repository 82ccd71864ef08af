/** What a session is to its connection, and to a room. */
import { ServiceError } from '../../../shared/errors.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import type { PageOrigin } from '../../http/door.ts';
import type { OutboxReader } from './outbox.ts';
import type { SessionJournal } from './session-journal.ts';
import type { CaptionUpdate } from '../path/captions.ts';
import type { SentUpdate } from './session-updates.ts';

/** A room in which others read along with a session. */
export interface SessionRoom {
  /**
   * Takes what a session says, until it ends.
   *
   * @param speech.beganAtMs when it began, ms since the epoch
   * @param speech.receivedMs how much of its audio has come so far
   * @param speech.isMoved whether it goes on at another server: what was being said is heard there
   * @param speech.end ends the session
   */
  hear(speech: {
    sessionId: string;
    captions: AsyncIterable<CaptionUpdate>;
    beganAtMs: number;
    receivedMs: () => number;
    isMoved?: () => boolean;
    end: (reason: ServiceError) => void;
  }): void;
}

/**
 * A connection's hold on its session. What changes is asked for by calls: an object with getters of its own is of a
 * shape of its own, which V8 would look up anew at each chunk.
 */
export interface SessionConnection {
  readonly sessionId: string;
  readonly messageFormat: MessageFormat;
  /** What is to be sent. */
  readonly reader: OutboxReader;
  /** Aborted, with a ServiceError as reason, when the session has failed. */
  readonly failed: AbortSignal;
  /** Aborted when the client has asked to reconnect: another connection will take over. */
  readonly replaced: AbortSignal;
  /** Aborted when the session goes on at another server. */
  readonly moved: AbortSignal;
  /** The server is: the session concludes what it has heard. */
  isStopping(): boolean;
  hasMediaEnded(): boolean;
  /** Whether chunks wait for the voice path. */
  hasMediaWaiting(): boolean;
  /** When audio was last counted, on the clock of `performance.now()`; bytes without sound are none. */
  audioCountedAtMs(): number;
  /** @throws ServiceError as the session's end */
  push(data: Uint8Array): void;
  /** What was said up to here is concluded at once. */
  endUtterance(): void;
  /** Other targets or terms from now on; the answer is among what is to be sent. */
  update(update: SentUpdate): void;
  endMedia(): void;
  /** Takes a function that holds the client back (true) or lets it go again (false). */
  onHold(hold: (isHeld: boolean) => void): void;
  /** The client has everything up to this sequence. */
  confirm(sequence: number): void;
  /** Ends the session for what its client did. */
  fail(error: ServiceError): void;
  /**
   * The connection is over.
   *
   * @param isFinal whether the client has taken its leave, so that the session is over as well
   */
  release(isFinal: boolean): void;
}

export function sessionGone(): ServiceError {
  return new ServiceError('token_refused', 'The session has ended. Request a new one.');
}

/** Nothing is told by a server that has stood still, before it knows that the session is still its own. */
export function whileSure(reader: OutboxReader, { hold }: SessionJournal): OutboxReader {
  if (hold === undefined) return reader;
  return {
    take: () => (hold.isSure ? reader.take() : undefined),
    get isDone() {
      return hold.isSure && reader.isDone;
    },
    async changed() {
      if (hold.isSure) await reader.changed();
      // Where it is lost, the connection ends with it.
      else if (!(await hold.check())) await new Promise(() => undefined);
    },
  };
}

/**
 * A page of a site that may not connect. Browsers tell a page nothing of an answer to its handshake, so
 * the reason comes as a message of its session.
 */
export class ForeignPage extends ServiceError {
  readonly messageFormat: MessageFormat;

  constructor({ origin = '' }: PageOrigin, messageFormat: MessageFormat) {
    super(
      'forbidden',
      `Pages of ${origin} may not connect. Allow the site in the console, or by: dragoman account change ACCOUNT --add-origin ${origin}`,
    );
    this.messageFormat = messageFormat;
  }
}
