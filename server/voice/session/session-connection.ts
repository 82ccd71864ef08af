/** The interfaces between a session and its connection, and between a session and a room. */
import { ServiceError } from '../../../shared/errors.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import type { PageOrigin } from '../../http/door.ts';
import type { OutboxReader } from './outbox.ts';
import type { SessionJournal } from './session-journal.ts';
import type { CaptionUpdate } from '../path/captions.ts';
import type { SentUpdate } from './session-updates.ts';

/** A room in which viewers read the captions of a session. */
export interface SessionRoom {
  /**
   * Takes the captions of a session until it ends.
   *
   * @param speech.originMs returns when the first sample was said, counted back from the sample that arrived
   *   last, in ms since the epoch; later after a gap in the audio
   * @param speech.receivedMs returns the duration of the audio received so far, in ms
   * @param speech.isMoved whether another server has taken the session and will recognise the unfinished
   *   utterance
   * @param speech.end ends the session
   */
  hear(speech: {
    sessionId: string;
    captions: AsyncIterable<CaptionUpdate>;
    originMs: () => number;
    receivedMs: () => number;
    isMoved?: () => boolean;
    end: (reason: ServiceError) => void;
  }): void;
}

/** A session as its connection feeds it: the session itself, because each chunk comes through here. */
export interface SessionIntake {
  /** Whether the server is stopping: the session then concludes what it has received. */
  readonly isStopping: boolean;
  readonly hasMediaEnded: boolean;
  /** Whether chunks wait for the voice path. */
  readonly hasMediaWaiting: boolean;
  /** When audio was last counted, on the clock of `performance.now()`; bytes without sound do not count. */
  readonly audioCountedAtMs: number;
  /** @throws ServiceError that ends the session */
  push(data: Uint8Array): void;
  /** Ends the current utterance; it is concluded at once. */
  endUtterance(): void;
  /** Changes targets or terms; the answer arrives among the messages to send. */
  update(update: SentUpdate): void;
  endMedia(): void;
}

/** A connection's view of its session. */
export interface SessionConnection {
  readonly sessionId: string;
  readonly messageFormat: MessageFormat;
  readonly intake: SessionIntake;
  /** Messages to send. */
  readonly reader: OutboxReader;
  /** Aborted when the session has failed, with a ServiceError as reason. */
  readonly failed: AbortSignal;
  /** Aborted when the client has asked to reconnect and another connection will take over. */
  readonly replaced: AbortSignal;
  /** Aborted when another server takes the session. */
  readonly moved: AbortSignal;
  /** Sets the function that holds the client back (true) or releases it (false). */
  onHold(hold: (isHeld: boolean) => void): void;
  /** Records that the client has everything up to this sequence. */
  confirm(sequence: number): void;
  /** Ends the session because of a client error. */
  fail(error: ServiceError): void;
  /**
   * Reports that the connection has closed.
   *
   * @param isFinal whether the client has left for good, so that the session ends as well
   */
  release(isFinal: boolean): void;
}

export function sessionGone(): ServiceError {
  return new ServiceError('token_refused', 'The session has ended. Request a new one.');
}

/**
 * Returns a reader that holds messages back while this server, after a stall, does not know whether it
 * still owns the session.
 */
export function whileSure(reader: OutboxReader, { hold }: SessionJournal): OutboxReader {
  if (hold === undefined) return reader;
  return {
    take: () => (hold.isCertain ? reader.take() : undefined),
    get isDone() {
      return hold.isCertain && reader.isDone;
    },
    async changed() {
      if (hold.isCertain) await reader.changed();
      // Once ownership is lost, this promise stays pending: the connection closes with the session.
      else if (!(await hold.check())) await new Promise(() => undefined);
    },
  };
}

/**
 * Refuses a page of a site that may not connect. Browsers hide the answer to a failed handshake from the
 * page, so the reason is sent as a message on an accepted socket.
 */
export class ForeignPage extends ServiceError {
  readonly messageFormat: MessageFormat;

  constructor({ origin = '' }: PageOrigin, messageFormat: MessageFormat) {
    super(
      'forbidden',
      `Pages of ${origin} may not connect. Allow the site in the console, or by: npm run dragoman -- account change ACCOUNT --add-origin ${origin}`,
    );
    this.messageFormat = messageFormat;
  }
}
