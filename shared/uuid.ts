/** The format of ids, and their validation. */
import { ServiceError } from './errors.ts';

/** Format of the ids of the API, in upper or lower case. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns an id in the lower case in which it is stored.
 *
 * @param name of the parameter, for the message
 * @throws ServiceError invalid_request for anything but a UUID
 */
export function checkedUuid(id: string, name: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  throw new ServiceError(
    'invalid_request',
    `Value for '${name}' not supported: it must be a UUID.`,
  );
}
