/** Routes of style rule lists, and the assembly of their service. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { problems } from '../../shared/schemas/problem.ts';
import {
  AddedStyleInstruction,
  ConfiguredRules,
  MAX_STYLE_BODY_BYTES,
  StyleInstruction,
  StyleInstructionContent,
  StyleInstructionPath,
  StyleRuleList,
  StyleRuleListChange,
  StyleRuleListCreation,
  StyleRuleLists as StyleRuleListsAnswer,
  StyleRulePage,
  StyleRulePath,
} from '../../shared/schemas/style-rules.ts';
import { type StyleRuleLists, createStyleRuleLists } from './style-rules.ts';
import type { Door, Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';
import type { Translation } from '../translation/translation.ts';
import { describeStyleRuleCatalogue, describeStyleRules } from './style-rule-notes.ts';

export function openStyleRules({
  storage,
  translation,
}: {
  storage: Storage;
  translation: Translation;
}) {
  const styleRules = createStyleRuleLists(storage);
  const styleRuleNotes = describeStyleRules(translation);
  const routes: Routes = async (app, { door }) => {
    await app.register(styleRuleRoutes, { door, styleRules, styleRuleNotes });
  };
  return {
    service: styleRules,
    routes,
    consoleRoutes: routes,
    /** Describes, for people, which rules are applied with the running engines. */
    describeCatalogue: () => describeStyleRuleCatalogue(translation),
  };
}

export interface StyleRuleOptions {
  door: Door;
  styleRules: StyleRuleLists;
  /** How the running engines treat the rules, for people. */
  styleRuleNotes: string;
}

const common = { tags: ['style rules'], security: [{ apiKey: [] }] };
const nothing = Type.Null({ description: 'Deleted.' });
const bodyLimit = MAX_STYLE_BODY_BYTES;

/** Style rules need the pro plan. */
const styleRuleRoutes: FastifyPluginAsyncTypebox<StyleRuleOptions> = async (app, options) => {
  await app.register(makingAndReading, options);
  await app.register(changingAndDeleting, options);
  await app.register(addingAndReadingInstructions, options);
  await app.register(changingAndDeletingInstructions, options);
};

const makingAndReading: FastifyPluginAsyncTypebox<StyleRuleOptions> = async (
  app,
  { door, styleRules, styleRuleNotes },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.post(
    '/v3/style_rules',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...common,
        summary: 'Create a style rule list',
        description:
          'The description of `GET /v3/style_rules` lists which rules the running engines apply.',
        body: StyleRuleListCreation,
        response: { 201: StyleRuleList, ...problems },
      },
    },
    async ({ account, body }, reply) =>
      reply.code(201).send(await styleRules.create(account.accountId, body)),
  );

  app.get(
    '/v3/style_rules',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List style rule lists, oldest first',
        description: styleRuleNotes,
        querystring: StyleRulePage,
        response: { 200: StyleRuleListsAnswer, ...problems },
      },
    },
    async ({ account, query }) => ({
      style_rules: await styleRules.list(account.accountId, query),
    }),
  );

  app.get(
    '/v3/style_rules/:style_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a style rule list',
        params: StyleRulePath,
        response: { 200: StyleRuleList, ...problems },
      },
    },
    async ({ account, params }) => styleRules.get(account.accountId, params.style_id),
  );
};

const changingAndDeleting: FastifyPluginAsyncTypebox<StyleRuleOptions> = async (
  app,
  { door, styleRules },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.patch(
    '/v3/style_rules/:style_id',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...common,
        summary: 'Rename a style rule list',
        params: StyleRulePath,
        body: StyleRuleListChange,
        response: { 200: StyleRuleList, ...problems },
      },
    },
    async ({ account, params, body }) =>
      styleRules.change(account.accountId, params.style_id, body),
  );

  app.put(
    '/v3/style_rules/:style_id/configured_rules',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...common,
        summary: 'Replace the rules of a list',
        description: 'Custom instructions stay as they are.',
        params: StyleRulePath,
        body: ConfiguredRules,
        response: { 200: StyleRuleList, ...problems },
      },
    },
    async ({ account, params, body }) =>
      styleRules.replaceRules(account.accountId, params.style_id, body),
  );

  app.delete(
    '/v3/style_rules/:style_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a style rule list',
        description: 'Documents queued for translation with it fail.',
        params: StyleRulePath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      await styleRules.delete(account.accountId, params.style_id);
      return reply.code(204).send(null);
    },
  );
};

const addingAndReadingInstructions: FastifyPluginAsyncTypebox<StyleRuleOptions> = async (
  app,
  { door, styleRules },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.post(
    '/v3/style_rules/:style_id/custom_instructions',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...common,
        summary: 'Add a custom instruction to a list',
        description:
          'Returns the list, including the new instruction, ' +
          'together with the fields of the new instruction.',
        params: StyleRulePath,
        body: StyleInstructionContent,
        response: { 201: AddedStyleInstruction, ...problems },
      },
    },
    async ({ account, params, body }, reply) =>
      reply
        .code(201)
        .send(await styleRules.addInstruction(account.accountId, params.style_id, body)),
  );

  app.get(
    '/v3/style_rules/:style_id/custom_instructions/:instruction_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a custom instruction',
        params: StyleInstructionPath,
        response: { 200: StyleInstruction, ...problems },
      },
    },
    async ({ account, params }) =>
      styleRules.getInstruction(account.accountId, params.style_id, params.instruction_id),
  );
};

const changingAndDeletingInstructions: FastifyPluginAsyncTypebox<StyleRuleOptions> = async (
  app,
  { door, styleRules },
) => {
  const onRequest = door.require({ plan: 'pro' });

  app.put(
    '/v3/style_rules/:style_id/custom_instructions/:instruction_id',
    {
      onRequest,
      bodyLimit,
      schema: {
        ...common,
        summary: 'Replace a custom instruction',
        description: 'An omitted `source_language` is removed.',
        params: StyleInstructionPath,
        body: StyleInstructionContent,
        response: { 200: StyleInstruction, ...problems },
      },
    },
    async ({ account, params: { style_id, instruction_id }, body }) =>
      styleRules.replaceInstruction(account.accountId, style_id, instruction_id, body),
  );

  app.delete(
    '/v3/style_rules/:style_id/custom_instructions/:instruction_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a custom instruction',
        params: StyleInstructionPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      const { style_id, instruction_id } = params;
      await styleRules.deleteInstruction(account.accountId, style_id, instruction_id);
      return reply.code(204).send(null);
    },
  );
};
