/** One-time tokens of voice sessions, good at every server of a cluster. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Broker } from '../../broker/index.ts';

/** What is kept of the tokens of a session: hashes, and what has become of them. */
interface KeptTokens {
  accountId: string | null;
  /** How often they were changed: what the broker has may be older than what a server remembers. */
  changes: number;
  /** Of the last change, by which whoever made it knows it again. */
  changeId?: string;
  /** Oldest first; only the last can be exchanged. */
  tokens: KeptToken[];
}

interface KeptToken {
  hash: string;
  expiresAtMs: number;
  isSpent: boolean;
  /** It was exchanged by a client that may ask again: one that comes late does no harm. */
  isForgiven: boolean;
}

/** What is done with the tokens of a session, and how they are kept from then on, if that is new. */
interface Decision<Outcome> {
  outcome: Outcome;
  next?: KeptTokens;
}

/** What is asked of a token. */
interface Question {
  token: string;
  /** The same for those who ask the same. */
  purpose: string;
}

/** A change that may have been made: nobody has been told so. */
interface UnsettledChange extends Question {
  changeId: string;
  outcome: unknown;
}

/** Changes that got no answer; of more, the first are forgotten. */
const MAX_UNSETTLED = 1_000;
/** Tokens that are remembered of one session, so that an old one is known as such. */
const MAX_REMEMBERED = 200;
/** A token is a secret of so many letters, and the id of its session. */
const SECRET_LENGTH = 43;
const TOKEN = new RegExp(`^[\\w-]{${SECRET_LENGTH}}([\\w-]{1,64})$`);

/**
 * Makes the tokens of sessions over the broker: one record of each session, which is changed if nobody
 * has changed it since it was read. Tokens are remembered until their session is revoked, so that a
 * second use is seen; by the server that has made them also where the broker loses them, or has them as
 * they once were.
 *
 * @param options.rememberMs longest time a session goes on without a new token, in ms
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

/** The records of sessions, as this server changes them. */
class TokenRecords {
  readonly #records: Broker['records'];
  readonly #ttlMs: number;
  /** What this server has kept last of the sessions whose tokens it has issued. */
  readonly #issued = new Map<string, string>();
  readonly #unsettled = new Map<string, UnsettledChange>();
  /** Of each session that is being changed, the last change that waits. */
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
   * Of each session one at a time, so that whoever is late does not learn it before those in time have
   * learned theirs: it ends the session.
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

  /** Other servers may be quicker: then it is decided anew. */
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

  /** What is kept of a session, and what must hold for it to be replaced. */
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
      // Whether it was written is seen when the same is asked again.
      this.#unsettled.set(changeId, change);
      const [first] = this.#unsettled.keys();
      if (this.#unsettled.size > MAX_UNSETTLED && first !== undefined)
        this.#unsettled.delete(first);
      throw error;
    }
  }

  /** What was decided with a change that got no answer, and turns out to have been made. */
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

  /** Writes what the broker has lost, or has as it once was. */
  async #restore(sessionId: string): Promise<void> {
    const found = await this.#read(sessionId);
    // It may be over by now.
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
  /** What the broker has is older than that, or nothing. */
  isOld: boolean;
}

/** A token that somebody has shown, and the session it says it is of. */
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
  if (found.isSpent || (!isLatest && !found.isForgiven)) {
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
    // A question that its client gave up may be late by as long as it takes to get a session from another server.
    if (mayRepeat && found.isForgiven) return { outcome: { outcome: 'refused' } };
    return { outcome: { outcome: 'outdated', sessionId } };
  }
  found.isForgiven = mayRepeat;
  // Of two answers to the same question, only the later may be used.
  if (isRepeated) tokens.pop();
  const next = newToken(sessionId, expiresAtMs);
  kept.tokens = [...tokens, next.kept].slice(-MAX_REMEMBERED);
  return { outcome: { outcome: 'rotated', sessionId, token: next.token }, next: kept };
}

/** Whether the token that it was exchanged for may have reached nobody. */
function isRepeatable({ tokens }: KeptTokens, token: KeptToken | undefined): boolean {
  return tokens.at(-2) === token && tokens.at(-1)?.isSpent === false;
}

function find({ tokens }: KeptTokens, token: string): KeptToken | undefined {
  const hash = hashOf(token);
  return tokens.find((each) => each.hash === hash);
}

function newToken(sessionId: string, expiresAtMs: number): { token: string; kept: KeptToken } {
  const token = randomBytes(32).toString('base64url') + sessionId;
  return { token, kept: { hash: hashOf(token), expiresAtMs, isSpent: false, isForgiven: false } };
}

function keyOf(sessionId: string): string {
  return `tokens ${sessionId}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** What became of an attempt to spend a token. */
export type TokenSpending =
  | { outcome: 'spent'; sessionId: string }
  /** The token was spent before: the session it belonged to must end. */
  | { outcome: 'reused'; sessionId: string }
  | { outcome: 'refused' };

/** What became of an attempt to exchange a token for the next one. */
export type TokenRotation =
  | { outcome: 'rotated'; sessionId: string; token: string }
  /** A later token had been made: the session it belonged to must end. */
  | { outcome: 'outdated'; sessionId: string }
  | { outcome: 'refused' };

/**
 * One-time tokens of voice sessions. Every method is atomic, whichever server it is asked at, and throws
 * ServiceError broker_unavailable when what the servers share cannot be reached.
 */
export interface SessionTokens {
  /** Makes the first token of a session; it can be spent once within `ttlMs`. */
  issue(session: { sessionId: string; accountId: string | null }, ttlMs: number): Promise<string>;
  /**
   * Spends a token: of any number of callers with the same token, one gets `spent`. A token that was
   * exchanged is as good as spent.
   */
  spend(token: string): Promise<TokenSpending>;
  /**
   * Exchanges the latest token of a session, spent or not, for a new one; others' are refused.
   *
   * @param mayRepeat takes the token before the latest as well while that was not spent: the answer
   *   that brought it may have been lost. An unspent token exchanged so is merely refused when its
   *   connection, or the question itself, given up on the way, arrives late.
   */
  rotate(
    token: string,
    accountId: string | null,
    options: { ttlMs: number; mayRepeat: boolean },
  ): Promise<TokenRotation>;
  /** Makes every token of a session worthless. */
  revoke(sessionId: string): Promise<void>;
  /**
   * The session whose latest token it is, or whose token before that may be exchanged once more,
   * wherever that session is; nothing happens to the token.
   */
  sessionOf(token: string): Promise<string | undefined>;
  /** A session comes from another server: its tokens are remembered here. */
  adopt(sessionId: string): Promise<void>;
  /** A session goes to another server, which remembers its tokens. */
  handOver(sessionId: string): void;
}
