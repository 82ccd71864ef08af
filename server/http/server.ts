/** The HTTP edge: what all routes share. */
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { apiKeyDoor, useAuthentication } from './auth.ts';
import { useCrossOriginCalls } from './cross-origin.ts';
import { answerError, clientError, useNotFound } from './errors.ts';
import { useFormBodies } from './form-body.ts';
import { useForms } from './forms.ts';
import { adminRoutes, type AdminOptions } from '../accounts/routes.ts';
import { consoleRoutes, type ConsoleOptions } from '../accounts/console/routes.ts';
import { demoRoutes, type DemoOptions } from '../demo/routes.ts';
import { detectionRoutes, type DetectionOptions } from '../translation/detection-routes.ts';
import { descriptionRoutes, publishDescriptions } from './descriptions.ts';
import { documentRoutes, type DocumentOptions } from '../documents/jobs/routes.ts';
import { glossaryV2Routes, type MonolingualGlossaryOptions } from '../glossaries/routes-v2.ts';
import { glossaryV3Routes, type GlossaryOptions } from '../glossaries/routes.ts';
import { healthRoutes, type HealthOptions } from '../operation/health-routes.ts';
import { languageRoutes, type LanguageOptions } from '../translation/language-routes.ts';
import { metricsRoutes, type MetricsOptions } from '../operation/metrics-routes.ts';
import { spokenTermsRoutes, type SpokenTermsOptions } from '../spoken-terms/routes.ts';
import { styleRuleRoutes, type StyleRuleOptions } from '../style-rules/routes.ts';
import { textTranslationRoutes, type TextTranslationOptions } from '../translation/routes.ts';
import { translationMemoryRoutes, type TranslationMemoryOptions } from '../memories/routes.ts';
import { usageRoutes, type UsageOptions } from '../accounts/usage/routes.ts';
import { voiceRoutes, type VoiceOptions } from '../voice/session/routes.ts';
import { widgetRoutes } from './widget.ts';
import { writeRoutes, type WriteOptions } from '../improvement/routes.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { answerRaw } from './raw-answer.ts';
import type { KnowsOrigin } from '../accounts/origins.ts';
import { newTraceId } from './trace-id.ts';
import { useUploadPace } from './upload-pace.ts';

/** Largest request body, in bytes. */
const BODY_LIMIT_BYTES = 128 * 1024;
/** How long a request may take to arrive: a document of 100 MB comes slowly from a phone, at 50 KB/s say. */
const UPLOAD_LIMIT_MS = 60 * 60_000;

export interface HttpOptions
  extends
    VoiceOptions,
    TextTranslationOptions,
    WriteOptions,
    DetectionOptions,
    DocumentOptions,
    LanguageOptions,
    Omit<GlossaryOptions, 'door'>,
    MonolingualGlossaryOptions,
    SpokenTermsOptions,
    Omit<StyleRuleOptions, 'door'>,
    Omit<TranslationMemoryOptions, 'door'>,
    UsageOptions,
    Omit<AdminOptions, 'door'>,
    HealthOptions,
    MetricsOptions,
    DemoOptions,
    Omit<ConsoleOptions, 'door'> {
  log: Logger;
  /** Of one API key; 0 is without limit. */
  requestsPerMinute: number;
  tls: { cert: Buffer; key: Buffer } | undefined;
  trustProxy: boolean;
  /** Whether some account lets the pages of a site call. */
  knowsOrigin: KnowsOrigin;
  demo: boolean;
  /** Whether there is a console. */
  console: boolean;
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
  await useAuthentication(app, options);
  useCrossOriginCalls(app, options.knowsOrigin);
  useForms(app);
  useFormBodies(app);
  await publishDescriptions(app);
  await app.register(textTranslationRoutes, options);
  await app.register(writeRoutes, options);
  await app.register(documentRoutes, options);
  await app.register(detectionRoutes, options);
  await app.register(languageRoutes, options);
  await app.register(glossaryV3Routes, { ...options, door: apiKeyDoor(options.access) });
  await app.register(glossaryV2Routes, options);
  await app.register(spokenTermsRoutes, options);
  await app.register(styleRuleRoutes, { ...options, door: apiKeyDoor(options.access) });
  await app.register(translationMemoryRoutes, { ...options, door: apiKeyDoor(options.access) });
  await app.register(usageRoutes, options);
  await app.register(adminRoutes, { ...options, door: apiKeyDoor(options.access) });
  await app.register(voiceRoutes, options);
  await app.register(healthRoutes, options);
  await app.register(metricsRoutes, options);
  await app.register(widgetRoutes);
  if (options.console) await app.register(consoleRoutes, options);
  if (options.demo) await app.register(demoRoutes, options);
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
