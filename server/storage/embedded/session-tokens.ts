import { createHash, randomBytes } from 'node:crypto';
import type { SessionTokens } from '../ports.ts';

/**
 * One-time tokens in the memory of one process, where every step is atomic by itself. Only hashes
 * are kept. A spent token is remembered until its session is revoked, so that a second use is seen.
 */
export function createSessionTokens(now: () => number = Date.now): SessionTokens {
  const tokens = new Map<string, { sessionId: string; expiresAtMs: number; spent: boolean }>();
  const hashesOf = new Map<string, string[]>();

  return {
    async issue(sessionId, ttlMs) {
      const token = randomBytes(32).toString('base64url');
      const hash = hashOf(token);
      tokens.set(hash, { sessionId, expiresAtMs: now() + ttlMs, spent: false });
      hashesOf.set(sessionId, [...(hashesOf.get(sessionId) ?? []), hash]);
      return token;
    },
    async spend(token) {
      const found = tokens.get(hashOf(token));
      if (found === undefined) return { outcome: 'refused' };
      const { sessionId } = found;
      if (found.spent) return { outcome: 'reused', sessionId };
      if (found.expiresAtMs <= now()) return { outcome: 'refused' };
      found.spent = true;
      return { outcome: 'spent', sessionId };
    },
    async revoke(sessionId) {
      for (const hash of hashesOf.get(sessionId) ?? []) tokens.delete(hash);
      hashesOf.delete(sessionId);
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
