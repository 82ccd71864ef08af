/** How much of a track may be damaged. */
import { ServiceError } from '../../../../shared/errors.ts';

/** Packets in a row: half a second at the usual 20 ms. */
const MAX_FAILURES = 25;

export interface DamageLimit {
  /** @throws ServiceError audio_format_unsupported when too many packets in a row were no good */
  count(wasGood: boolean): void;
}

/** @param codec the name of what was expected */
export function damageLimit(codec: string): DamageLimit {
  let failures = 0;
  return {
    count(wasGood) {
      failures = wasGood ? 0 : failures + 1;
      if (failures <= MAX_FAILURES) return;
      throw new ServiceError(
        'audio_format_unsupported',
        `More than ${MAX_FAILURES} packets in a row could not be decoded; ${codec} was expected.`,
      );
    },
  };
}
