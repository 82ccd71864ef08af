/** One-time tokens of voice sessions, good at every server of a cluster. */
import { createHash, randomBytes } from 'node:crypto';
import type { Broker } from '../../broker/index.ts';

/** What is kept of the tokens of a session: hashes, and what has become of them. */
interface KeptTokens {
  accountId: string | null;
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

/** Tokens that are remembered of one session, so that an old one is known as such. */
const MAX_REMEMBERED = 200;
/** A token is a secret of so many letters, and the id of its session. */
const SECRET_LENGTH = 43;
const TOKEN = new RegExp(`^[\\w-]{${SECRET_LENGTH}}([\\w-]{1,64})$`);

/**
 * Makes the tokens of sessions over the broker: one record of each session, which is changed if nobody
 * has changed it since it was read. Tokens are remembered until their session is revoked, so that a
 * second use is seen.
 *
 * @param options.rememberMs longest time a session goes on without a new token, in ms
 */
export function createSessionTokens({
  records,
  rememberMs,
  now = Date.now,
}: {
  records: Broker['records'];
  rememberMs: number;
  now?: () => number;
}): SessionTokens {
  /** Others may be quicker: then it is decided anew. */
  async function change<Outcome>(
    token: string,
    decide: (kept: KeptTokens, sessionId: string) => Decision<Outcome>,
  ): Promise<Outcome | { outcome: 'refused' }> {
    const sessionId = TOKEN.exec(token)?.[1];
    if (sessionId === undefined) return { outcome: 'refused' };
    for (;;) {
      const found = await records.read(keyOf(sessionId));
      if (found === undefined) return { outcome: 'refused' };
      const kept = JSON.parse(found.value.toString()) as KeptTokens;
      const { outcome, next } = decide(kept, sessionId);
      if (next === undefined) return outcome;
      const only = { ttlMs: rememberMs, ifVersion: found.version };
      if (await records.write(keyOf(sessionId), JSON.stringify(next), only)) return outcome;
    }
  }

  return {
    async issue({ sessionId, accountId }, ttlMs) {
      const { token, kept } = newToken(sessionId, now() + ttlMs);
      const record: KeptTokens = { accountId, tokens: [kept] };
      await records.write(keyOf(sessionId), JSON.stringify(record), { ttlMs: rememberMs });
      return token;
    },
    spend: (token) =>
      change<TokenSpending>(token, (kept, sessionId) => spent(kept, { token, sessionId }, now())),
    rotate: (token, accountId, { ttlMs, mayRepeat }) =>
      change<TokenRotation>(token, (kept, sessionId) =>
        kept.accountId === accountId
          ? rotated(kept, { token, sessionId }, { expiresAtMs: now() + ttlMs, mayRepeat })
          : { outcome: { outcome: 'refused' } },
      ),
    revoke: (sessionId) => records.remove(keyOf(sessionId)),
  };
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
  const latest = tokens.at(-1);
  const isRepeated = mayRepeat && tokens.at(-2) === found && latest?.isSpent === false;
  if (found !== latest && !isRepeated) return { outcome: { outcome: 'outdated', sessionId } };
  found.isForgiven = mayRepeat;
  // Of two answers to the same question, only the later may be used.
  if (isRepeated) tokens.pop();
  const next = newToken(sessionId, expiresAtMs);
  kept.tokens = [...tokens, next.kept].slice(-MAX_REMEMBERED);
  return { outcome: { outcome: 'rotated', sessionId, token: next.token }, next: kept };
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
   *   connection, given up on the way, arrives late.
   */
  rotate(
    token: string,
    accountId: string | null,
    options: { ttlMs: number; mayRepeat: boolean },
  ): Promise<TokenRotation>;
  /** Makes every token of a session worthless. */
  revoke(sessionId: string): Promise<void>;
}
