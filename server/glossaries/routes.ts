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
} from '../../shared/schemas/glossaries.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { Glossaries } from './glossaries.ts';
import type { Door } from '../http/door.ts';

export interface GlossaryOptions {
  door: Door;
  glossaries: Glossaries;
}

const common = { tags: ['glossaries'], security: [{ apiKey: [] }] };
const written = {
  ...common,
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
};
const problems = { '4xx': Problem, '5xx': Problem };
const nothing = Type.Null({ description: 'Deleted.' });
const bodyLimit = MAX_GLOSSARY_BODY_BYTES;

export const glossaryV3Routes: FastifyPluginAsyncTypebox<GlossaryOptions> = async (
  app,
  options,
) => {
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
        summary: 'Make a glossary',
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
        summary: 'Read what a glossary holds',
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
        summary: 'Put a dictionary in place of another, or beside the others',
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
