/** The HTTP edge: what all routes share. */
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { useDoors, type Access, type PageRoutes, type KnowsOrigin } from './door.ts';
import { useCrossOriginCalls } from './cross-origin.ts';
import { answerError, clientError, useNotFound } from './errors.ts';
import { useForms } from './forms.ts';
import { descriptionRoutes, publishDescriptions } from './descriptions.ts';
import { widgetFolder, widgetRoutes } from './widget.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { answerRaw, newTraceId } from './upgrades.ts';
import { useUploadPace } from './upload-pace.ts';

/** Largest request body, in bytes. */
const BODY_LIMIT_BYTES = 128 * 1024;
/** How long a request may take to arrive: a document of 100 MB comes slowly from a phone, at 50 KB/s say. */
const UPLOAD_LIMIT_MS = 60 * 60_000;

export interface HttpOptions {
  log: Logger;
  /** Whose keys are let in. */
  access: Access;
  /** Of one API key; 0 is without limit. */
  requestsPerMinute: number;
  tls: { cert: Buffer; key: Buffer } | undefined;
  trustProxy: boolean;
  /** Address under which clients reach the server, if it is told. */
  publicUrl: string | undefined;
  /** Whether some account lets the pages of a site call. */
  knowsOrigin: KnowsOrigin;
  /** What the server is for; behind the door of API keys. */
  routes: readonly PageRoutes[];
}

/** Builds the server with all its routes; it does not listen yet. */
export async function createHttpServer(options: HttpOptions) {
  const loggerInstance: FastifyBaseLogger = options.log;
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    // Like any other name we do not know.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    genReqId: newTraceId,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    requestTimeout: UPLOAD_LIMIT_MS,
    frameworkErrors: (error, request, reply) => {
      addSecurityHeaders(request, reply);
      void answerError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerRaw(socket, clientError(error.code), newTraceId()),
    // Node's own refusals have neither a body nor a trace id.
    ...(options.tls === undefined
      ? { http: { requireHostHeader: false } }
      : { https: { ...options.tls, requireHostHeader: false } }),
  });
  app.server.on('checkExpectation', (request, response) => {
    // An expectation we do not know does not keep us from answering.
    app.server.emit('request', request, response);
  });
  app.addHook('onRequest', async (request, reply) => addSecurityHeaders(request, reply));
  useUploadPace(app);
  if (options.log.isLevelEnabled('debug')) logRequests(app);
  app.setErrorHandler(answerError);
  useNotFound(app);
  // Plain text is nothing we read: 415 rather than a puzzled 400.
  app.removeContentTypeParser('text/plain');
  const door = await useDoors(app, options);
  useCrossOriginCalls(app, options.knowsOrigin);
  useForms(app);
  await publishDescriptions(app);
  for (const routes of options.routes) await app.register(routes, { door, widgetFolder });
  await app.register(widgetRoutes);
  await app.register(descriptionRoutes, options);
  return app;
}

function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const fields = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    };
    request.log.debug(fields, 'request');
  });
}
