/** Who a request comes from: a key, and the account it belongs to. */

export type Plan = 'free' | 'pro';

/** What an account may do besides what its plan allows. */
export type Feature = 'admin' | 'detection';

/** Most of what a key or an account may use in a month (UTC); null is without limit, 0 blocks. */
export interface UsageLimits {
  characters: number | null;
  speechMs: number | null;
}

export interface Account {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  limits: UsageLimits;
  /** Origins of the sites whose pages may call the server, `https://example.org`; `*` is any. */
  origins: string[];
  /** Who is told when a limit comes near: e-mail addresses. */
  emails: string[];
  createdAtMs: number;
}

/** A developer key translates; an admin key administers. */
export type KeyKind = 'developer' | 'admin';

/** An API key as it is kept: without its secret. */
export interface ApiKey {
  /** Two GUIDs joined by a colon. */
  keyId: string;
  accountId: string;
  kind: KeyKind;
  label: string;
  /** First and last four characters of the secret without its ending: `dc88****3a2c`. */
  masked: string;
  limits: UsageLimits;
  createdAtMs: number;
  deactivatedAtMs: number | null;
}

/** An active key and its account: who a request comes from. */
export interface Caller {
  key: ApiKey;
  account: Account;
}
