/** Translation memories: programs list them, people manage them in the console. */
import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import { problems } from '../../shared/schemas/problem.ts';
import {
  ImportedTranslationMemory,
  MAX_MEMORY_FILE_BYTES,
  TranslationMemory,
  TranslationMemoryList,
  TranslationMemoryName,
  TranslationMemoryPage,
  TranslationMemoryPath,
  TranslationMemoryUpload,
} from '../../shared/schemas/translation-memories.ts';
import { tooLarge } from './memory-import.ts';
import { type TranslationMemories, createTranslationMemories } from './translation-memories.ts';
import type { Door, Routes } from '../http/door.ts';
import { receivedFile } from '../http/requests.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';

export function openMemories({ storage, log }: { storage: Storage; log: Logger }) {
  const translationMemories = createTranslationMemories({
    memories: storage.translationMemories,
    log,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(translationMemoryRoutes, { door, translationMemories });
  };
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(routes, { door });
    await app.register(translationMemoryUpkeepRoutes, { door, translationMemories });
  };
  return { service: translationMemories, routes, consoleRoutes };
}

export interface TranslationMemoryOptions {
  door: Door;
  translationMemories: TranslationMemories;
}

const common = { tags: ['translation memories'], security: [{ apiKey: [] }] };

/** Route for programs. */
const translationMemoryRoutes: FastifyPluginAsyncTypebox<TranslationMemoryOptions> = async (
  app,
  { door, translationMemories },
) => {
  app.get(
    '/v3/translation_memories',
    {
      onRequest: door.require(),
      schema: {
        ...common,
        summary: 'List translation memories',
        description:
          'Translation memories are imported, renamed and deleted ' +
          'on the command line or in the console.',
        querystring: TranslationMemoryPage,
        response: { 200: TranslationMemoryList, ...problems },
      },
    },
    ({ account, query: { page = 0, page_size = 10 } }) =>
      translationMemories.list(account.accountId, {
        offset: page * page_size,
        limit: page_size,
      }),
  );
};

/** Additional routes for people, in the console. */
const translationMemoryUpkeepRoutes: FastifyPluginAsyncTypebox<TranslationMemoryOptions> = async (
  app,
  options,
) => {
  await app.register(uploading, options);
  await app.register(renamingAndDeleting, options);
};

const uploading: FastifyPluginAsyncTypebox<TranslationMemoryOptions> = async (
  app,
  { door, translationMemories },
) => {
  // The body is streamed, whatever media type a browser assigns to TMX.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });

  app.post(
    '/translation-memories',
    {
      onRequest: door.require(),
      schema: {
        ...common,
        summary: 'Import a translation memory, with the file as the body',
        querystring: TranslationMemoryUpload,
        response: { 201: ImportedTranslationMemory, ...problems },
      },
    },
    async ({ account, query, body, headers }, reply) => {
      if (!isStream(body)) throw new ServiceError('invalid_request', 'Send the file as the body.');
      try {
        if (Number(headers['content-length']) > MAX_MEMORY_FILE_BYTES) throw tooLarge();
        const memory = await translationMemories.import(account.accountId, {
          name: query.name,
          format: query.format,
          bytes: receivedFile(body),
          sourceLang: query.source_lang,
          targetLang: query.target_lang,
        });
        return await reply.code(201).send(memory);
      } finally {
        // Drains the unread rest of the body, so that the client finishes sending and reads the answer.
        body.resume();
      }
    },
  );
};

const renamingAndDeleting: FastifyPluginAsyncTypebox<TranslationMemoryOptions> = async (
  app,
  { door, translationMemories },
) => {
  const onRequest = door.require();
  const params = TranslationMemoryPath;

  app.patch(
    '/translation-memories/:translation_memory_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Rename a translation memory',
        params,
        body: TranslationMemoryName,
        response: { 200: TranslationMemory, ...problems },
      },
    },
    ({ account, params: { translation_memory_id: id }, body }) =>
      translationMemories.rename(account.accountId, id, body.name),
  );

  app.delete(
    '/translation-memories/:translation_memory_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a translation memory',
        params,
        response: { 204: Type.Null({ description: 'Deleted.' }), ...problems },
      },
    },
    async ({ account, params: { translation_memory_id: id } }, reply) => {
      await translationMemories.delete(account.accountId, id);
      return reply.code(204).send(null);
    },
  );
};

function isStream(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'iterator' in body;
}
