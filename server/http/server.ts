/** The HTTP edge: what all routes share. */
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
} from 'fastify';
import type { Logger } from 'pino';
import { descriptionRoutes, publishDescriptions } from './descriptions.ts';
import {
  type Access,
  callerByKey,
  type KnowsOrigin,
  listsOrigin,
  type PageRoutes,
  type RequestLimit,
  useDoors,
} from './door.ts';
import { answerError, clientError, useNotFound } from './errors.ts';
import { useForms, compileSchemasOnFirstUse } from './forms.ts';
import { addSecurityHeaders, answerRaw, newTraceId } from './upgrades.ts';
import { useUploadPace } from './requests.ts';

/** Largest request body, in bytes. */
const BODY_LIMIT_BYTES = 128 * 1024;
/** How long a request may take to arrive: a document of 100 MB comes slowly from a phone, at 50 KB/s say. */
const UPLOAD_LIMIT_MS = 60 * 60_000;

/** The second version goes by its old name, too: programs for translators still call it. */
const FIRST_VERSION = /^\/v1\/(?:translate|document|usage|languages|glossar(?:ies|y-))/;

interface HttpOptions {
  log: Logger;
  /** Whose keys are let in. */
  access: Access;
  /** Of each API key; undefined is without limit. */
  requestLimit: RequestLimit | undefined;
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
    // The nearest proxy says who has called it; what stands before that was sent by the client.
    trustProxy: options.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: BODY_LIMIT_BYTES,
    // Like any other name we do not know.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    genReqId: newTraceId,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: ({ url = '/' }) =>
      FIRST_VERSION.test(url) ? `/v2${url.slice('/v1'.length)}` : url,
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
  const schemas = compileSchemasOnFirstUse(app);
  useForms(app);
  await publishDescriptions(app);
  for (const routes of options.routes) await app.register(routes, { door, widgetFolder });
  await app.register(widgetRoutes);
  await app.register(descriptionRoutes, options);
  return { http: app, schemas };
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

/** Where programs call; nothing else is ever opened to other sites' pages. */
const PATHS = ['/v1/*', '/v2/*', '/v3/*'];
/** How long a browser need not ask again, in seconds. */
const MAX_AGE_S = '600';
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'Authorization, Content-Type, Accept, X-Service-Reporting-Tag, X-DeepL-Reporting-Tag';
const READABLE = 'X-Trace-ID, Retry-After, Content-Disposition';

/**
 * Calls from pages of other sites (CORS, as in the Fetch standard): closed, unless the account whose
 * key is sent has the site on its list. A browser asks before it shows a key; that question has no key,
 * so it is answered by whether anybody allows the site, and the answer itself by the account's own list.
 */
function useCrossOriginCalls(app: FastifyInstance, knowsOrigin: KnowsOrigin): void {
  for (const path of PATHS) {
    app.options(path, { schema: { hide: true } }, async ({ headers: { origin } }, reply) => {
      reply.header('Vary', 'Origin');
      if (origin !== undefined && (await knowsOrigin(origin))) {
        allow(reply, origin);
        reply.header('Access-Control-Allow-Methods', METHODS);
        reply.header('Access-Control-Allow-Headers', HEADERS);
        reply.header('Access-Control-Max-Age', MAX_AGE_S);
      }
      return reply.code(204).send(null);
    });
  }

  app.addHook('onSend', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const account = callerByKey(request)?.account;
    if (account === undefined) return;
    reply.header('Vary', 'Origin');
    if (!listsOrigin(account.origins, origin)) return;
    allow(reply, origin);
    reply.header('Access-Control-Expose-Headers', READABLE);
  });
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin);
  reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
}

/** The built widget: `dist/widget`, from the built server as well as from the sources. */
export const widgetFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/widget' : '../../widget', import.meta.url),
);

/** The caption elements and their worklet, for any page anywhere. */
const widgetRoutes: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, { root: widgetFolder, serve: false });
  for (const file of ['voice-captions.js', 'room-captions.js', 'pcm-capture.worklet.js']) {
    app.get(`/${file}`, { schema: { hide: true } }, async (_request, reply) => {
      // Module scripts and worklets of other origins are loaded with CORS.
      reply.header('Access-Control-Allow-Origin', '*');
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
      return reply.sendFile(file, { cacheControl: true, maxAge: '5m' });
    });
  }
};

/** Closes an HTTP server without cutting answers off, and without waiting for who never asks. */
interface GracefulClose {
  /** Resolves when whoever asked before has an answer, or after `graceMs`; who asks meanwhile has one too. */
  answered(graceMs: number): Promise<void>;
  /**
   * Ends connections that wait for no answer at once, the others when they have it or after
   * `graceMs`. To be called once the server takes no new connections.
   */
  endConnections(graceMs: number): void;
}

/** Counts what is being answered; to be called before the server listens. */
export function watchRequests(server: Server): GracefulClose {
  let onAnswered: () => void = () => undefined;
  let isEnding = false;
  /** What was asked since they were waited for is counted anew. */
  let asked = { unanswered: 0 };
  let before = { unanswered: 0 };
  server.on('request', (_request, response) => {
    const counted = asked;
    counted.unanswered += 1;
    response.once('close', () => {
      counted.unanswered -= 1;
      if (before.unanswered > 0) return;
      onAnswered();
      if (isEnding && asked.unanswered === 0) server.closeAllConnections();
    });
  });
  return {
    async answered(graceMs) {
      [before, asked] = [asked, before];
      if (before.unanswered === 0) return;
      await new Promise<void>((resolve) => {
        onAnswered = resolve;
        setTimeout(resolve, graceMs).unref();
      });
    },
    endConnections(graceMs) {
      isEnding = true;
      // Node counts only connections as idle that have been used: browsers open some ahead.
      if (before.unanswered + asked.unanswered === 0) server.closeAllConnections();
      else setTimeout(() => server.closeAllConnections(), graceMs).unref();
    },
  };
}
