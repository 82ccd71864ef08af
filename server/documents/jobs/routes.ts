/** Routes and wiring of documents: uploads arrive here, a process beside the server translates them. */
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { documentFormats } from '../formats/index.ts';
import { ServiceError } from '../../../shared/errors.ts';
import {
  DocumentHandle,
  DocumentKey,
  DocumentOrder,
  DocumentPath,
  DocumentStatusView,
} from '../../../shared/schemas/documents.ts';
import { problems } from '../../../shared/schemas/problem.ts';
import {
  type DocumentTranslations,
  startDocumentExpiry,
  createDocumentTranslations,
} from './documents.ts';
import type { Caller, Door, Routes } from '../../http/door.ts';
import {
  receivedFile,
  type FilePace,
  abortWhenGone,
  reportingTag,
  readMultipart,
  useMultipart,
  type FormFields,
  readForm,
} from '../../http/requests.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../process/log.ts';
import type { Storage } from '../../stores.ts';
import type { DocumentUploadOptions } from './document-upload.ts';
import { createDocumentWorkerProcess } from './document-worker-process.ts';

/** Services that check an order before the document is accepted. */
type Checks = Pick<DocumentUploadOptions, 'translation' | 'wishes'>;

export function openDocuments({
  config,
  log,
  storage: { documents },
  usageMeter,
  translation,
  wishes,
}: Checks & { config: Config; log: Logger; storage: Storage; usageMeter: UsageMeter }) {
  const worker = createDocumentWorkerProcess({
    documents,
    log,
    isOn: config.DOCUMENT_WORKER === 'on',
  });
  const documentTranslations = createDocumentTranslations({
    translation,
    wishes,
    documents,
    usage: usageMeter,
    worker,
    maxDocuments: config.DOCUMENT_MAX_PER_ACCOUNT,
    onQueued: () => worker.ring(),
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(documentRoutes, { door, documentTranslations });
  };
  return {
    worker,
    service: documentTranslations,
    expiry: startDocumentExpiry({
      documents,
      log,
      keptMs: config.DOCUMENT_EXPIRY_HOURS * 3_600_000,
    }),
    routes,
  };
}

export interface DocumentOptions {
  documentTranslations: DocumentTranslations;
  door: Door;
}

const common = { tags: ['documents'], security: [{ apiKey: [] }] };
const binary = { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) };
const results = {
  description: 'The translated document.',
  content: Object.fromEntries(documentFormats.map(({ mediaType }) => [mediaType, binary])),
};
const formTypes = ['application/json', 'application/x-www-form-urlencoded'];

const documentRoutes: FastifyPluginAsyncTypebox<DocumentOptions> = async (
  app,
  { documentTranslations, door },
) => {
  const onRequest = door.require();
  useMultipart(app);

  app.post(
    '/v2/document',
    {
      onRequest,
      // The body is read as a stream, see receiveDocument.
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        summary: 'Upload a document to be translated',
        description:
          'Returns the identifiers of the document, which is translated in the ' +
          'background. The file may be at any position among the parts.',
        consumes: ['multipart/form-data'],
        body: Type.Interface([DocumentOrder], {
          file: Type.Unsafe<Buffer>({
            type: 'string',
            format: 'binary',
            description: `Extensions: ${documentFormats.flatMap(({ extensions }) => extensions).join(', ')}.`,
          }),
        }),
        response: { 200: DocumentHandle, ...problems },
      },
    },
    (request, reply) => receiveDocument(reply, request.caller, documentTranslations),
  );

  await app.register(statusRoutes, { documentTranslations, door });
  await app.register(resultRoutes, { documentTranslations, door });
};

const statusRoutes: FastifyPluginAsyncTypebox<DocumentOptions> = async (
  app,
  { documentTranslations, door },
) => {
  const onRequest = door.require();
  const schema = {
    ...common,
    summary: 'Get the status of a document',
    description:
      'In the first second after the upload, the answer waits until ' +
      'the document is finished or that second is over.',
    params: DocumentPath,
    response: { 200: DocumentStatusView, ...problems },
  };

  app.post(
    '/v2/document/:document_id',
    { onRequest, schema: { ...schema, consumes: formTypes, body: DocumentKey } },
    async ({ caller, params, body }, reply) => {
      const { signal } = abortWhenGone(reply);
      return documentTranslations.status(caller, params.document_id, body.document_key, signal);
    },
  );

  app.get(
    '/v2/document/:document_id',
    { onRequest, schema: { ...schema, querystring: DocumentKey } },
    async ({ caller, params, query }, reply) => {
      const { signal } = abortWhenGone(reply);
      return documentTranslations.status(caller, params.document_id, query.document_key, signal);
    },
  );

  app.delete(
    '/v2/document/:document_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a document',
        description:
          'Our own addition. A running translation is cancelled and ' +
          'not billed; no part of the document is kept.',
        params: DocumentPath,
        querystring: DocumentKey,
        response: { 204: Type.Null({ description: 'Deleted.' }), ...problems },
      },
    },
    async ({ caller, params, query }, reply) => {
      await documentTranslations.delete(caller, params.document_id, query.document_key);
      return reply.code(204).send(null);
    },
  );
};

const resultRoutes: FastifyPluginAsyncTypebox<DocumentOptions> = async (
  app,
  { documentTranslations, door },
) => {
  const onRequest = door.require();
  const schema = {
    ...common,
    summary: 'Download a translated document, once',
    description: 'After the download, all data of the document is deleted.',
    params: DocumentPath,
    response: { 200: results, ...problems },
  };

  app.post(
    '/v2/document/:document_id/result',
    { onRequest, schema: { ...schema, consumes: formTypes, body: DocumentKey } },
    async ({ caller, params, body }, reply) => {
      await sendResult(reply, documentTranslations, { caller, ...params, ...body });
      return reply;
    },
  );

  app.get(
    '/v2/document/:document_id/result',
    {
      onRequest,
      // A HEAD request would use up the only download.
      exposeHeadRoute: false,
      schema: { ...schema, querystring: DocumentKey },
    },
    async ({ caller, params, query }, reply) => {
      await sendResult(reply, documentTranslations, { caller, ...params, ...query });
      return reply;
    },
  );
};

/**
 * Receives an upload. A document whose client leaves before the answer is deleted, as nobody else
 * has its key.
 *
 * @param pace slowest acceptable pace of the file
 * @throws ServiceError for faults of the multipart body, the order or the file; nothing is kept then
 */
export async function receiveDocument(
  reply: FastifyReply,
  caller: Caller,
  documentTranslations: DocumentTranslations,
  pace?: FilePace,
): Promise<DocumentHandle> {
  const { request } = reply;
  const { body, headers } = request;
  if (!(body instanceof Readable)) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send multipart/form-data with a part `file`.',
    );
  }
  const tag = reportingTag(request);
  const { signal: gone } = abortWhenGone(reply);
  const upload = await documentTranslations.upload(caller);
  try {
    const fields = await readMultipart(body, headers, ({ fileName, content }, earlier) =>
      upload.receive(receivedFile(content, pace), nameOf(earlier) ?? fileName),
    );
    const order = readForm<typeof DocumentOrder>(fields, DocumentOrder);
    const handle = await upload.submit(order, tag);
    const { document_id: id, document_key: key } = handle;
    const withdraw = () => {
      documentTranslations.delete(caller, id, key).catch((err: unknown) => {
        reply.log.error({ err }, 'the document of a client that has left could not be deleted');
      });
    };
    if (gone.aborted) withdraw();
    else gone.addEventListener('abort', withdraw, { once: true });
    return handle;
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

/** The parameter `filename`, which takes precedence over the name that comes with the file. */
function nameOf({ filename }: FormFields): string | undefined {
  return typeof filename === 'string' && filename !== '' ? filename : undefined;
}

/** Sends a result, and deletes the document once it has been sent completely. */
export async function sendResult(
  reply: FastifyReply,
  documentTranslations: DocumentTranslations,
  {
    caller,
    document_id: documentId,
    document_key: documentKey,
  }: { caller: Caller; document_id: string; document_key: string },
): Promise<void> {
  const { fileName, format, parts, ...download } = await documentTranslations.download(
    caller,
    documentId,
    documentKey,
  );
  const settle = () => {
    const settled = reply.raw.writableFinished ? download.done() : download.brokeOff();
    // The document expires in any case.
    settled.catch((err: unknown) =>
      reply.log.error({ err }, 'the end of a download could not be recorded'),
    );
  };
  // A client that has disconnected meanwhile may request the result again.
  if (reply.raw.destroyed) settle();
  else reply.raw.once('close', settle);
  void reply
    .header('Content-Disposition', attachment(fileName))
    .header('Cache-Control', 'no-store')
    .type(format.mediaType)
    .send(Readable.from(parts));
}

/** RFC 6266: the name in ASCII for old clients, and in UTF-8. */
function attachment(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(fileName.replaceAll(/\p{Cs}/gu, '_')).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
