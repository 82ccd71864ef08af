import { createHash, randomBytes } from 'node:crypto';

interface TokenRecord {
  session: SessionRecord;
  expiresAtMs: number;
  isSpent: boolean;
  /** It was exchanged by a client that may ask again: one that comes late does no harm. */
  isForgiven: boolean;
}

interface SessionRecord {
  sessionId: string;
  accountId: string | null;
  /** Hashes of its tokens; only the last can be exchanged. */
  hashes: string[];
}

/** Tokens that are remembered of one session, so that an old one is known as such. */
const MAX_REMEMBERED = 1000;

/**
 * One-time tokens in the memory of one process, where every step is atomic by itself. Only hashes
 * are kept. Tokens are remembered until their session is revoked, so that a second use is seen.
 */
export function createSessionTokens(now: () => number = Date.now): SessionTokens {
  const tokens = new Map<string, TokenRecord>();
  const sessions = new Map<string, SessionRecord>();

  function makeToken(session: SessionRecord, ttlMs: number): string {
    const token = randomBytes(32).toString('base64url');
    const hash = hashOf(token);
    tokens.set(hash, { session, expiresAtMs: now() + ttlMs, isSpent: false, isForgiven: false });
    session.hashes.push(hash);
    if (session.hashes.length > MAX_REMEMBERED) tokens.delete(session.hashes.shift() as string);
    return token;
  }

  return {
    async issue({ sessionId, accountId }, ttlMs) {
      const session = { sessionId, accountId, hashes: [] };
      sessions.set(sessionId, session);
      return makeToken(session, ttlMs);
    },
    async spend(token) {
      const hash = hashOf(token);
      const found = tokens.get(hash);
      if (found === undefined) return { outcome: 'refused' };
      const { sessionId, hashes } = found.session;
      const isLatest = hashes.at(-1) === hash;
      if (found.isSpent || (!isLatest && !found.isForgiven))
        return { outcome: 'reused', sessionId };
      if (!isLatest || found.expiresAtMs <= now()) return { outcome: 'refused' };
      found.isSpent = true;
      return { outcome: 'spent', sessionId };
    },
    async rotate(token, accountId, { ttlMs, mayRepeat }) {
      const hash = hashOf(token);
      const found = tokens.get(hash);
      const session = found?.session;
      if (session === undefined || session.accountId !== accountId) return { outcome: 'refused' };
      const { sessionId, hashes } = session;
      const latest = hashes.at(-1) ?? '';
      const isRepeated =
        mayRepeat && hashes.at(-2) === hash && tokens.get(latest)?.isSpent === false;
      if (latest !== hash && !isRepeated) return { outcome: 'outdated', sessionId };
      if (found !== undefined) found.isForgiven = mayRepeat;
      // Of two answers to the same question, only the later may be used.
      if (isRepeated) tokens.delete(hashes.pop() as string);
      return { outcome: 'rotated', sessionId, token: makeToken(session, ttlMs) };
    },
    async revoke(sessionId) {
      for (const hash of sessions.get(sessionId)?.hashes ?? []) tokens.delete(hash);
      sessions.delete(sessionId);
    },
  };
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

/** One-time tokens of voice sessions. Every method is atomic. */
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
