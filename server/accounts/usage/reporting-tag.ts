/** Custom reporting tags: usage is reported by them. */
import { ServiceError } from '../../../shared/errors.ts';

/** Visible ASCII: no white space, no control characters. */
const TAG = /^[!-~]{1,100}$/;

/**
 * A tag as it is stored: trimmed, in lower case; null when there is none.
 *
 * @throws ServiceError invalid_request for a tag that cannot be one
 */
export function parseReportingTag(text: string | undefined): string | null {
  const tag = text?.trim().toLowerCase() ?? '';
  if (tag === '') return null;
  if (TAG.test(tag)) return tag;
  throw new ServiceError(
    'invalid_request',
    'The reporting tag is not valid: at most 100 ASCII characters, without white space or control characters.',
  );
}
