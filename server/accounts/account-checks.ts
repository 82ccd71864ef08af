/** Rules for what people write when they administer accounts and keys. */
import { ServiceError } from '../../shared/errors.ts';
import { countCodePoints } from '../text/code-points.ts';
import type { UsageLimits } from '../http/door.ts';

const MAX_NAME_LENGTH = 256;

/**
 * A name or label without blanks around it.
 *
 * @param field what it is called in the message
 * @throws ServiceError invalid_request when it is empty, too long, or has control characters
 */
export function checkedName(text: string, field: string): string {
  const name = text.trim();
  const length = countCodePoints(name);
  // Lines and escape sequences would disturb the terminals it is shown on.
  if (length > 0 && length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new ServiceError(
    'invalid_request',
    `Value for '${field}' not supported: 1 to ${MAX_NAME_LENGTH} characters, no control characters.`,
  );
}

/**
 * Limits that can be kept: whole numbers from 0, or null for none.
 *
 * @throws ServiceError invalid_request
 */
export function checkedLimits(limits: Partial<UsageLimits>): Partial<UsageLimits> {
  for (const [name, value] of Object.entries(limits)) {
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new ServiceError(
      'invalid_request',
      `Value for '${name}' not supported: a whole number from 0, or null for no limit.`,
    );
  }
  return limits;
}
