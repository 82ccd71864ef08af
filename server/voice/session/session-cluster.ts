/** The sessions of this server among those of others: how they are taken up, handed over and ended across servers. */
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
  /** A session nobody comes back to is kept for so long, in ms. */
  keptMs: number;
  /** The session of this server; undefined where it has none with that id. */
  find: (sessionId: string) => RunningSession | undefined;
  /** Whose a session is. @throws ServiceError key_deactivated */
  findCaller: (key: NonNullable<SessionRecord['key']>) => Promise<Caller>;
  /**
   * Makes a session that was at another server one of this one's.
   *
   * @throws ServiceError where it cannot go on
   */
  adopt: (taken: TakenSession) => Promise<RunningSession>;
  /**
   * Nothing of a session is to stay: it is over, or cannot go on.
   *
   * @param record of one that was at another server
   */
  onRemoved: (sessionId: string, record?: SessionRecord) => void;
  /** What there is of a session is another server's. */
  onLeft: (sessionId: string) => void;
}

/** A session that was at another server. */
export interface TakenSession {
  id: string;
  caller: Caller | undefined;
  record: SessionRecord;
  kept: KeptSession;
  journal: SessionJournal;
}

const ENDINGS = 'endings';

const UNTOLD = 'Other servers could not be told of the end. Please try again in a moment.';

const ENDING = 'The session is ending. Please try again in a moment.';

const UNREADABLE =
  'audio of a voice session that another version of the server has written cannot be heard again';

/** A client that a session was taken for connects within this, in ms, if it waits for it still. */
const CONNECT_MS = 1_000;

/** How long a server that stops tries to hand over its sessions, in ms. */
const HAND_OVER_MS = 10_000;

/** After which what could not be handed over is tried again, in ms. */
const HAND_OVER_AGAIN_MS = 100;

/** An end is said not to be told to others after this, in ms; it may be told later all the same. */
const TELL_MS = 3_000;

/** How often a broker that is away is asked again to forget a session, in ms. */
const REMOVE_AGAIN_MS = 1_000;

export class SessionCluster {
  readonly #options: SessionClusterOptions;
  readonly #handover: Handover;
  readonly #taking = new Map<string, Promise<RunningSession | undefined>>();
  /** Those whose clients are about to connect. */
  readonly #justTaken = new Set<string>();
  /** Sessions that are over, and were not removed yet. */
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
        // Its client has been here, or is on its way, since it was elsewhere.
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
      // It may have been looked for an ending before.
      if (taking === undefined) end(find(sessionId));
      else taking.then(end, () => undefined);
    });
  }

  /** What the broker is to have of a session. */
  journal(sessionId: string, record: SessionRecord, isPcm: boolean): SessionJournal {
    const { broker, keptMs } = this.#options;
    const progress = new Progress();
    return new SessionJournal({ broker, sessionId, record, progress, isPcm, ttlMs: keptMs });
  }

  /**
   * Makes a session this server's, wherever it is.
   *
   * @returns undefined where there is none
   * @throws ServiceError broker_unavailable; why the session cannot go on
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
   * Lets another server have a session, if what is known of it can be written.
   *
   * @param untilMs it is tried again until then, on the clock of `performance.now()`
   */
  async handOver(session: RunningSession, untilMs = 0): Promise<void> {
    while (!session.isOver) {
      if (await session.handOver()) return this.#release(session.id);
      if (performance.now() >= untilMs) return;
      await delay(HAND_OVER_AGAIN_MS, undefined, { ref: false });
    }
  }

  /**
   * Ends a session wherever it is; one that nobody has when it is taken up.
   *
   * @throws ServiceError broker_unavailable where others may not have been told: to be asked again
   */
  async end(sessionId: string, { code, message }: ServiceError): Promise<void> {
    const { broker, keptMs, log } = this.#options;
    try {
      // Its owner, which hears of it after that, takes it away again.
      await writeEnding(broker, sessionId, { code, message, ttlMs: keptMs });
      const telling = broker.announcements.tell(
        ENDINGS,
        JSON.stringify({ sessionId, code, message }),
      );
      await Promise.race([telling, untoldAfter(TELL_MS)]);
    } catch (error) {
      log.error({ sessionId, err: error }, 'other servers do not know of its end');
      throw error;
    }
  }

  /** Whether nobody has what is not known. @throws ServiceError broker_unavailable */
  isWhole(): Promise<boolean> {
    return this.#options.broker.isWhole();
  }

  /** Whose a session is that is anywhere; null: the demo page's. @throws ServiceError broker_unavailable */
  async accountOf(sessionId: string): Promise<string | null | undefined> {
    const record = await readRecord(this.#options.broker, sessionId);
    return record && (record.key?.accountId ?? null);
  }

  /** A session of this server is over: nothing of it stays, unless another has it. */
  async over(sessionId: string, journal: SessionJournal): Promise<void> {
    const { broker, keptMs, onRemoved, onLeft } = this.#options;
    const untilMs = performance.now() + keptMs;
    this.#ending.add(sessionId);
    await journal.close();
    // What stays after that has gone, as its time was up.
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

  /** The server stops: others get its sessions. @param graceMs half of it is for a broker that is slow or away */
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

  /** Whether a session that is over here is so everywhere. @throws ServiceError broker_unavailable */
  async #isOurs(sessionId: string, { hold, record }: SessionJournal): Promise<boolean> {
    if (hold !== undefined) return this.#handover.isOurs(sessionId, hold);
    if (!(await this.#handover.takeIfFree(sessionId))) return false;
    // One that nobody connected to may have been connected elsewhere.
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
      log.info({ sessionId: id }, 'a voice session was taken up');
      return session;
    } catch (error) {
      const isFinal = error instanceof ServiceError && FINAL.has(error.code);
      if (isFinal) {
        log.warn({ sessionId: id, err: error }, 'a voice session could not be taken up');
        onRemoved(id, record);
        await forget(broker, id).catch(() => undefined);
      }
      throw error;
    }
  }

  #release(sessionId: string): Promise<void> {
    // Who waits for it has it when its time is up.
    return this.#handover.release(sessionId).catch(() => undefined);
  }
}

async function untoldAfter(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new ServiceError('broker_unavailable', UNTOLD);
}

/** Whoever asks again has no more luck; after all else it may go on. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'session_ended',
  'token_reused',
  'key_deactivated',
  'not_found',
  'forbidden',
  'invalid_request',
  'audio_format_unsupported',
]);
