import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList } from 'node:net';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsOptions {
  metrics: Pick<Metrics, 'render'>;
  /** Who sends it as `Authorization: Bearer KEY` may read; without one, only this machine may. */
  metricsKey: string | undefined;
  /** Set where the server stands behind a proxy; then every request seems to be this machine's. */
  publicUrl: string | undefined;
  trustProxy: boolean;
}

export const metricsRoutes: FastifyPluginAsyncTypebox<MetricsOptions> = async (
  app,
  { metrics, metricsKey, publicUrl, trustProxy },
) => {
  const isBehindProxy = trustProxy || publicUrl !== undefined;
  const admit =
    metricsKey === undefined ? requireThisMachine(isBehindProxy) : requireBearer(metricsKey);
  app.get(
    '/metrics',
    {
      onRequest: async (request) => admit(request),
      schema: {
        summary: 'Measurements, as Prometheus reads them',
        description:
          'With METRICS_KEY as a bearer token; where none is set, only from the machine of the server and not through a proxy.',
        tags: ['operation'],
        response: {
          200: { content: { 'text/plain': { schema: Type.String() } } },
          '4xx': Problem,
        },
      },
    },
    async (_request, reply) => {
      const { contentType, text } = await metrics.render();
      return reply.type(contentType).header('Cache-Control', 'no-store').send(text);
    },
  );
};

/** @throws ServiceError forbidden */
function requireBearer(key: string) {
  const expected = digest(key);
  return ({ headers }: FastifyRequest): void => {
    const given = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    throw forbidden("Send the header 'Authorization: Bearer KEY' with the key of METRICS_KEY.");
  };
}

/** Of one length, whatever was given: comparing tells nothing of the key. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A proxy on this machine speaks for anybody, and says so in one of these. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** @throws ServiceError forbidden */
function requireThisMachine(isBehindProxy: boolean) {
  return ({ raw, headers }: FastifyRequest): void => {
    // Not `request.ip`: with a trusted proxy that is whatever the headers say.
    const { remoteAddress, remoteFamily } = raw.socket;
    const family = remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4';
    const isLocal = remoteAddress !== undefined && loopback.check(remoteAddress, family);
    const isProxied = isBehindProxy || proxyHeaders.some((name) => headers[name] !== undefined);
    if (isLocal && !isProxied) return;
    throw forbidden(
      'The metrics are for this machine alone. Set METRICS_KEY to read them from elsewhere.',
    );
  };
}

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}
