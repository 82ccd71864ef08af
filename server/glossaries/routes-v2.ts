import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import {
  GlossaryPath,
  MAX_GLOSSARY_BODY_BYTES,
  MonolingualCreation,
  MonolingualGlossary,
  MonolingualGlossaryList,
} from '../../shared/schemas/glossaries.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { MonolingualGlossaries } from './monolingual-glossaries.ts';
import type { Door } from '../http/door.ts';

export interface MonolingualGlossaryOptions {
  door: Door;
  monolingualGlossaries: MonolingualGlossaries;
}

const TSV = 'text/tab-separated-values';
const common = { tags: ['glossaries of one direction'], security: [{ apiKey: [] }] };
const problems = { '4xx': Problem, '5xx': Problem };

/** What clients of v2 know. */
export const glossaryV2Routes: FastifyPluginAsyncTypebox<MonolingualGlossaryOptions> = async (
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
        ...common,
        summary: 'Make a glossary of one direction',
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
        ...common,
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
        ...common,
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
        ...common,
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
        ...common,
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
