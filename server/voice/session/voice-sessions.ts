/** Voice sessions from request to end: who may connect, what runs, and how all of it stops. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { ServiceError } from '../../../shared/errors.ts';
import type { Hearing } from '../../../shared/schemas/health.ts';
import type {
  VoiceReconnectedSession,
  VoiceSessionRequest,
} from '../../../shared/schemas/voice-session.ts';
import type { RecognitionEngine } from '../../engines/engine.ts';
import type { Logger } from '../../process/log.ts';
import { type Caller, mayConnect, type PageOrigin } from '../../http/door.ts';
import { type SessionSeats, tooMany } from './session-seats.ts';
import type { SessionTokens } from './session-tokens.ts';
import type { SessionRecord } from './kept-session.ts';
import { LiveSessions } from './live-sessions.ts';
import {
  SessionCluster,
  type SessionClusterOptions,
  type TakenSession,
} from './session-cluster.ts';
import { ForeignPage, type SessionConnection, type SessionRoom } from './session-connection.ts';
import type { SessionJournal } from './session-journal.ts';
import type { VoiceMeasures } from '../path/measures.ts';
import { voicePipeline, type VoicePipelineOptions } from '../path/pipeline.ts';
import { createAdmission, type Admission, type HeardSession } from './admission.ts';
import { createSpeechCharges, type SpeechCharges } from './speech-charge.ts';
import { keyDeactivated, type UsageMeter } from '../../accounts/usage/usage.ts';
import {
  checkRunning,
  type CheckedVoiceRequest,
  type CheckVoiceRequest,
} from './voice-session-request.ts';
import {
  RunningSession,
  type RunningSessionOptions,
  type SessionOrigin,
} from './running-session.ts';

/** The engines and limits every session works with. */
export type VoicePath = Pick<
  VoicePipelineOptions,
  'decoders' | 'encoders' | 'detectLanguage' | 'endpointing'
>;

export interface VoiceSessionsOptions {
  tokens: SessionTokens;
  /** Sessions at once, of all servers and of one key. */
  seats: SessionSeats;
  checkRequest: CheckVoiceRequest;
  path: VoicePath;
  usageMeter: UsageMeter;
  measures: VoiceMeasures;
  log: Logger;
  /** How long a token can be used to connect, in ms. */
  tokenTtlMs: number;
  /** How long a session without a connection is kept, in ms. */
  resumeMs: number;
  /** Audio that may wait for a slow engine before the client is held back, in ms. */
  maxLagMs: number;
  /** Share of this machine's processors that recognisers may take; 0 lets everybody in. */
  loadShare: number;
  /**
   * The room of an account that a session speaks into.
   *
   * @throws ServiceError not_found
   */
  findRoom: (roomId: string, caller: Caller | undefined) => Promise<SessionRoom>;
  /** Address under which clients reach the server, if it is configured: its own pages come from there. */
  publicUrl: string | undefined;
  /** Other servers at which a session may go on, and whose it is then; undefined: there are none. */
  cluster?: Pick<SessionClusterOptions, 'broker' | 'findCaller'> | undefined;
}

/** What the broker has of a session outlives the time in which its client may come back by so much, in ms. */
const KEPT_BESIDES_MS = 30_000;

/** Who asks for a session; the demo page has no caller. */
export interface SessionOwner {
  caller: Caller | undefined;
  /** Custom reporting tag. */
  tag: string | null;
}

export type SessionAnswer = Omit<VoiceReconnectedSession, 'streaming_url'>;

export interface VoiceSessions {
  /**
   * @throws ServiceError invalid_request, not_found, quota_exceeded, too_many_sessions,
   *   engine_unavailable, broker_unavailable, stopping
   */
  open(request: VoiceSessionRequest, owner: SessionOwner): Promise<SessionAnswer>;
  /**
   * Exchanges the latest token of a session for a new one; a connection that is still active is
   * dropped. A token that was exchanged before ends the session.
   *
   * @throws ServiceError invalid_request for an unknown token, token_refused, token_reused,
   *   request_timeout, broker_unavailable, stopping
   */
  reconnect(
    token: string,
    caller: Caller | undefined,
    question: ReconnectionQuestion,
  ): Promise<SessionAnswer>;
  /**
   * Spends a token: the session's next connection is the caller's, who must release it.
   *
   * @param page where the connection comes from
   * @throws ServiceError token_refused, broker_unavailable, stopping
   * @throws ForeignPage for a page whose site the account of the session has not allowed; that ends it
   */
  connect(token: string, page: PageOrigin): Promise<SessionConnection>;
  /** The sessions of this process, oldest first. */
  list(): RunningSession[];
  /**
   * Ends a session at once, at whatever server it is; its client gets the reason.
   *
   * @throws ServiceError broker_unavailable where it may go on at another server
   */
  end(sessionId: string): Promise<void>;
  /**
   * Whose a session is that other servers can go on with; null: the demo page's; undefined: there is none.
   *
   * @throws ServiceError broker_unavailable
   */
  accountOf(sessionId: string): Promise<string | null | undefined>;
  /** Ends the sessions of a key that has been deactivated; their clients get the reason. */
  endOfKey(keyId: string): void;
  /** Sessions connected, expected or kept. */
  readonly count: number;
  /** What hearing them takes of this machine. */
  readonly hearing: Hearing;
  readonly isStopping: boolean;
  /** Takes no new sessions, lets running ones conclude, and after `graceMs` ends what still runs. */
  stop(graceMs: number): Promise<void>;
}

/** What a client says with a token. */
export interface ReconnectionQuestion {
  /** Of the messages it has; what came after it will be sent again. */
  lastSequence: number | undefined;
  /** Aborted when it does not wait for the answer any more. */
  gone: AbortSignal;
}

/** A session that may be. */
interface WantedSession {
  id: string;
  body: VoiceSessionRequest;
  request: CheckedVoiceRequest;
  room: SessionRoom | undefined;
}

export function createVoiceSessions(options: VoiceSessionsOptions): VoiceSessions {
  return new SessionDesk(options);
}

class SessionDesk implements VoiceSessions {
  readonly #options: VoiceSessionsOptions;
  readonly #live = new LiveSessions();
  readonly #admission: Admission;
  /** Bills of sessions that are over. */
  readonly #charges: SpeechCharges;
  readonly #settling = new Set<Promise<void>>();
  readonly #cluster: SessionCluster | undefined;
  #isStopping = false;

  constructor(options: VoiceSessionsOptions) {
    this.#options = options;
    this.#charges = createSpeechCharges(options);
    this.#admission = createAdmission({
      processors: os.availableParallelism(),
      share: options.loadShare,
    });
    options.measures.watchHearing(() => this.hearing);
    const { cluster, log, tokenTtlMs, resumeMs } = options;
    this.#cluster =
      cluster &&
      new SessionCluster({
        ...cluster,
        log,
        keptMs: Math.max(tokenTtlMs, resumeMs) + KEPT_BESIDES_MS,
        find: (id) => this.#live.find(id),
        adopt: (taken) => this.#adopt(taken),
        onRemoved: (id, record) => this.#forget(id, record && keyIdOf(record)),
        onLeft: (id) => this.#letGo(id),
      });
  }

  list(): RunningSession[] {
    return this.#live.list();
  }

  end(sessionId: string): Promise<void> {
    return this.#endAnywhere(sessionId, new ServiceError('session_ended', ENDED));
  }

  async #endAnywhere(sessionId: string, reason: ServiceError): Promise<void> {
    const session = this.#live.find(sessionId);
    if (session !== undefined) session.end(reason);
    else await this.#cluster?.end(sessionId, reason);
  }

  async accountOf(sessionId: string): Promise<string | null | undefined> {
    return this.#cluster?.accountOf(sessionId);
  }

  endOfKey(keyId: string): void {
    for (const session of this.#live.list()) {
      if (session.origin.key?.keyId === keyId) session.end(keyDeactivated());
    }
  }

  get count(): number {
    return this.#live.count;
  }

  get hearing(): Hearing {
    return this.#admission.describe(this.#heard());
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  async open(body: VoiceSessionRequest, owner: SessionOwner): Promise<SessionAnswer> {
    if (this.#isStopping) throw stopping();
    const { checkRequest, findRoom, seats, usageMeter } = this.#options;
    const { caller, tag } = owner;
    const keyId = caller?.key.keyId ?? '';
    seats.refuseBeyondLimits(keyId);
    const room = body.room_id === undefined ? undefined : await findRoom(body.room_id, caller);
    const request = await checkRequest(body, caller);
    this.#admit(request);
    if (caller !== undefined) await usageMeter.chargeSpeech({ caller, speechMs: 0, tag });
    const id = randomUUID();
    await seats.take(id, keyId);
    try {
      return { session_id: id, token: await this.#openSeated({ id, body, request, room }, owner) };
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  /** Opens a session that has a seat; answers its first token. */
  async #openSeated(wanted: WantedSession, owner: SessionOwner): Promise<string> {
    const { tokens, tokenTtlMs } = this.#options;
    const { id, request } = wanted;
    const accountId = owner.caller?.account.accountId ?? null;
    const token = await tokens.issue({ sessionId: id, accountId }, tokenTtlMs);
    // Others may have come while we waited, or the end of the server.
    const recogniser = this.#admit(request);
    if (this.#isStopping) throw stopping();
    const openedAtMs = Date.now();
    const journal = this.#journalOf(wanted, owner, openedAtMs);
    await journal?.open();
    const session = this.#makeSession(
      wanted,
      owner,
      {
        key: owner.caller?.key,
        openedAtMs,
        sourceLanguage: request.path.source.requested,
        recogniser,
      },
      { journal },
    );
    this.#live.add(session);
    request.prepare();
    return token;
  }

  #journalOf(
    { id, body, request }: WantedSession,
    { caller, tag }: SessionOwner,
    openedAtMs: number,
  ): SessionJournal | undefined {
    const key = caller && { keyId: caller.key.keyId, accountId: caller.account.accountId };
    const record = { request: body, ...(key && { key }), tag, openedAtMs, hasBegun: false };
    return this.#cluster?.journal(id, record, request.manner.format.container === 'pcm');
  }

  /** Goes on with a session of another server. */
  async #adopt({ id, caller, record, kept, journal }: TakenSession): Promise<RunningSession> {
    const { checkRequest, findRoom, seats, tokens } = this.#options;
    const { request: body, tag, openedAtMs } = journal.record;
    const room = body.room_id === undefined ? undefined : await findRoom(body.room_id, caller);
    const request = await checkRunning(checkRequest, body, caller);
    await tokens.adopt(id);
    // It stays where another server can take it.
    if (this.#isStopping) {
      tokens.handOver(id);
      throw stopping();
    }
    seats.adopt(id, keyIdOf(record));
    const [recogniser] = request.path.recognisers;
    const session = this.#makeSession(
      { id, body, request, room },
      { caller, tag },
      {
        key: caller?.key,
        openedAtMs,
        sourceLanguage: request.path.source.requested,
        recogniser,
      },
      { journal, resumed: record.hasBegun ? kept : undefined },
    );
    this.#live.add(session);
    request.prepare();
    return session;
  }

  /**
   * The session of a token, at this server from now on.
   *
   * @throws ServiceError broker_unavailable; why the session cannot go on; the refusal, where nobody has it
   */
  async #bring(token: string, refusal: ServiceError): Promise<void> {
    if (this.#cluster === undefined) return;
    const sessionId = await this.#options.tokens.sessionOf(token);
    if (sessionId === undefined || this.#live.find(sessionId)?.isOwned === true) return;
    const session = await this.#cluster.take(sessionId);
    // Before its token is changed, which is good for it wherever it turns up.
    if (session === undefined) throw await this.#unknown(refusal, sessionId);
  }

  /** A session that was this server's a moment ago: another may have asked for it meanwhile. */
  async #find(sessionId: string): Promise<RunningSession | undefined> {
    const session = this.#live.find(sessionId);
    // Of one that is not ours nothing could be written, nor told.
    return session?.isOwned === true ? session : this.#cluster?.take(sessionId);
  }

  /** Nobody has it; where the broker has just lost what it had, whoever has may not have said so again. */
  async #unknown(refusal: ServiceError, sessionId?: string): Promise<ServiceError> {
    const isWhole = (await this.#cluster?.isWhole()) ?? true;
    if (!isWhole) return new ServiceError('broker_unavailable', NOT_YET_KNOWN);
    // It was over before its tokens were written again, by a server that was cut off or stood still.
    if (sessionId !== undefined) this.#options.tokens.revoke(sessionId).catch(() => undefined);
    return refusal;
  }

  /** Its tokens run out where the broker is not told. */
  #forget(sessionId: string, keyId?: string): void {
    this.#options.seats.leave(sessionId, keyId);
    this.#options.tokens.revoke(sessionId).catch(() => undefined);
  }

  /** Its seat and its tokens are another server's. */
  #letGo(sessionId: string): void {
    this.#options.seats.handOver(sessionId);
    this.#options.tokens.handOver(sessionId);
  }

  async reconnect(
    token: string,
    caller: Caller | undefined,
    { lastSequence, gone }: ReconnectionQuestion,
  ): Promise<SessionAnswer> {
    if (this.#isStopping) throw stopping();
    const { tokens, tokenTtlMs: ttlMs } = this.#options;
    const accountId = caller?.account.accountId ?? null;
    await this.#bring(token, unknown());
    // Another server may have answered meanwhile: nobody is to take that back but its client.
    if (gone.aborted) throw new ServiceError('request_timeout', GIVEN_UP);
    // A client that says what it has may ask again when the answer was lost; the others' contract
    // knows no such mercy.
    const mayRepeat = lastSequence !== undefined;
    const rotation = await tokens.rotate(token, accountId, { ttlMs, mayRepeat });
    if (rotation.outcome === 'outdated') throw await this.#endReused(rotation.sessionId);
    if (rotation.outcome === 'refused') throw await this.#unknown(unknown());
    const session = await this.#find(rotation.sessionId);
    if (session === undefined) throw await this.#unknown(unknown(), rotation.sessionId);
    session.awaitReconnection(ttlMs, lastSequence);
    return { session_id: session.id, token: rotation.token, ...session.received };
  }

  async connect(token: string, page: PageOrigin): Promise<SessionConnection> {
    if (this.#isStopping) throw stopping();
    await this.#bring(token, refused());
    const spending = await this.#options.tokens.spend(token);
    if (spending.outcome === 'reused') throw await this.#endReused(spending.sessionId);
    if (spending.outcome === 'refused') throw await this.#unknown(refused());
    const session = await this.#find(spending.sessionId);
    if (session === undefined) throw await this.#unknown(refused(), spending.sessionId);
    if (session.mayConnect(page)) return session.connect();
    const refusal = new ForeignPage(page, session.messageFormat);
    this.#options.log.warn({ sessionId: session.id, origin: page.origin }, refusal.message);
    // Nobody else has its token: the page would ask for another session.
    session.end(refusal);
    throw refusal;
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const beganAtMs = performance.now();
    // Those that nobody can go on with end as they do without other servers.
    await this.#cluster?.leave(this.#live.list(), graceMs);
    await this.#live.drain(graceMs - (performance.now() - beganAtMs), stopping);
    await Promise.all(this.#settling);
  }

  /** The recogniser that is likeliest to hear a session, which it has room for. */
  #admit({ path: { recognisers } }: CheckedVoiceRequest): RecognitionEngine | undefined {
    const [recogniser] = recognisers;
    if (recogniser === undefined || this.#admission.hasRoom(recogniser, this.#heard())) {
      return recogniser;
    }
    this.#options.measures.sessionRefused();
    throw tooMany('This server hears as many people as its machine can follow.');
  }

  #heard(): HeardSession[] {
    const nowMs = Date.now();
    return this.#live.list().flatMap(({ condition, origin }) => {
      const { recogniser, openedAtMs } = origin;
      return recogniser === undefined ? [] : [{ recogniser, ageMs: nowMs - openedAtMs, condition }];
    });
  }

  #makeSession(
    { id, body, request, room }: WantedSession,
    { caller, tag }: SessionOwner,
    origin: SessionOrigin,
    { journal, resumed }: Pick<RunningSessionOptions, 'journal' | 'resumed'>,
  ): RunningSession {
    const { path, measures, log, publicUrl } = this.#options;
    const { maxLagMs, resumeMs, checkRequest } = this.#options;
    // Its audio comes when its client has connected, which takes a moment.
    path.decoders.prepare(request.manner.format);
    const charge =
      caller &&
      this.#charges.open({
        caller,
        tag,
        onRefused: (error) => this.#live.find(id)?.end(error),
      });
    return new RunningSession(
      {
        id,
        origin,
        measures,
        maxLagMs,
        resumeMs,
        ...request.manner,
        terms: {
          request: body,
          path: request.path,
          check: (changed) =>
            checkRequest(changed, caller).catch((error: unknown) => {
              const err = error instanceof ServiceError ? error.cause : error;
              if (err !== undefined) log.warn({ sessionId: id, err }, 'an update was not checked');
              throw error;
            }),
        },
        onAudio: (durationMs) => charge?.add(durationMs),
        mayConnect: (page) => mayConnect(page, caller?.account.origins ?? [], publicUrl),
        run: (input) => voicePipeline({ ...path, ...request.path, ...input }),
        room,
        ...{ journal, resumed },
        onOver: () => {
          this.#live.remove(id);
          // It may have been another server's for a while: then that has its seat and its tokens.
          if (journal === undefined) this.#forget(id);
          else this.#settle(this.#cluster?.over(id, journal));
          this.#settle(charge?.settle());
        },
        onGone: () => {
          this.#live.remove(id);
          this.#letGo(id);
          this.#settle(charge?.settle());
        },
      },
      this.#options.tokenTtlMs,
    );
  }

  /** A stop waits for it. */
  #settle(work: Promise<void> | undefined): void {
    const settled = work?.finally(() => this.#settling.delete(settled ?? work));
    if (settled !== undefined) this.#settling.add(settled);
  }

  /**
   * Ends a session one of whose old tokens was used.
   *
   * @throws ServiceError broker_unavailable where it may go on: the token shows it again
   */
  async #endReused(sessionId: string): Promise<ServiceError> {
    await this.#endAnywhere(sessionId, new ServiceError('token_reused', REUSED));
    this.#options.tokens.revoke(sessionId).catch(() => undefined);
    this.#options.log.warn({ sessionId }, 'an old session token was used: session ended');
    return refused();
  }
}

/** Those of the demo page have none. */
const keyIdOf = ({ key }: SessionRecord): string => key?.keyId ?? '';

const REUSED = 'A token of this session was used a second time, so the session has been ended.';
const ENDED = 'The session was ended in the console.';
const GIVEN_UP = 'Nobody waits for the answer any more.';
const NOT_YET_KNOWN =
  'It is not known yet whether some server has this session. Please try again in a moment.';

const refused = () =>
  new ServiceError(
    'token_refused',
    'The token is unknown, expired or already used. Request a new session.',
  );

const unknown = () =>
  new ServiceError(
    'invalid_request',
    "Value for 'token' not supported: no session of yours has it. Request a new one.",
  );

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Try again in a moment.');
}
