import { ServiceError } from './errors.ts';

/** What ids of the contract look like, in any case. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * An id as it is kept: in lower case.
 *
 * @param name of the parameter that has it
 * @throws ServiceError invalid_request for anything but a UUID
 */
export function checkedUuid(id: string, name: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  throw new ServiceError(
    'invalid_request',
    `Value for '${name}' not supported: it must be a UUID.`,
  );
}
