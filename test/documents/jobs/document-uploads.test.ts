import { EventEmitter, once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { documentFormat } from '../../../server/documents/formats/index.ts';
import {
  createDocumentTranslations,
  type DocumentTranslations,
  type DocumentTranslationsOptions,
} from '../../../server/documents/jobs/documents.ts';
import { receiveDocument } from '../../../server/documents/jobs/routes.ts';
import { answerError } from '../../../server/http/errors.ts';
import { useMultipart } from '../../../server/http/requests.ts';
import { openStorage } from '../../../server/storage/open-storage.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { executeOn } from '../../storage/database-access.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';
import { lastPart } from './document-samples.ts';

async function openService(
  maxDocuments: number,
  options: Partial<DocumentTranslationsOptions> = {},
) {
  const dataFolder = temporaryFolder();
  const storage = await openStorage({ url: undefined, dataFolder, log: quietLog });
  onTestFinished(() => storage.close());
  /** The options of a service that only begins uploads. */
  const usage = { reserve: async () => undefined };
  const unused = { usage } as unknown as Omit<DocumentTranslationsOptions, 'documents' | 'worker'>;
  const service = createDocumentTranslations({
    ...storage,
    ...unused,
    maxDocuments,
    worker: { ends: new EventEmitter(), starting: () => undefined },
    onQueued: () => undefined,
    ...options,
  });
  return { dataFolder, storage, service };
}

it.each([
  ['txt', 1, 1],
  ['docx', 10, 100],
  ['xlsx', 10, 30],
] as const)('a .%s may have %d MB on the free plan, and %d on the pro plan', (name, free, pro) => {
  const { maxBytes } = documentFormat(name);
  expect(maxBytes).toEqual({ free: free * 1_000_000, pro: pro * 1_000_000 });
});

it('concurrent uploads of an account are limited to its documents, and an ended one frees a place', async () => {
  const { storage, service } = await openService(2);
  const [one, another] = [await openAccount(storage), await openAccount(storage)];
  const refusal = { code: 'too_many_documents', status: 429 };
  const first = await service.upload(one);
  const second = await service.upload(one);
  await expect(service.upload(one)).rejects.toMatchObject(refusal);
  await service.upload(another);

  await first.discard();
  await first.discard();
  const third = await service.upload(one);
  await expect(service.upload(one)).rejects.toMatchObject(refusal);
  await Promise.all([second.discard(), third.discard()]);
  await service.upload(one);
});

it("an upload beyond an account's document limit is refused before the file arrives", async () => {
  const { storage, service } = await openService(1);
  const [one, another] = [await openAccount(storage), await openAccount(storage)];
  const document = {
    documentId: 'D',
    accountId: one.account.accountId,
    keyId: one.key.keyId,
    tag: null,
    sizeBytes: 1,
    documentKeyHash: 'h',
    fileName: 'a.txt',
    order: '{}',
    createdAtMs: 1,
  };
  expect(await storage.documents.submit(document, 1, lastPart('x'))).toBe(true);
  await expect(service.upload(one)).rejects.toMatchObject({ status: 429 });
  await service.upload(another);
  await storage.documents.delete('D');
  await service.upload(one);
});

it('a trickling upload is abandoned, and nothing of it is kept', async () => {
  const { dataFolder, storage, service } = await openService(1);
  const caller = await openAccount(storage);
  const app = Fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler(answerError);
  useMultipart(app);
  const pace = { idleLimitMs: 30_000, graceMs: 500, bytesPerSecond: 2_000 };
  app.post('/', (_, reply) => receiveDocument(reply, caller, service, pace));
  const sending = request(await app.listen({ host: '127.0.0.1', port: 0 }), {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.on('error', () => undefined);
  sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  // Initially it meets the minimum rate.
  sending.write('a'.repeat(4_000));
  const trickle = setInterval(() => sending.write('a'), 20);
  onTestFinished(() => {
    clearInterval(trickle);
    sending.destroy();
  });

  const [answer] = await answered;
  expect(answer.statusCode).toBe(408);
  const database = { url: undefined, dataFolder };
  expect(await executeOn(database, 'select 1 from document_parts')).toEqual([]);
  // It frees a place for another upload.
  await service.upload(caller);
});

it('a document whose client leaves before the answer is deleted', async () => {
  const steps = new EventEmitter();
  const { storage, service } = await openService(1, {
    translation: { serves: () => true } as unknown as DocumentTranslationsOptions['translation'],
    wishes: {
      // The last step before the document is queued.
      async settle() {
        const gone = once(steps, 'gone');
        sending.destroy();
        await gone;
        return undefined as never;
      },
    },
  });
  const caller = await openAccount(storage);
  const app = Fastify();
  onTestFinished(() => app.close());
  useMultipart(app);
  const deleting: DocumentTranslations['delete'] = async (...document) => {
    await service.delete(...document);
    steps.emit('deleted');
  };
  app.post('/', (_, reply) => {
    reply.raw.once('close', () => steps.emit('gone'));
    return receiveDocument(reply, caller, { ...service, delete: deleting });
  });
  const deleted = once(steps, 'deleted');
  const sending = request(await app.listen({ host: '127.0.0.1', port: 0 }), {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  sending.on('error', () => undefined);
  const field = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"`;
  sending.end(
    `${field('target_lang')}\r\n\r\nES\r\n${field('source_lang')}\r\n\r\nEN\r\n` +
      `${field('file')}; filename="a.txt"\r\n\r\nHello\r\n--x--\r\n`,
  );
  await deleted;
  expect(await storage.documents.isFull(caller.account.accountId, 1)).toBe(false);
});
