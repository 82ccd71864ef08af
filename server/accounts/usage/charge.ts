/** What is counted: characters of three services, and ms of speech. */
export type UsageKind = 'text' | 'document' | 'write' | 'speech';

/** Something a request used. */
export interface Charge {
  accountId: string;
  keyId: string;
  kind: UsageKind;
  /** Code points, or ms for `speech`. */
  amount: number;
  atMs: number;
  /** Custom reporting tag, already checked. */
  tag: string | null;
}

export type ChargeOutcome =
  | 'charged'
  | 'key_limit_reached'
  | 'account_limit_reached'
  | 'key_deactivated';

/** Amounts by what was used. */
export type UsageTotals = Record<UsageKind, number>;
