/** What the services ask of storage. Adapters live in `embedded/` (one process) and `distributed/`. */

/** What became of an attempt to spend a token. */
export type TokenSpending =
  | { outcome: 'spent'; sessionId: string }
  /** The token was spent before: the session it belonged to must end. */
  | { outcome: 'reused'; sessionId: string }
  | { outcome: 'refused' };

/** One-time tokens of voice sessions. Every method is atomic. */
export interface SessionTokens {
  /** Makes a token of a session; it can be spent once within `ttlMs`. */
  issue(sessionId: string, ttlMs: number): Promise<string>;
  /** Spends a token: of any number of callers with the same token, one gets `spent`. */
  spend(token: string): Promise<TokenSpending>;
  /** Makes every token of a session worthless. */
  revoke(sessionId: string): Promise<void>;
}

/** API keys. */
export interface ApiKeys {
  /** Who a key belongs to, or undefined when nobody has it. */
  find(key: string): Promise<ApiKey | undefined>;
}

export interface ApiKey {
  /** Names the key in logs; never the secret. */
  keyId: string;
}
