/** Routes of lists of spoken terms, and the assembly of their service. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { problems } from '../../shared/schemas/problem.ts';
import {
  MAX_SPOKEN_TERMS_BODY_BYTES,
  SpokenTerms,
  SpokenTermsCreation,
  SpokenTermsList,
  SpokenTermsPath,
} from '../../shared/schemas/spoken-terms.ts';
import { type SpokenTermLists, createSpokenTerms } from './spoken-terms.ts';
import type { Door, Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';

export function openSpokenTerms({ storage }: { storage: Storage }) {
  const spokenTerms = createSpokenTerms({ spokenTerms: storage.spokenTerms });
  const routes: Routes = async (app, { door }) => {
    await app.register(spokenTermsRoutes, { door, spokenTerms });
  };
  return { service: spokenTerms, routes };
}

export interface SpokenTermsOptions {
  door: Door;
  spokenTerms: SpokenTermLists;
}

const common = { tags: ['spoken terms'], security: [{ apiKey: [] }] };
const nothing = Type.Null({ description: 'Deleted.' });

/** Spoken terms belong to the voice interface, so they need the pro plan. */
const spokenTermsRoutes: FastifyPluginAsyncTypebox<SpokenTermsOptions> = async (app, options) => {
  await app.register(makingAndDeleting, options);
  await app.register(reading, options);
};

const makingAndDeleting: FastifyPluginAsyncTypebox<SpokenTermsOptions> = async (
  app,
  { door, spokenTerms },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.post(
    '/v3/spoken_terms',
    {
      onRequest,
      bodyLimit: MAX_SPOKEN_TERMS_BODY_BYTES,
      schema: {
        ...common,
        summary: 'Create a list of spoken terms',
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: SpokenTermsCreation,
        response: { 201: SpokenTerms, ...problems },
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(await spokenTerms.create(caller.account.accountId, body)),
  );

  app.delete(
    '/v3/spoken_terms/:spoken_terms_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a list of spoken terms',
        description: 'Voice sessions that were started with it keep its terms.',
        params: SpokenTermsPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ caller, params }, reply) => {
      await spokenTerms.delete(caller.account.accountId, params.spoken_terms_id);
      return reply.code(204).send(null);
    },
  );
};

const reading: FastifyPluginAsyncTypebox<SpokenTermsOptions> = async (
  app,
  { door, spokenTerms },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.get(
    '/v3/spoken_terms',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List the lists of spoken terms',
        response: { 200: SpokenTermsList, ...problems },
      },
    },
    async ({ caller }) => ({ spoken_terms: await spokenTerms.list(caller.account.accountId) }),
  );

  app.get(
    '/v3/spoken_terms/:spoken_terms_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a list of spoken terms',
        params: SpokenTermsPath,
        response: { 200: SpokenTerms, ...problems },
      },
    },
    async ({ caller, params }) => spokenTerms.get(caller.account.accountId, params.spoken_terms_id),
  );
};
