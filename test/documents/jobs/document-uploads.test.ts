import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import {
  createDocumentTranslations,
  type DocumentTranslationsOptions,
} from '../../../server/documents/jobs/documents.ts';
import { openStorage } from '../../../server/storage/open-storage.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';

it('are no more at a time than an account may have documents, and one that ends makes room', async () => {
  const storage = await openStorage({
    ...{ url: undefined, dataFolder: temporaryFolder(), log: quietLog },
  });
  onTestFinished(() => storage.close());
  /** What a service has that only begins uploads. */
  const usage = { reserve: async () => undefined };
  const unused = { usage } as unknown as Omit<DocumentTranslationsOptions, 'documents' | 'worker'>;
  const service = createDocumentTranslations({
    ...{ ...storage, ...unused, maxDocuments: 2 },
    worker: { ends: new EventEmitter(), starting: () => undefined },
  });
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
