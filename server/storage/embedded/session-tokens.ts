import { createHash, randomBytes } from 'node:crypto';
import type { SessionTokens } from '../ports.ts';

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
