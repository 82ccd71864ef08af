import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import type { ApiKey, ApiKeys } from '../storage/ports.ts';

const SCHEME = /^(?:service-auth-key|deepl-auth-key)\s+(\S+)\s*$/i;

/** Makes a Fastify hook that lets only requests with a valid API key through. */
export function requireApiKey(keys: ApiKeys) {
  return async (request: FastifyRequest): Promise<void> => {
    request.apiKey = await authenticate(keys, request.headers.authorization);
  };
}

/** @throws ServiceError forbidden for a missing, malformed or unknown key */
async function authenticate(keys: ApiKeys, header: string | undefined): Promise<ApiKey> {
  const key = SCHEME.exec(header ?? '')?.[1];
  const found = key === undefined ? undefined : await keys.find(key);
  if (found !== undefined) return found;
  throw new ServiceError(
    'forbidden',
    key === undefined
      ? "Authentication is missing. Send the header 'Authorization: Service-Auth-Key YOUR_KEY'."
      : 'The API key is not valid.',
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; null where no key is asked for. */
    apiKey: ApiKey | null;
  }
}
