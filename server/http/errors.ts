/** Turns every failure of an HTTP request into a status and `{"message"}`. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, toHttp, type ErrorCode, invalid } from '../../shared/errors.ts';
import { lingerOverBody } from './upgrades.ts';

const MIB = 1024 * 1024;

const fastifyCodes: Partial<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message:
      'Unsupported content type. Send application/json or application/x-www-form-urlencoded.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'invalid_request', message: 'The JSON body is empty.' },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'invalid_request',
    message: 'The body is not valid JSON.',
  },
};

/** Fastify's error handler for the whole server. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const failure = asServiceError(error, request);
  // Clients poll for `document_not_ready`: it is not a failure.
  const isFailure = failure.status >= 500 && failure.code !== 'document_not_ready';
  const isAbandoned = hasLeft(request) || (reply.raw.destroyed && error.name === 'AbortError');
  if (isAbandoned) request.log.info({ code: failure.code }, 'client left during its request');
  else if (AWAY.has(failure.code)) logAway(failure, request);
  else if (isFailure && isForeseen(failure)) {
    request.log.error({ code: failure.code, reason: failure.message }, 'request failed');
  } else if (isFailure) request.log.error({ err: error.cause ?? error }, 'request failed');
  const isForLater = failure.status === 503 || failure.status === 429;
  if (isForLater && !reply.hasHeader('Retry-After')) reply.header('Retry-After', '5');
  lingerOverBody(request);
  const { status, body } = toHttp(failure);
  return reply.code(status).send(body);
}

/** Whether a message says it all: a refusal that no other error has caused needs no stack trace. */
const isForeseen = ({ code, cause }: ServiceError): boolean =>
  code !== 'internal' && cause === undefined;

/**
 * Outages that affect all requests alike: logged on one line at a limited rate and without a stack
 * trace, which would tell nothing.
 */
const AWAY: ReadonlySet<ErrorCode> = new Set(['storage_unavailable', 'broker_unavailable']);
const SAID_AGAIN_MS = 10_000;
/** Time of the last log entry, by server and code. */
const saidAtMs = new WeakMap<object, Map<ErrorCode, number>>();

function logAway({ code, cause, message }: ServiceError, request: FastifyRequest): void {
  const { server } = request.server;
  const said = saidAtMs.get(server) ?? new Map<ErrorCode, number>();
  saidAtMs.set(server, said);
  const nowMs = performance.now();
  const isNews = nowMs - (said.get(code) ?? -Infinity) >= SAID_AGAIN_MS;
  if (isNews) said.set(code, nowMs);
  const level = isNews ? 'error' : 'debug';
  const reason = cause instanceof Error ? cause.message : message;
  request.log[level]({ code, reason }, 'request failed');
}

/** Converts an error of Node's HTTP parser, given its code. */
export function clientError(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('payload_too_large', 'The headers are too large: at most 16 KiB.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request took too long to arrive.');
  }
  return invalid('The request is not valid HTTP.');
}

/**
 * Installs the handler for unmatched requests: 404, or 405 with `Allow` where the path has other
 * methods. Must be called before the routes are registered.
 */
export function useNotFound(app: FastifyInstance): void {
  const routes: { segments: string[]; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // Preflight requests are answered under any path, so OPTIONS is no method of a route.
    const methods = [method].flat().filter((each) => each !== 'OPTIONS');
    if (methods.length > 0) routes.push({ segments: url.split('/'), methods });
  });
  app.setNotFoundHandler((request, reply) => {
    const segments = (request.url.split('?')[0] ?? '').split('/').map(decoded);
    const found = routes.filter((route) => isAt(segments, route.segments));
    const methods = [...new Set(found.flatMap((route) => route.methods))].sort();
    // The method exists on this path, so its handler has reported that nothing was found.
    if (methods.length === 0 || methods.includes(request.method)) throw notFound();
    reply.header('Allow', methods.join(', '));
    throw new ServiceError(
      'method_not_allowed',
      `${request.method} is not possible here. Possible: ${methods.join(', ')}.`,
    );
  });
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'Not found. GET /openapi.json lists all endpoints.');
}

/** Decodes a path segment as the router does; malformed escapes stay as they are and match no route. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Whether a path matches a route: `:name` matches one segment, `*` the rest. */
function isAt(path: readonly string[], route: readonly string[]): boolean {
  const hasRest = route.at(-1) === '*';
  if (hasRest ? path.length < route.length : path.length !== route.length) return false;
  return route.every(
    (segment, i) => segment === '*' || segment === path[i] || segment.startsWith(':'),
  );
}

/** Whether the client disconnected before its whole request had arrived; that is no server failure. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function asServiceError(error: FastifyError, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = inWords(request.routeOptions.bodyLimit);
    return new ServiceError(
      'payload_too_large',
      `The request body is too large: at most ${limit}.`,
    );
  }
  if (error.validation !== undefined) {
    const isMissing = error.validationContext === 'body' && (request.body ?? null) === null;
    return invalid(isMissing ? NO_BODY : validationMessage(error));
  }
  const known = fastifyCodes[error.code];
  if (known !== undefined) return new ServiceError(known.code, known.message, { cause: error });
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return invalid('The request cannot be read.');
  return new ServiceError('internal', 'Something went wrong on our side. Please try again.', {
    cause: error,
  });
}

const NO_BODY =
  'The request has no body: send its parameters there, as application/json or as a form.';

/** "Parameter 'text' not specified." reads better than a schema path. */
function validationMessage({ validation, validationContext }: FastifyError): string {
  const [problem] = validation ?? [];
  const place = problem?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  const { missingProperty, allowedValues } = (problem?.params ?? {}) as {
    missingProperty?: string;
    allowedValues?: readonly string[];
  };
  if (missingProperty !== undefined) {
    const name = place === '' ? missingProperty : `${place}.${missingProperty}`;
    return `Parameter '${name}' not specified.`;
  }
  if (place === '') return `The ${validationContext ?? 'request'} must be an object.`;
  if (allowedValues !== undefined) {
    return `Value for '${place}' not supported. Possible: ${allowedValues.join(', ')}.`;
  }
  return `Value for '${place}' not supported: it ${problem?.message ?? 'is not valid'}.`;
}

function inWords(sizeBytes: number): string {
  return sizeBytes >= MIB ? `${Math.floor(sizeBytes / MIB)} MiB` : `${sizeBytes / 1024} KiB`;
}
