/** One-time tokens of voice sessions, valid at every server of a cluster. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Broker } from '../../broker/index.ts';

/** The stored tokens of a session: their hashes and states. */
interface KeptTokens {
  accountId: string | null;
  /** Number of changes so far. A server may remember more than the broker, which may have lost the latest. */
  changes: number;
  /** Identifies the last change, so that the server that made it can recognise it. */
  changeId?: string;
  /** Oldest first; only the last one can be exchanged. */
  tokens: KeptToken[];
}

interface KeptToken {
  hash: string;
  expiresAtMs: number;
  isSpent: boolean;
  /** Whether the client that exchanged it may repeat its request; late use of the token is then harmless. */
  isRepeatTolerated: boolean;
}

/** Result of a request about a session's tokens, and the tokens to store if they change. */
interface Decision<Outcome> {
  outcome: Outcome;
  next?: KeptTokens;
}

/** A request about a token. */
interface Question {
  token: string;
  /** Equal for requests that may share an answer. */
  purpose: string;
}

/** A change that the broker may have made without answering; its outcome has not been returned. */
interface UnsettledChange extends Question {
  changeId: string;
  outcome: unknown;
}

/** Most unanswered changes to remember; beyond that, the oldest are forgotten. */
const MAX_UNSETTLED = 1_000;
/** Most tokens to remember per session, so that a second use is recognised. */
const MAX_REMEMBERED = 200;
/** Length of a token's secret part, in characters; the id of the session follows it. */
const SECRET_LENGTH = 43;
const TOKEN = new RegExp(`^[\\w-]{${SECRET_LENGTH}}([\\w-]{1,64})$`);

/**
 * Creates the tokens of sessions on top of the broker, with one record per session that is written by
 * compare-and-swap. Tokens are remembered until their session is revoked, so that a second use is
 * recognised. The issuing server remembers them as well, in case the broker loses its data or returns to
 * an older state.
 *
 * @param options.rememberMs longest time a session runs without a new token, in ms
 */
export function createSessionTokens({
  now = Date.now,
  ...options
}: TokenRecordsOptions & { now?: () => number }): SessionTokens {
  const records = new TokenRecords(options);
  return {
    async issue({ sessionId, accountId }, ttlMs) {
      const { token, kept } = newToken(sessionId, now() + ttlMs);
      await records.add(sessionId, { accountId, changes: 0, tokens: [kept] });
      return token;
    },
    spend: (token) =>
      records.change<TokenSpending>({ token, purpose: 'spend' }, (kept, sessionId) =>
        spent(kept, { token, sessionId }, now()),
      ),
    rotate: (token, accountId, { ttlMs, mayRepeat }) =>
      records.change<TokenRotation>({ token, purpose: `rotate ${accountId}` }, (kept, sessionId) =>
        kept.accountId === accountId
          ? rotated(kept, { token, sessionId }, { expiresAtMs: now() + ttlMs, mayRepeat })
          : { outcome: { outcome: 'refused' } },
      ),
    revoke: (sessionId) => records.remove(sessionId),
    sessionOf: (token) => records.sessionOf(token),
    adopt: (sessionId) => records.adopt(sessionId),
    handOver: (sessionId) => records.handOver(sessionId),
  };
}

interface TokenRecordsOptions {
  broker: Pick<Broker, 'records' | 'onBack'>;
  rememberMs: number;
}

/** Reads and changes the token records of sessions. */
class TokenRecords {
  readonly #records: Broker['records'];
  readonly #ttlMs: number;
  /** Last known record of each session whose tokens this server has issued or adopted. */
  readonly #issued = new Map<string, string>();
  readonly #unsettled = new Map<string, UnsettledChange>();
  /** The last queued change of each session. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor({ broker, rememberMs }: TokenRecordsOptions) {
    this.#records = broker.records;
    this.#ttlMs = rememberMs;
    broker.onBack(() => this.#restoreAll());
  }

  async add(sessionId: string, kept: KeptTokens): Promise<void> {
    const text = JSON.stringify(kept);
    this.#issued.set(sessionId, text);
    await this.#records.write(keyOf(sessionId), text, { ttlMs: this.#ttlMs });
  }

  async sessionOf(token: string): Promise<string | undefined> {
    const sessionId = TOKEN.exec(token)?.[1];
    const found = sessionId === undefined ? undefined : await this.#read(sessionId);
    if (found === undefined) return undefined;
    const { kept } = found;
    const shown = find(kept, token);
    const isOfUse = shown === kept.tokens.at(-1) || isRepeatable(kept, shown);
    return shown !== undefined && isOfUse ? sessionId : undefined;
  }

  async adopt(sessionId: string): Promise<void> {
    const found = await this.#records.read(keyOf(sessionId));
    if (found !== undefined) this.#issued.set(sessionId, found.value.toString());
  }

  handOver(sessionId: string): void {
    this.#issued.delete(sessionId);
  }

  async remove(sessionId: string): Promise<void> {
    this.#issued.delete(sessionId);
    await this.#records.remove(keyOf(sessionId));
  }

  /**
   * Changes a session's tokens, one change at a time. A late request, which would end the session,
   * therefore fails only after earlier requests have their answers.
   */
  change<Outcome>(
    question: Question,
    decide: Decide<Outcome>,
  ): Promise<Outcome | { outcome: 'refused' }> {
    const sessionId = TOKEN.exec(question.token)?.[1];
    if (sessionId === undefined) return Promise.resolve({ outcome: 'refused' });
    const before = this.#turns.get(sessionId) ?? Promise.resolve();
    const turn = before.then(() => this.#changeNow(sessionId, question, decide));
    const done = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(sessionId) === done) this.#turns.delete(sessionId);
      });
    this.#turns.set(sessionId, done);
    return turn;
  }

  /** Decides and writes; decides anew when another server was quicker. */
  async #changeNow<Outcome>(
    sessionId: string,
    question: Question,
    decide: Decide<Outcome>,
  ): Promise<Outcome | { outcome: 'refused' }> {
    for (;;) {
      const found = await this.#read(sessionId);
      if (found === undefined) return { outcome: 'refused' };
      const { kept, condition } = found;
      const settled = this.#settle(kept.changeId, question);
      if (settled !== undefined) {
        this.#remember(sessionId, JSON.stringify(kept));
        return settled.outcome as Outcome;
      }
      const { outcome, next } = decide(kept, sessionId);
      if (next === undefined) return outcome;
      const change = { ...question, changeId: randomUUID(), outcome };
      if (await this.#write(sessionId, { next, condition, change })) return outcome;
    }
  }

  /** Reads the tokens of a session, with the condition under which they may be replaced. */
  async #read(sessionId: string): Promise<FoundTokens | undefined> {
    const found = await this.#records.read(keyOf(sessionId));
    const condition: WriteCondition =
      found === undefined ? { ifAbsent: true } : { ifVersion: found.version };
    const there = found && (JSON.parse(found.value.toString()) as KeptTokens);
    const text = this.#issued.get(sessionId);
    const own = text === undefined ? undefined : (JSON.parse(text) as KeptTokens);
    const isOld = own !== undefined && own.changes > (there?.changes ?? -1);
    const kept = isOld ? own : there;
    return kept && { kept, condition, isOld };
  }

  async #write(
    sessionId: string,
    {
      next,
      condition,
      change,
    }: { next: KeptTokens; condition: WriteCondition; change: UnsettledChange },
  ): Promise<boolean> {
    const { changeId } = change;
    const text = JSON.stringify({ ...next, changes: next.changes + 1, changeId });
    try {
      const only = { ttlMs: this.#ttlMs, ...condition };
      const isWritten = await this.#records.write(keyOf(sessionId), text, only);
      if (isWritten) this.#remember(sessionId, text);
      return isWritten;
    } catch (error) {
      // A repeated request shows whether the write succeeded.
      this.#unsettled.set(changeId, change);
      const [first] = this.#unsettled.keys();
      if (this.#unsettled.size > MAX_UNSETTLED && first !== undefined)
        this.#unsettled.delete(first);
      throw error;
    }
  }

  /** Finds the outcome of an unanswered change that turns out to have been made. */
  #settle(changeId: string | undefined, { token, purpose }: Question): UnsettledChange | undefined {
    const change = changeId === undefined ? undefined : this.#unsettled.get(changeId);
    if (change?.token !== token || change.purpose !== purpose) return undefined;
    this.#unsettled.delete(change.changeId);
    return change;
  }

  #remember(sessionId: string, kept: string): void {
    if (this.#issued.has(sessionId)) this.#issued.set(sessionId, kept);
  }

  #restoreAll(): void {
    for (const sessionId of this.#issued.keys()) {
      this.#restore(sessionId).catch(() => undefined);
    }
  }

  /** Writes back tokens that the broker has lost or holds in an older state. */
  async #restore(sessionId: string): Promise<void> {
    const found = await this.#read(sessionId);
    // The session may have ended in the meantime.
    if (found?.isOld !== true || !this.#issued.has(sessionId)) return;
    const only = { ttlMs: this.#ttlMs, ...found.condition };
    await this.#records.write(keyOf(sessionId), JSON.stringify(found.kept), only);
  }
}

type Decide<Outcome> = (kept: KeptTokens, sessionId: string) => Decision<Outcome>;

type WriteCondition = { ifVersion: string } | { ifAbsent: true };

interface FoundTokens {
  kept: KeptTokens;
  condition: WriteCondition;
  /** Whether the broker has an older state or none. */
  isOld: boolean;
}

/** A token that a client presents, and the id of the session in it. */
interface ShownToken {
  token: string;
  sessionId: string;
}

function spent(
  kept: KeptTokens,
  { token, sessionId }: ShownToken,
  nowMs: number,
): Decision<TokenSpending> {
  const found = find(kept, token);
  if (found === undefined) return { outcome: { outcome: 'refused' } };
  const isLatest = found === kept.tokens.at(-1);
  if (found.isSpent || (!isLatest && !found.isRepeatTolerated)) {
    return { outcome: { outcome: 'reused', sessionId } };
  }
  if (!isLatest || found.expiresAtMs <= nowMs) return { outcome: { outcome: 'refused' } };
  found.isSpent = true;
  return { outcome: { outcome: 'spent', sessionId }, next: kept };
}

function rotated(
  kept: KeptTokens,
  { token, sessionId }: ShownToken,
  { expiresAtMs, mayRepeat }: { expiresAtMs: number; mayRepeat: boolean },
): Decision<TokenRotation> {
  const found = find(kept, token);
  if (found === undefined) return { outcome: { outcome: 'refused' } };
  const { tokens } = kept;
  const isRepeated = mayRepeat && isRepeatable(kept, found);
  if (found !== tokens.at(-1) && !isRepeated) {
    // A request that its client has given up may arrive as late as it takes to fetch a session from
    // another server.
    if (mayRepeat && found.isRepeatTolerated) return { outcome: { outcome: 'refused' } };
    return { outcome: { outcome: 'outdated', sessionId } };
  }
  found.isRepeatTolerated = mayRepeat;
  // Of two answers to the same request, only the later one may be used.
  if (isRepeated) tokens.pop();
  const next = newToken(sessionId, expiresAtMs);
  kept.tokens = [...tokens, next.kept].slice(-MAX_REMEMBERED);
  return { outcome: { outcome: 'rotated', sessionId, token: next.token }, next: kept };
}

/** Whether the answer with the successor of this token may have been lost. */
function isRepeatable({ tokens }: KeptTokens, token: KeptToken | undefined): boolean {
  return tokens.at(-2) === token && tokens.at(-1)?.isSpent === false;
}

function find({ tokens }: KeptTokens, token: string): KeptToken | undefined {
  const hash = hashOf(token);
  return tokens.find((each) => each.hash === hash);
}

function newToken(sessionId: string, expiresAtMs: number): { token: string; kept: KeptToken } {
  const token = randomBytes(32).toString('base64url') + sessionId;
  return {
    token,
    kept: { hash: hashOf(token), expiresAtMs, isSpent: false, isRepeatTolerated: false },
  };
}

function keyOf(sessionId: string): string {
  return `tokens ${sessionId}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Outcome of an attempt to spend a token. */
export type TokenSpending =
  | { outcome: 'spent'; sessionId: string }
  /** The token was spent before: its session must end. */
  | { outcome: 'reused'; sessionId: string }
  | { outcome: 'refused' };

/** Outcome of an attempt to exchange a token for the next one. */
export type TokenRotation =
  | { outcome: 'rotated'; sessionId: string; token: string }
  /** A later token exists: the session must end. */
  | { outcome: 'outdated'; sessionId: string }
  | { outcome: 'refused' };

/**
 * One-time tokens of voice sessions. Every method is atomic over all servers and throws ServiceError
 * broker_unavailable when the broker cannot be reached.
 */
export interface SessionTokens {
  /** Issues the first token of a session; it can be spent once within `ttlMs`. */
  issue(session: { sessionId: string; accountId: string | null }, ttlMs: number): Promise<string>;
  /**
   * Spends a token: of any number of callers with the same token, one gets `spent`. An exchanged token
   * counts as spent.
   */
  spend(token: string): Promise<TokenSpending>;
  /**
   * Exchanges the latest token of a session, spent or not, for a new one; refuses tokens of other
   * accounts.
   *
   * @param mayRepeat also accepts the token before the latest while the latest is unspent, as the answer
   *   that carried it may have been lost. An unspent token exchanged in this way is merely refused when a
   *   connection with it, or an abandoned request, arrives late.
   */
  rotate(
    token: string,
    accountId: string | null,
    options: { ttlMs: number; mayRepeat: boolean },
  ): Promise<TokenRotation>;
  /** Invalidates every token of a session. */
  revoke(sessionId: string): Promise<void>;
  /**
   * Returns the session of a token, on whichever server, if it is the latest token or the one before that
   * may be exchanged once more. Leaves the token unchanged.
   */
  sessionOf(token: string): Promise<string | undefined>;
  /** Remembers the tokens of a session taken over from another server. */
  adopt(sessionId: string): Promise<void>;
  /** Forgets the tokens of a session handed over to another server. */
  handOver(sessionId: string): void;
}
