/**
 * Composition and HTTP routes of text translation: translation, options, detection and language
 * listings.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { problems } from '../../shared/schemas/problem.ts';
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
import { type TextTranslation, createTextTranslation } from './text-translation.ts';
import type { Door, Routes } from '../http/door.ts';
import { abortWhenGone, reportingTag } from '../http/requests.ts';
import { type LanguageDetection, createDetection } from './detection.ts';
import { type LanguageListings, createLanguageListings } from './languages.ts';
import type { Config } from '../config.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Improvement } from '../improvement/improvement.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import { createAccountTexts } from './account-texts.ts';
import { createTranslation, type Translation } from './translation.ts';
import { createWishResolver, type WishResolverOptions } from './wishes.ts';

/** Opens translation over the running engines, in the configured order. */
export function openTranslation({
  log,
  engines: { translation, preference },
}: {
  log: Logger;
  engines: Pick<Engines, 'translation' | 'preference'>;
}): Translation {
  return createTranslation({ engines: translation, preference, log });
}

/** Opens text translation and language detection, with the services that both share. */
export function openTexts({
  config,
  engines: { detector },
  usageMeter,
  ...looked
}: Omit<WishResolverOptions, 'detection' | 'usualLanguages'> & {
  config: Config;
  engines: Pick<Engines, 'detector'>;
  usageMeter: UsageMeter;
}) {
  const { translation } = looked;
  const texts = createAccountTexts({ maxLength: config.TEXT_MAX_UNDER_WAY });
  const { usualLanguages } = texts;
  const detection = createDetection(detector, translation, usualLanguages);
  const wishes = createWishResolver({ ...looked, detection, usualLanguages });
  const textTranslation = createTextTranslation({
    translation,
    wishes,
    texts,
    usage: usageMeter,
    refusesLatencyConflicts: config.LATENCY_CONFLICTS === 'refuse',
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(textTranslationRoutes, { door, textTranslation });
    await app.register(detectionRoutes, { door, languageDetection: detection });
  };
  return { texts, wishes, routes };
}

/** Opens the language listings. */
export function openLanguages({
  engines: { recognition, synthesis, detector },
  translation,
  improvement,
}: {
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'detector'>;
  translation: Translation;
  improvement: Improvement;
}) {
  const languageListings = createLanguageListings({
    translation,
    improvement,
    recognisers: recognition,
    speakers: synthesis,
    detector,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(languageRoutes, { door, languageListings });
  };
  return { routes };
}

interface TextTranslationOptions {
  textTranslation: TextTranslation;
  door: Door;
}

const textTranslationRoutes: FastifyPluginAsyncTypebox<TextTranslationOptions> = async (
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
        response: { 200: TextTranslationResponse, ...problems },
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

const detectionRoutes: FastifyPluginAsyncTypebox<DetectionOptions> = async (
  app,
  { door, languageDetection },
) => {
  app.post(
    '/v3/detect/language',
    {
      onRequest: door.require({ feature: 'detection' }),
      schema: {
        summary: 'Detect the language of texts',
        description: "In beta: the account needs the feature 'detection'.",
        tags: ['languages'],
        security: [{ apiKey: [] }],
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: DetectionRequest,
        response: { 200: DetectionResponse, ...problems },
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

const common = { tags: ['languages'], security: [{ apiKey: [] }] };

const languageRoutes: FastifyPluginAsyncTypebox<LanguageOptions> = async (
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
        summary: 'List the languages of a resource that the running engines support',
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
        summary: 'List resources and the features of their languages',
        response: { 200: Type.Array(ResourceDescriptor), ...problems },
      },
    },
    async () => resourceDescriptors,
  );
  await app.register(legacyLanguageRoutes, { door, languageListings });
};

/** Language routes of API version 2, deprecated in favour of `/v3/languages`. */
const legacyLanguageRoutes: FastifyPluginAsyncTypebox<LanguageOptions> = async (
  app,
  { door, languageListings },
) => {
  const onRequest = door.require();
  const schema = {
    ...common,
    summary: 'List source or target languages',
    deprecated: true,
    querystring: LegacyLanguagesQuery,
    response: { 200: LegacyLanguages, ...problems },
  };
  app.get('/v2/languages', { onRequest, schema }, async ({ query, body }) =>
    languageListings.listLegacy(query.type ?? typeIn(body)),
  );
  // Older clients use POST.
  app.post('/v2/languages', { onRequest, schema }, async ({ query, body }) =>
    languageListings.listLegacy(query.type ?? typeIn(body)),
  );

  const pairsSchema = {
    ...common,
    summary: 'List language pairs that glossaries support',
    deprecated: true,
    response: { 200: GlossaryLanguagePairs, ...problems },
  };
  const listPairs = async () => languageListings.glossaryPairs();
  app.get('/v2/glossary-language-pairs', { onRequest, schema: pairsSchema }, listPairs);
  app.post('/v2/glossary-language-pairs', { onRequest, schema: pairsSchema }, listPairs);
};

/** Returns `type` from a form or JSON body; the Python client sends it in the body of its GET request. */
function typeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { type } = body as { type?: unknown };
  return typeof type === 'string' ? type : undefined;
}
