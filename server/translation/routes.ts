import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { Problem } from '../../shared/schemas/problem.ts';
import {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import {
  GlossaryLanguagePairs,
  Languages,
  LanguagesQuery,
  LegacyLanguages,
  LegacyLanguagesQuery,
  ResourceDescriptor,
  resourceDescriptors,
} from '../../shared/schemas/languages.ts';
import type { TextTranslation } from './text-translation.ts';
import type { Door } from '../http/door.ts';
import { abortWhenGone, reportingTag } from '../http/requests.ts';
import type { LanguageDetection } from './detection.ts';
import type { LanguageListings } from './languages.ts';

interface TextTranslationOptions {
  textTranslation: TextTranslation;
  door: Door;
}

export const textTranslationRoutes: FastifyPluginAsyncTypebox<TextTranslationOptions> = async (
  app,
  { textTranslation, door },
) => {
  app.post(
    '/v2/translate',
    {
      onRequest: door.require(),
      schema: {
        summary: 'Translate texts',
        tags: ['text'],
        security: [{ apiKey: [] }],
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: TextTranslationRequest,
        response: { 200: TextTranslationResponse, '4xx': Problem, '5xx': Problem },
      },
    },
    async (request, reply) =>
      textTranslation.translate(request.body, {
        caller: request.caller,
        reportingTag: reportingTag(request),
        abort: abortWhenGone(reply),
      }),
  );
};

interface DetectionOptions {
  door: Door;
  languageDetection: LanguageDetection;
}

export const detectionRoutes: FastifyPluginAsyncTypebox<DetectionOptions> = async (
  app,
  { door, languageDetection },
) => {
  app.post(
    '/v3/detect/language',
    {
      onRequest: door.require({ feature: 'detection' }),
      schema: {
        summary: 'Tell the language of texts',
        description: "In beta: the account needs the feature 'detection'.",
        tags: ['languages'],
        security: [{ apiKey: [] }],
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: DetectionRequest,
        response: { 200: DetectionResponse, '4xx': Problem, '5xx': Problem },
      },
    },
    async ({ body, caller, signal }) =>
      languageDetection.detect(body, { accountId: caller.account.accountId, signal }),
  );
};

interface LanguageOptions {
  door: Door;
  languageListings: LanguageListings;
}

const problems = { '4xx': Problem, '5xx': Problem };
const common = { tags: ['languages'], security: [{ apiKey: [] }] };

export const languageRoutes: FastifyPluginAsyncTypebox<LanguageOptions> = async (
  app,
  { door, languageListings },
) => {
  const onRequest = door.require();

  app.get(
    '/v3/languages',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Languages of a resource, as far as the running engines serve them',
        querystring: LanguagesQuery,
        response: { 200: Languages, ...problems },
      },
    },
    async ({ query }) => languageListings.list(query),
  );

  app.get(
    '/v3/languages/resources',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Resources and the features of their languages',
        response: { 200: Type.Array(ResourceDescriptor), ...problems },
      },
    },
    async () => resourceDescriptors,
  );
  await app.register(legacyLanguageRoutes, { door, languageListings });
};

/** What clients of v2 know; deprecated in favour of `/v3/languages`. */
const legacyLanguageRoutes: FastifyPluginAsyncTypebox<LanguageOptions> = async (
  app,
  { door, languageListings },
) => {
  const onRequest = door.require();
  const schema = {
    ...common,
    summary: 'Languages to translate from or into',
    deprecated: true,
    querystring: LegacyLanguagesQuery,
    response: { 200: LegacyLanguages, ...problems },
  };
  app.get('/v2/languages', { onRequest, schema }, async ({ query, body }) =>
    languageListings.listLegacy(query.type ?? typeIn(body)),
  );
  // Older clients ask so.
  app.post('/v2/languages', { onRequest, schema }, async ({ query, body }) =>
    languageListings.listLegacy(query.type ?? typeIn(body)),
  );

  const pairsSchema = {
    ...common,
    summary: 'Pairs of languages that glossaries may have',
    deprecated: true,
    response: { 200: GlossaryLanguagePairs, ...problems },
  };
  const listPairs = async () => languageListings.glossaryPairs();
  app.get('/v2/glossary-language-pairs', { onRequest, schema: pairsSchema }, listPairs);
  app.post('/v2/glossary-language-pairs', { onRequest, schema: pairsSchema }, listPairs);
};

/** `type` in a form or in JSON; the Python client puts it into the body of its GET request. */
function typeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { type } = body as { type?: unknown };
  return typeof type === 'string' ? type : undefined;
}
