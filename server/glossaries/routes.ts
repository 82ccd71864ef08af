/** Routes of glossaries: the same glossaries through v3 and v2. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import {
  DictionaryContent,
  DictionaryInfo,
  DictionaryQuery,
  Glossary,
  GlossaryChange,
  GlossaryCreation,
  GlossaryEntries,
  GlossaryList,
  GlossaryPath,
  MAX_GLOSSARY_BODY_BYTES,
  MonolingualCreation,
  MonolingualGlossary,
  MonolingualGlossaryList,
} from '../../shared/schemas/glossaries.ts';
import { problems } from '../../shared/schemas/problem.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  type Glossaries,
  createGlossaries,
  type MonolingualGlossaries,
  createMonolingualGlossaries,
} from './glossaries.ts';
import type { Door, Routes } from '../http/door.ts';
import type { Config } from '../config.ts';
import type { Storage } from '../stores.ts';

const MIB = 1024 * 1024;

export function openGlossaries({ config, storage }: { config: Config; storage: Storage }) {
  const glossaries = createGlossaries({
    glossaries: storage.glossaries,
    cacheBytes: config.GLOSSARY_CACHE_MB * MIB,
  });
  const monolingualGlossaries = createMonolingualGlossaries({
    glossaries,
    store: storage.glossaries,
  });
  const current: Routes = async (app, { door }) => {
    await app.register(glossaryV3Routes, { door, glossaries });
  };
  const routes: Routes = async (app, { door }) => {
    await app.register(current, { door });
    await app.register(glossaryV2Routes, { door, monolingualGlossaries });
  };
  return { service: glossaries, routes, consoleRoutes: current };
}

interface GlossaryOptions {
  door: Door;
  glossaries: Glossaries;
}

const common = { tags: ['glossaries'], security: [{ apiKey: [] }] };
const written = {
  ...common,
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
};
const nothing = Type.Null({ description: 'Deleted.' });
const bodyLimit = MAX_GLOSSARY_BODY_BYTES;

const glossaryV3Routes: FastifyPluginAsyncTypebox<GlossaryOptions> = async (app, options) => {
  await app.register(makingAndChanging, options);
  await app.register(readingAndDeleting, options);
  await app.register(dictionariesOfGlossaries, options);
};

const makingAndChanging: FastifyPluginAsyncTypebox<GlossaryOptions> = async (
  app,
  { door, glossaries },
) => {
  const onRequest = door.require();

  app.post(
    '/v3/glossaries',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...written,
        summary: 'Create a glossary',
        body: GlossaryCreation,
        response: { 201: Glossary, ...problems },
      },
    },
    async ({ account, body }, reply) =>
      reply.code(201).send(await glossaries.create(account.accountId, body)),
  );

  app.patch(
    '/v3/glossaries/:glossary_id',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...written,
        summary: 'Rename a glossary, or add entries to a dictionary',
        params: GlossaryPath,
        body: GlossaryChange,
        response: { 200: Glossary, ...problems },
      },
    },
    async ({ account, params, body }) =>
      glossaries.change(account.accountId, params.glossary_id, body),
  );
};

const readingAndDeleting: FastifyPluginAsyncTypebox<GlossaryOptions> = async (
  app,
  { door, glossaries },
) => {
  const onRequest = door.require();

  app.get(
    '/v3/glossaries',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List glossaries',
        response: { 200: GlossaryList, ...problems },
      },
    },
    async ({ account }) => ({ glossaries: await glossaries.list(account.accountId) }),
  );

  app.get(
    '/v3/glossaries/:glossary_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a glossary',
        params: GlossaryPath,
        response: { 200: Glossary, ...problems },
      },
    },
    async ({ account, params }) => glossaries.get(account.accountId, params.glossary_id),
  );

  app.delete(
    '/v3/glossaries/:glossary_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a glossary',
        params: GlossaryPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      await glossaries.delete(account.accountId, params.glossary_id);
      return reply.code(204).send(null);
    },
  );
};

const dictionariesOfGlossaries: FastifyPluginAsyncTypebox<GlossaryOptions> = async (
  app,
  { door, glossaries },
) => {
  const onRequest = door.require();

  app.get(
    '/v3/glossaries/:glossary_id/entries',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read the entries of a dictionary',
        params: GlossaryPath,
        querystring: DictionaryQuery,
        response: { 200: GlossaryEntries, ...problems },
      },
    },
    async ({ account, params, query }) => {
      const { accountId } = account;
      const dictionary = await glossaries.entries(accountId, params.glossary_id, query);
      return { dictionaries: [{ ...dictionary, entries_format: 'tsv' as const }] };
    },
  );

  app.put(
    '/v3/glossaries/:glossary_id/dictionaries',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...written,
        summary: 'Replace or add a dictionary',
        params: GlossaryPath,
        body: DictionaryContent,
        response: { 200: DictionaryInfo, ...problems },
      },
    },
    async ({ account, params, body }) =>
      glossaries.putDictionary(account.accountId, params.glossary_id, body),
  );

  app.delete(
    '/v3/glossaries/:glossary_id/dictionaries',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a dictionary',
        params: GlossaryPath,
        querystring: DictionaryQuery,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params, query }, reply) => {
      await glossaries.deleteDictionary(account.accountId, params.glossary_id, query);
      return reply.code(204).send(null);
    },
  );
};

interface MonolingualGlossaryOptions {
  door: Door;
  monolingualGlossaries: MonolingualGlossaries;
}

const TSV = 'text/tab-separated-values';
const ofOneDirection = { tags: ['glossaries of one direction'], security: [{ apiKey: [] }] };

/** Routes for v2 clients. */
const glossaryV2Routes: FastifyPluginAsyncTypebox<MonolingualGlossaryOptions> = async (
  app,
  { door, monolingualGlossaries: glossaries },
) => {
  const onRequest = door.require();

  app.post(
    '/v2/glossaries',
    {
      onRequest,
      bodyLimit: MAX_GLOSSARY_BODY_BYTES,
      schema: {
        ...ofOneDirection,
        summary: 'Create a glossary of one direction',
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: MonolingualCreation,
        response: { 201: MonolingualGlossary, ...problems },
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(await glossaries.create(caller.account.accountId, body)),
  );

  app.get(
    '/v2/glossaries',
    {
      onRequest,
      schema: {
        ...ofOneDirection,
        summary: 'List glossaries of one direction',
        response: { 200: MonolingualGlossaryList, ...problems },
      },
    },
    async ({ caller }) => ({ glossaries: await glossaries.list(caller.account.accountId) }),
  );

  app.get(
    '/v2/glossaries/:glossary_id',
    {
      onRequest,
      schema: {
        ...ofOneDirection,
        summary: 'Read what a glossary of one direction holds',
        params: GlossaryPath,
        response: { 200: MonolingualGlossary, ...problems },
      },
    },
    async ({ caller, params }) => glossaries.get(caller.account.accountId, params.glossary_id),
  );
  await app.register(entriesAndDeletion, { door, monolingualGlossaries: glossaries });
};

const entriesAndDeletion: FastifyPluginAsyncTypebox<MonolingualGlossaryOptions> = async (
  app,
  { door, monolingualGlossaries: glossaries },
) => {
  const onRequest = door.require();

  app.get(
    '/v2/glossaries/:glossary_id/entries',
    {
      onRequest,
      schema: {
        ...ofOneDirection,
        summary: 'Read the entries of a glossary of one direction',
        params: GlossaryPath,
        response: {
          200: { content: { [TSV]: { schema: Type.String() } } },
          ...problems,
        },
      },
    },
    async ({ caller, params, headers }, reply) => {
      if (!takesTsv(headers.accept)) {
        throw new ServiceError('unsupported_media_type', `Entries come as ${TSV}: accept that.`);
      }
      const entries = await glossaries.entries(caller.account.accountId, params.glossary_id);
      return reply.type(`${TSV}; charset=UTF-8`).send(entries);
    },
  );

  app.delete(
    '/v2/glossaries/:glossary_id',
    {
      onRequest,
      schema: {
        ...ofOneDirection,
        summary: 'Delete a glossary of one direction',
        params: GlossaryPath,
        response: { 204: Type.Null({ description: 'Deleted.' }), ...problems },
      },
    },
    async ({ caller, params }, reply) => {
      await glossaries.delete(caller.account.accountId, params.glossary_id);
      return reply.code(204).send(null);
    },
  );
};

function takesTsv(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return !isRefused && [TSV, 'text/*', '*/*'].includes(type);
  });
}
