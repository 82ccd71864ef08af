/** Sessions in a cluster: how servers take them up, hand them over and end them. */
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import type { Caller } from '../../http/door.ts';
import type { Logger } from '../../process/log.ts';
import { Progress } from '../path/progress.ts';
import { Handover } from './handover.ts';
import type { RunningSession } from './running-session.ts';
import {
  forget,
  readEnding,
  readKept,
  readRecord,
  writeEnding,
  type KeptSession,
  type SessionEnding,
  type SessionRecord,
} from './kept-session.ts';
import { SessionJournal } from './session-journal.ts';

export interface SessionClusterOptions {
  broker: Pick<
    Broker,
    'node' | 'leases' | 'records' | 'streams' | 'announcements' | 'onBack' | 'isWhole'
  >;
  log: Logger;
  /** How long a session without a client is kept, in ms. */
  keptMs: number;
  /** Finds a session on this server. */
  find: (sessionId: string) => RunningSession | undefined;
  /** Finds the caller of a key. @throws ServiceError key_deactivated */
  findCaller: (key: NonNullable<SessionRecord['key']>) => Promise<Caller>;
  /**
   * Resumes a session of another server on this one.
   *
   * @throws ServiceError when it cannot be resumed
   */
  adopt: (taken: TakenSession) => Promise<RunningSession>;
  /**
   * Removes everything about a session that is over or cannot be resumed.
   *
   * @param record of a session that was on another server
   */
  onRemoved: (sessionId: string, record?: SessionRecord) => void;
  /** Another server owns the session's data. */
  onLeft: (sessionId: string) => void;
}

/** A session that was on another server. */
export interface TakenSession {
  id: string;
  caller: Caller | undefined;
  record: SessionRecord;
  kept: KeptSession;
  journal: SessionJournal;
}

const ENDINGS = 'endings';

const UNTOLD =
  'Other servers could not be notified of the end of the session. Please try again in a moment.';

const ENDING = 'The session is ending. Please try again in a moment.';

const UNREADABLE =
  'audio of a voice session written by another version of the server cannot be recognised again';

const UNFIT = 'This server cannot continue the session, but another one may.';

/** Time in which a waiting client connects after its session was taken up, in ms. */
const CONNECT_MS = 1_000;

/** How long a stopping server tries to hand over its sessions, in ms. */
const HAND_OVER_MS = 10_000;

/** Pause before a failed hand-over is tried again, in ms. */
const HAND_OVER_AGAIN_MS = 100;

/** How long to wait for other servers to receive an announced end, in ms. It may still reach them later. */
const TELL_MS = 3_000;

/** Interval at which the removal of a session is retried while the broker is unreachable, in ms. */
const REMOVE_AGAIN_MS = 1_000;

export class SessionCluster {
  readonly #options: SessionClusterOptions;
  readonly #handover: Handover;
  readonly #taking = new Map<string, Promise<RunningSession | undefined>>();
  /** Sessions whose clients are about to connect. */
  readonly #justTaken = new Set<string>();
  /** Sessions that are over but not removed from the broker yet. */
  readonly #ending = new Set<string>();
  readonly #stopListening: () => void;
  #isStopped = false;

  constructor(options: SessionClusterOptions) {
    const { broker, log, find } = options;
    this.#options = options;
    this.#handover = new Handover({
      ...{ broker, log },
      onAsked: (id, isAgain) => {
        const session = this.#taking.has(id) ? undefined : find(id);
        if (session === undefined) return;
        // The request is outdated: the client has since connected here or is about to.
        if (isAgain && (session.isConnected || this.#justTaken.has(id))) return;
        void this.handOver(session);
      },
      onLost: (id) => find(id)?.leave(),
      onForgotten: (id) => find(id)?.restore(),
    });
    this.#stopListening = broker.announcements.listen(ENDINGS, (said) => {
      const { sessionId, code, message } = JSON.parse(said) as SessionEnding & {
        sessionId: string;
      };
      const end = (session?: RunningSession) => session?.end(new ServiceError(code, message));
      const taking = this.#taking.get(sessionId);
      // The session being taken up may have been checked for an ending before this one was written.
      if (taking === undefined) end(find(sessionId));
      else taking.then(end, () => undefined);
    });
  }

  /** Creates the journal of a session. */
  journal(sessionId: string, record: SessionRecord, isPcm: boolean): SessionJournal {
    const { broker, keptMs } = this.#options;
    const progress = new Progress();
    return new SessionJournal({ broker, sessionId, record, progress, isPcm, ttlMs: keptMs });
  }

  /**
   * Brings a session to this server, wherever it runs.
   *
   * @returns undefined for an unknown session
   * @throws ServiceError broker_unavailable; the reason why the session cannot be resumed
   */
  take(sessionId: string): Promise<RunningSession | undefined> {
    const taking =
      this.#taking.get(sessionId) ??
      this.#take(sessionId).finally(() => {
        this.#taking.delete(sessionId);
        this.#justTaken.add(sessionId);
        setTimeout(() => this.#justTaken.delete(sessionId), CONNECT_MS).unref();
      });
    this.#taking.set(sessionId, taking);
    return taking;
  }

  /**
   * Hands a session over to other servers, if its journal can be written.
   *
   * @param untilMs deadline for retries, on the clock of `performance.now()`
   */
  async handOver(session: RunningSession, untilMs = 0): Promise<void> {
    while (!session.isOver) {
      if (await session.handOver()) return this.#release(session.id);
      if (performance.now() >= untilMs) return;
      await delay(HAND_OVER_AGAIN_MS, undefined, { ref: false });
    }
  }

  /**
   * Ends a session on whichever server runs it. A session without an owner ends when a server takes it
   * up.
   *
   * @throws ServiceError broker_unavailable when other servers may not know: the caller must ask again
   */
  async end(sessionId: string, { code, message }: ServiceError): Promise<void> {
    const { broker, keptMs, log } = this.#options;
    try {
      // Written before the announcement, so that the owner removes the record when it ends the session.
      await writeEnding(broker, sessionId, { code, message, ttlMs: keptMs });
      const telling = broker.announcements.tell(
        ENDINGS,
        JSON.stringify({ sessionId, code, message }),
      );
      await Promise.race([telling, untoldAfter(TELL_MS)]);
    } catch (error) {
      log.error(
        { sessionId, err: error },
        'other servers were not notified of the end of a voice session',
      );
      throw error;
    }
  }

  /** Whether the broker's data is complete. @throws ServiceError broker_unavailable */
  isWhole(): Promise<boolean> {
    return this.#options.broker.isWhole();
  }

  /**
   * Returns the account of a session; null for the demo page, undefined if unknown. @throws ServiceError
   * broker_unavailable
   */
  async accountOf(sessionId: string): Promise<string | null | undefined> {
    const record = await readRecord(this.#options.broker, sessionId);
    return record && (record.key?.accountId ?? null);
  }

  /** Removes a session of this server that is over, unless another server owns it. */
  async over(sessionId: string, journal: SessionJournal): Promise<void> {
    const { broker, keptMs, onRemoved, onLeft } = this.#options;
    const untilMs = performance.now() + keptMs;
    this.#ending.add(sessionId);
    await journal.close();
    // Whatever remains after this time has expired.
    while (performance.now() < untilMs) {
      try {
        if (!(await this.#isOurs(sessionId, journal))) break;
        onRemoved(sessionId);
        await forget(broker, sessionId);
        await this.#handover.release(sessionId);
        this.#ending.delete(sessionId);
        return;
      } catch {
        if (this.#isStopped) break;
        await delay(REMOVE_AGAIN_MS, undefined, { ref: false });
      }
    }
    onLeft(sessionId);
    this.#handover.forget(sessionId);
    this.#ending.delete(sessionId);
  }

  /**
   * Hands all sessions over when the server stops. @param graceMs half of it may be spent on a slow or
   * unreachable broker
   */
  async leave(sessions: readonly RunningSession[], graceMs: number): Promise<void> {
    const untilMs = performance.now() + Math.min(HAND_OVER_MS, graceMs / 2);
    await Promise.all(sessions.map((each) => this.handOver(each, untilMs)));
    this.stop();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening();
    this.#handover.stop();
  }

  /** Whether a session that is over here is over everywhere. @throws ServiceError broker_unavailable */
  async #isOurs(sessionId: string, { hold, record }: SessionJournal): Promise<boolean> {
    if (hold !== undefined) return this.#handover.isOurs(sessionId, hold);
    if (!(await this.#handover.takeIfFree(sessionId))) return false;
    // A session that no client connected to here may have been connected on another server.
    const kept = await readRecord(this.#options.broker, sessionId);
    if (kept?.hasBegun !== true || record.hasBegun) return true;
    await this.#handover.release(sessionId);
    return false;
  }

  async #take(sessionId: string): Promise<RunningSession | undefined> {
    const { broker, find } = this.#options;
    if (this.#ending.has(sessionId)) throw new ServiceError('broker_unavailable', ENDING);
    const hold = await this.#handover.take(sessionId, find(sessionId) !== undefined);
    let session: RunningSession | undefined;
    try {
      const record = await readRecord(broker, sessionId);
      session = find(sessionId);
      if (session === undefined || record?.hasBegun === true) {
        session?.leave();
        session = record && (await this.#takeUp(sessionId, record));
      }
      await session?.own(hold);
      return session;
    } catch (error) {
      session?.leave();
      session = undefined;
      throw error;
    } finally {
      if (session === undefined) await this.#release(sessionId);
    }
  }

  async #takeUp(id: string, record: SessionRecord): Promise<RunningSession> {
    const { broker, adopt, findCaller, onRemoved, log } = this.#options;
    try {
      const ending = await readEnding(broker, id);
      if (ending !== undefined) throw new ServiceError(ending.code, ending.message);
      const caller = record.key && (await findCaller(record.key));
      const kept = await readKept(broker, id);
      const { unreadable } = kept;
      if (unreadable > 0) log.warn({ sessionId: id, entries: unreadable }, UNREADABLE);
      const isPcm = /^audio\/pcm\b/.test(record.request.source_media_content_type);
      const journal = this.journal(id, record, isPcm);
      journal.resume(kept);
      const session = await adopt({ id, caller, record, kept, journal });
      log.info({ sessionId: id }, 'a voice session was taken over from another server');
      return session;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isFinal = FINAL.has(error.code);
      const isUnfit = error.code === 'invalid_request';
      if (isFinal || isUnfit) {
        log.warn(
          { sessionId: id, err: error },
          'a voice session could not be taken over from another server',
        );
      }
      if (isFinal) {
        onRemoved(id, record);
        await forget(broker, id).catch(() => undefined);
      }
      // With other engines or programs than its last server, this one may lack a language or a format.
      if (!isUnfit) throw error;
      throw new ServiceError('engine_unavailable', `${UNFIT} ${error.message}`, { cause: error });
    }
  }

  #release(sessionId: string): Promise<void> {
    // If the release fails, a waiting server gets the session when the lease expires.
    return this.#handover.release(sessionId).catch(() => undefined);
  }
}

async function untoldAfter(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new ServiceError('broker_unavailable', UNTOLD);
}

/** Errors after which retrying cannot help; after any other error the session may still be resumed. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'session_ended',
  'token_reused',
  'key_deactivated',
  'not_found',
  'forbidden',
]);
