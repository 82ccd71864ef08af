/**
 * The voice sessions of this process from request to end: opening, reconnecting, connecting, moving
 * between servers, and the orderly stop.
 */
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
import { assertHearing, canHear, type StartedRecogniser } from './speakers.ts';
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

/** The codecs, language detection and endpointing settings that all sessions share. */
export type VoicePath = Pick<
  VoicePipelineOptions,
  'decoders' | 'encoders' | 'detectLanguage' | 'endpointing'
>;

export interface VoiceSessionsOptions {
  tokens: SessionTokens;
  /** Limits on concurrent sessions, over all servers and per key. */
  seats: SessionSeats;
  checkRequest: CheckVoiceRequest;
  /** All recognisers of this server. */
  recognisers: readonly StartedRecogniser[];
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
  /** Share of this machine's processors that recognisers may use, 0 to 1; 0 turns admission control off. */
  loadShare: number;
  /**
   * Finds the account's room that a session speaks into.
   *
   * @throws ServiceError not_found
   */
  findRoom: (roomId: string, caller: Caller | undefined) => Promise<SessionRoom>;
  /** Configured public address of this server, if any; pages from this address may always connect. */
  publicUrl: string | undefined;
  /** Access to the other servers, which can resume sessions; undefined for a single server. */
  cluster?: Pick<SessionClusterOptions, 'broker' | 'findCaller'> | undefined;
}

/** How much longer the broker keeps a session than its client may stay away, in ms. */
const KEPT_BESIDES_MS = 30_000;

/** The caller that requests a session; undefined for visitors of the demo page. */
export interface SessionOwner {
  caller: Caller | undefined;
  /** Custom reporting tag. */
  tag: string | null;
}

export type SessionAnswer = Omit<VoiceReconnectedSession, 'streaming_url'>;

/** What a client sends along with its token to reconnect. */
export interface ReconnectionQuestion {
  /** Sequence of the last message the client has; later messages are sent again. */
  lastSequence: number | undefined;
  /** Aborted when the client no longer waits for the answer. */
  gone: AbortSignal;
}

/** A requested session that may still be refused. */
interface WantedSession {
  id: string;
  body: VoiceSessionRequest;
  request: CheckedVoiceRequest;
  room: SessionRoom | undefined;
}

export class VoiceSessions {
  readonly #options: VoiceSessionsOptions;
  readonly #live = new LiveSessions();
  readonly #admission: Admission;
  /** Charges for received audio. */
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
      canHear: () => options.recognisers.length === 0 || options.recognisers.some(canHear),
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

  /** The sessions of this process, oldest first. */
  list(): RunningSession[] {
    return this.#live.list();
  }

  /**
   * Ends a session at once, on whichever server runs it, and tells its client the reason.
   *
   * @throws ServiceError broker_unavailable when the session may still be running on another server
   */
  end(sessionId: string): Promise<void> {
    return this.#endAnywhere(sessionId, new ServiceError('session_ended', ENDED));
  }

  async #endAnywhere(sessionId: string, reason: ServiceError): Promise<void> {
    const session = this.#live.find(sessionId);
    if (session !== undefined) session.end(reason);
    else await this.#cluster?.end(sessionId, reason);
  }

  /**
   * Returns the account of a session that other servers can resume; null for a session of the demo page,
   * undefined for an unknown session.
   *
   * @throws ServiceError broker_unavailable
   */
  async accountOf(sessionId: string): Promise<string | null | undefined> {
    return this.#cluster?.accountOf(sessionId);
  }

  /** Ends the sessions of a deactivated key and tells their clients the reason. */
  endOfKey(keyId: string): void {
    for (const session of this.#live.list()) {
      if (session.origin.key?.keyId === keyId) session.end(keyDeactivated());
    }
  }

  /** Number of sessions that are connected, awaited, or kept for a reconnection. */
  get count(): number {
    return this.#live.count;
  }

  /** Load of the recognisers on this machine. */
  get hearing(): Hearing {
    return this.#admission.describe(this.#heard());
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Opens a session and issues its first token.
   *
   * @throws ServiceError invalid_request, not_found, quota_exceeded, too_many_sessions,
   *   engine_unavailable, broker_unavailable, stopping
   */
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

  /** Opens a session that already holds a seat; returns its first token. */
  async #openSeated(wanted: WantedSession, owner: SessionOwner): Promise<string> {
    const { tokens, tokenTtlMs } = this.#options;
    const { id, request } = wanted;
    const accountId = owner.caller?.account.accountId ?? null;
    const token = await tokens.issue({ sessionId: id, accountId }, tokenTtlMs);
    // While the token was issued, other sessions may have opened or the server may have begun to stop.
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

  /** Resumes a session of another server on this one. */
  async #adopt({ id, caller, record, kept, journal }: TakenSession): Promise<RunningSession> {
    const { checkRequest, findRoom, seats, tokens } = this.#options;
    const { request: body, tag, openedAtMs } = journal.record;
    const room = body.room_id === undefined ? undefined : await findRoom(body.room_id, caller);
    const request = await checkRunning(checkRequest, body, caller);
    await tokens.adopt(id);
    // The session stays with the broker, so that another server can take it.
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
   * Brings the session of a token to this server, if another server owns it.
   *
   * @throws ServiceError broker_unavailable; the reason why the session cannot be resumed; `refusal` when
   *   no server has the session
   */
  async #bring(token: string, refusal: ServiceError): Promise<void> {
    if (this.#cluster === undefined) return;
    const sessionId = await this.#options.tokens.sessionOf(token);
    if (sessionId === undefined || this.#live.find(sessionId)?.isOwned === true) return;
    const session = await this.#cluster.take(sessionId);
    // Checked before the token changes: the token is good at whichever server the session turns up.
    if (session === undefined) throw await this.#unknown(refusal, sessionId);
  }

  /** Finds a session that this server owned a moment ago; another server may have taken it since. */
  async #find(sessionId: string): Promise<RunningSession | undefined> {
    const session = this.#live.find(sessionId);
    // Without the lease, this server can neither write to the session's journal nor send its messages.
    return session?.isOwned === true ? session : this.#cluster?.take(sessionId);
  }

  /**
   * Returns the error for a session that no server has. When the broker has just lost its data, the owner
   * may not have restored the session yet; then the client is asked to try again.
   */
  async #unknown(refusal: ServiceError, sessionId?: string): Promise<ServiceError> {
    const isWhole = (await this.#cluster?.isWhole()) ?? true;
    if (!isWhole) return new ServiceError('broker_unavailable', NOT_YET_KNOWN);
    // The session had ended before a server that was cut off or had stalled restored its tokens.
    if (sessionId !== undefined) this.#options.tokens.revoke(sessionId).catch(() => undefined);
    return refusal;
  }

  /** Frees a session's seat and tokens. While the broker is unreachable, its tokens simply expire. */
  #forget(sessionId: string, keyId?: string): void {
    this.#options.seats.leave(sessionId, keyId);
    this.#options.tokens.revoke(sessionId).catch(() => undefined);
  }

  /** Leaves a session's seat and tokens to the server that has taken it. */
  #letGo(sessionId: string): void {
    this.#options.seats.handOver(sessionId);
    this.#options.tokens.handOver(sessionId);
  }

  /**
   * Exchanges the latest token of a session for a new one and drops a connection that is still active. A
   * token that was exchanged before ends the session.
   *
   * @throws ServiceError invalid_request for an unknown token, token_refused, token_reused,
   *   request_timeout, broker_unavailable, stopping
   */
  async reconnect(
    token: string,
    caller: Caller | undefined,
    { lastSequence, gone }: ReconnectionQuestion,
  ): Promise<SessionAnswer> {
    if (this.#isStopping) throw stopping();
    const { tokens, tokenTtlMs: ttlMs } = this.#options;
    const accountId = caller?.account.accountId ?? null;
    await this.#bring(token, unknown());
    // Another server may have answered by now; only the client itself may take the session back from
    // there.
    if (gone.aborted) throw new ServiceError('request_timeout', GIVEN_UP);
    // A client that reports its last sequence may ask again after a lost answer. The contract of other
    // clients does not allow that.
    const mayRepeat = lastSequence !== undefined;
    const rotation = await tokens.rotate(token, accountId, { ttlMs, mayRepeat });
    if (rotation.outcome === 'outdated') throw await this.#endReused(rotation.sessionId);
    if (rotation.outcome === 'refused') throw await this.#unknown(unknown());
    const session = await this.#find(rotation.sessionId);
    if (session === undefined) throw await this.#unknown(unknown(), rotation.sessionId);
    session.awaitReconnection(ttlMs, lastSequence);
    return { session_id: session.id, token: rotation.token, ...session.received };
  }

  /**
   * Spends a token and returns the session's next connection, which the caller must release.
   *
   * @param page origin of the connection
   * @throws ServiceError token_refused, broker_unavailable, stopping
   * @throws ForeignPage for a page of a site that the session's account has not allowed; the session ends
   */
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
    // The page alone has the token; it would have to request another session.
    session.end(refusal);
    throw refusal;
  }

  /** Refuses new sessions, lets running ones conclude, and ends the rest after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const beganAtMs = performance.now();
    // Sessions that no other server can take are drained, as on a single server.
    await this.#cluster?.leave(this.#live.list(), graceMs);
    await this.#live.drain(graceMs - (performance.now() - beganAtMs), stopping);
    await Promise.all(this.#settling);
  }

  /**
   * Returns a session's likeliest recogniser.
   *
   * @throws ServiceError too_many_sessions when it is full; recognition_failed when none can hear at present
   */
  #admit({ path: { recognisers } }: CheckedVoiceRequest): RecognitionEngine | undefined {
    const [recogniser] = recognisers;
    assertHearing(recognisers);
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
    // Starting a decoder takes a moment, and audio arrives as soon as the client has connected.
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
              if (err !== undefined)
                log.warn({ sessionId: id, err }, 'a session_update could not be checked');
              throw error;
            }),
        },
        charge,
        mayConnect: (page) => mayConnect(page, caller?.account.origins ?? [], publicUrl),
        run: (input) => voicePipeline({ ...path, ...request.path, ...input }),
        room,
        ...{ journal, resumed },
        onOver: () => {
          this.#live.remove(id);
          // Another server may have owned the session for a while and may then hold its seat and tokens.
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

  /** Makes {@link stop} wait for this work. */
  #settle(work: Promise<void> | undefined): void {
    const settled = work?.finally(() => this.#settling.delete(settled ?? work));
    if (settled !== undefined) this.#settling.add(settled);
  }

  /**
   * Ends a session after a second use of one of its tokens; returns the error for the caller.
   *
   * @throws ServiceError broker_unavailable when the session may run on; the next use of the token ends
   *   it then
   */
  async #endReused(sessionId: string): Promise<ServiceError> {
    await this.#endAnywhere(sessionId, new ServiceError('token_reused', REUSED));
    this.#options.tokens.revoke(sessionId).catch(() => undefined);
    this.#options.log.warn({ sessionId }, 'an old session token was used: session ended');
    return refused();
  }
}

/** Key of a session; empty for sessions of the demo page. */
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
