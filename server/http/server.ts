/** The HTTP server: everything that all routes share. */
import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { Server as TlsServer } from 'node:tls';
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

/** Largest request body, in bytes; routes may set their own limit. */
const BODY_LIMIT_BYTES = 128 * 1024;
/**
 * Longest time in which a request may arrive, in ms: a 100 MB document from a phone takes long at,
 * say, 50 KB/s.
 */
const UPLOAD_LIMIT_MS = 60 * 60_000;

/** Paths of version 1 that are served as version 2: translation programs still use them. */
const FIRST_VERSION = /^\/v1\/(?:translate|document|usage|languages|glossar(?:ies|y-))/;

/** Files in PEM. */
interface TlsFiles {
  cert: string;
  key: string;
}

interface HttpOptions {
  log: Logger;
  /** Authenticates API keys. */
  access: Access;
  /** Rate limit of each API key; undefined means none. */
  requestLimit: RequestLimit | undefined;
  tls: TlsFiles | undefined;
  trustProxy: boolean;
  /** Address under which clients reach the server, if configured. */
  publicUrl: string | undefined;
  /** Whether any account allows the pages of a site to call. */
  knowsOrigin: KnowsOrigin;
  /** The routes of all parts; they are protected by API keys. */
  routes: readonly PageRoutes[];
}

/** Builds the server with all its routes; it does not listen yet. */
export async function createHttpServer(options: HttpOptions) {
  const loggerInstance: FastifyBaseLogger = options.log;
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Only the nearest proxy is trusted; forwarded values before its own were sent by the client.
    trustProxy: options.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: BODY_LIMIT_BYTES,
    // Dangerous property names are dropped like any unknown name.
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    genReqId: newTraceId,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: ({ url: written = '/' }) => {
      // Clients whose server address ends in a slash send two.
      const url = written.replace(/^\/{2,}/, '/');
      return FIRST_VERSION.test(url) ? `/v2${url.slice('/v1'.length)}` : url;
    },
    requestTimeout: UPLOAD_LIMIT_MS,
    frameworkErrors: (error, request, reply) => {
      addSecurityHeaders(request, reply);
      void answerError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerRaw(socket, clientError(error.code), newTraceId()),
    // Node's own refusals have neither a body nor a trace id.
    ...(options.tls === undefined
      ? { http: { requireHostHeader: false } }
      : { https: { ...readTls(options.tls), requireHostHeader: false } }),
  });
  if (options.tls !== undefined) followCertificate(app.server, options.tls, options.log);
  app.server.on('checkExpectation', (request, response) => {
    // Unknown expectations are ignored and the request is served.
    app.server.emit('request', request, response);
  });
  app.addHook('onRequest', async (request, reply) => {
    // A scheme is the same in capitals.
    const scheme = request.headers['x-forwarded-proto']?.toString();
    if (scheme !== undefined) request.headers['x-forwarded-proto'] = scheme.toLowerCase();
    addSecurityHeaders(request, reply);
  });
  useUploadPace(app);
  if (options.log.isLevelEnabled('debug')) logRequests(app);
  app.setErrorHandler(answerError);
  useNotFound(app);
  // Plain text is never accepted: 415 is clearer than a validation error.
  app.removeContentTypeParser('text/plain');
  const door = await useDoors(app, options);
  useCrossOriginCalls(app, options.knowsOrigin);
  const schemas = compileSchemasOnFirstUse(app);
  useForms(app);
  await publishDescriptions(app, options);
  for (const routes of options.routes) await app.register(routes, { door, widgetFolder });
  await app.register(widgetRoutes);
  await app.register(descriptionRoutes, options);
  return { http: app, schemas };
}

function readTls({ cert, key }: TlsFiles) {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/**
 * Uses a renewed certificate from the next connection on: it may be valid for days only, and a server
 * runs for months. While the new files do not fit together, the former ones stay in use.
 */
function followCertificate(server: Server, files: TlsFiles, log: Logger): void {
  const describe = (file: string) => {
    try {
      // Also changes when the file becomes readable.
      const { ino, size, ctimeMs } = statSync(file);
      return `${ino} ${size} ${ctimeMs}`;
    } catch {
      return 'unreadable';
    }
  };
  const describeBoth = () => `${describe(files.cert)}, ${describe(files.key)}`;
  let known = describeBoth();
  // Before the listener that begins the handshake.
  server.prependListener('connection', () => {
    const current = describeBoth();
    if (current === known) return;
    known = current;
    try {
      if (server instanceof TlsServer) server.setSecureContext(readTls(files));
      log.info('the renewed certificate is in use');
    } catch (err) {
      log.warn({ err }, 'the changed certificate cannot be used: the former one stays in use');
    }
  });
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

/** Paths of the API; no other path is ever opened to pages of other sites. */
const PATHS = ['/v1/*', '/v2/*', '/v3/*'];
/** Time for which browsers may cache a preflight answer, in seconds. */
const MAX_AGE_S = '600';
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'Authorization, Content-Type, Accept, X-Service-Reporting-Tag, X-DeepL-Reporting-Tag';
const READABLE = 'X-Trace-ID, Retry-After, Content-Disposition';

/**
 * Cross-origin calls (CORS, Fetch standard): refused unless the account of the API key lists the
 * site. A preflight request carries no key, so it succeeds if any account allows the site; the
 * actual response is released only by the account's own list.
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

/**
 * Folder of the built widget, `dist/widget`, resolved from the built server as well as from the
 * sources.
 */
const widgetFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/widget' : '../../widget', import.meta.url),
);

/** The caption elements and their worklet, loadable from pages of any site. */
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

/** Closes an HTTP server without cutting off answers, and without waiting for idle connections. */
interface GracefulClose {
  /**
   * Resolves when all requests received so far are answered, or after `graceMs`. Requests that
   * arrive meanwhile are answered, too.
   */
  answered(graceMs: number): Promise<void>;
  /**
   * Closes idle connections at once, busy ones when their answers are sent or after `graceMs`. Must
   * be called after the server has stopped accepting connections.
   */
  endConnections(graceMs: number): void;
}

/** Listens, and returns an address that browsers open: with the name of the host where a certificate is for names. */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<string> {
  const url = new URL(await app.listen({ host, port }));
  const isCertified = url.protocol === 'https:' || host.toLowerCase() === 'localhost';
  if (isCertified && isIP(host) === 0) url.hostname = host;
  // All addresses are none that a browser trusts with a microphone.
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url.origin;
}

/** Tracks unanswered requests; must be called before the server listens. */
export function watchRequests(server: Server): GracefulClose {
  let onAnswered: () => void = () => undefined;
  let isEnding = false;
  /** Requests since the call of `answered()` are counted separately. */
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
      // Node's idle connections do not include unused ones, which browsers open in advance.
      if (before.unanswered + asked.unanswered === 0) server.closeAllConnections();
      else setTimeout(() => server.closeAllConnections(), graceMs).unref();
    },
  };
}
