import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import {
  GlossaryLanguagePairs,
  Languages,
  LanguagesQuery,
  LegacyLanguages,
  LegacyLanguagesQuery,
  ResourceDescriptor,
  resourceDescriptors,
} from '../../shared/schemas/languages.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { LanguageListings } from './languages.ts';
import type { Door } from '../http/door.ts';

export interface LanguageOptions {
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

  app.get(
    '/v2/glossary-language-pairs',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Pairs of languages that glossaries may have',
        deprecated: true,
        response: { 200: GlossaryLanguagePairs, ...problems },
      },
    },
    async () => languageListings.glossaryPairs(),
  );
};

/** `type` in a form or in JSON; the Python client puts it into the body of its GET request. */
function typeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { type } = body as { type?: unknown };
  return typeof type === 'string' ? type : undefined;
}
