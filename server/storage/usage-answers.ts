/** Entries in batches: how many at once, and what their callers are answered. */
import { ServiceError } from '../../shared/errors.ts';
import type { ChargeOutcome } from './ports.ts';
import type { EntryOutcome } from '../accounts/usage/store.ts';

/** With as many different keys, a statement still has far fewer parameters than either database bears. */
export const MAX_ENTRIES = 500;

/**
 * What the caller of `charge` or `refund` gets.
 *
 * @throws ServiceError not_found when the account has no such key
 */
export function answerOfEntry(outcome: EntryOutcome | undefined): ChargeOutcome | undefined {
  switch (outcome) {
    case 'charged':
    case 'key_limit_reached':
    case 'account_limit_reached':
    case 'key_deactivated':
      return outcome;
    case 'refunded':
      return undefined;
    case 'unknown_key':
      throw new ServiceError('not_found', 'The account has no such API key.');
    case undefined:
      throw new ServiceError('internal', 'A charge was not decided.');
  }
}
