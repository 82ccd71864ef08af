import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';

const MINUTE_MS = 60_000;
/** Keys whose requests are counted at the same time; the one not seen for longest makes way. */
const MAX_COUNTED_KEYS = 10_000;

/** Counts a request of a known caller. @throws ServiceError too_many_requests, with `Retry-After` set */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Makes a limit on the requests of each API key, counted by this process.
 *
 * @param options.requestsPerMinute 0 is no limit
 * @param options.keyOf whose request it is
 */
export async function createRateLimit(
  app: FastifyInstance,
  options: { requestsPerMinute: number; keyOf: (request: FastifyRequest) => string },
): Promise<RateLimit> {
  const { requestsPerMinute, keyOf } = options;
  if (requestsPerMinute === 0) return async () => undefined;
  await app.register(rateLimit, {
    // Counted once the key is known, and only where one is asked for.
    global: false,
    max: requestsPerMinute,
    timeWindow: MINUTE_MS,
    cache: MAX_COUNTED_KEYS,
    keyGenerator: keyOf,
  });
  const count = app.createRateLimit();
  return async (request, reply) => {
    const result = await count(request);
    if (result.isAllowed || !result.isExceeded) return;
    reply.header('Retry-After', String(Math.max(1, result.ttlInSeconds)));
    throw new ServiceError(
      'too_many_requests',
      `Too many requests: this API key has ${requestsPerMinute} a minute. Try again in ${result.ttlInSeconds} s.`,
    );
  };
}
