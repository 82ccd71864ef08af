/** Detection of deactivated keys at servers that missed the announcement. */
import { expect, it, onTestFinished } from 'vitest';
import { watchDeactivatedKeys } from '../../server/accounts/api-keys.ts';
import { recordLog } from '../support/product/log-record.ts';
import { openPlatform } from '../support/product/platform.ts';

it('reports missed deactivations once the broker is back, and each only once', async () => {
  const platform = await openPlatform();
  onTestFinished(() => platform.close());
  const keys = [await platform.newcomer(), await platform.newcomer(), await platform.newcomer()];
  const keyIds = keys.map(({ key }) => key.keyId);
  const deactivate = (index: number) => {
    const { accountId, keyId } = keys[index]!.key;
    return platform.storage.apiKeys.deactivate(accountId, keyId, 1);
  };
  let isBack = (): void => undefined;
  const ended: string[] = [];
  const watching = watchDeactivatedKeys({
    apiKeys: platform.storage.apiKeys,
    broker: {
      announcements: {
        listen: () => () => undefined,
        tell: () => Promise.reject(new Error('away')),
      },
      onBack: (hook) => {
        isBack = hook;
        return () => undefined;
      },
    },
    keysInUse: () => [...keyIds, keyIds[0]!],
    onDeactivated: (keyId) => void ended.push(keyId),
    log: recordLog(),
  });
  onTestFinished(() => watching.stop());
  await deactivate(0);
  isBack();
  await expect.poll(() => ended).toEqual([keyIds[0]]);
  await deactivate(2);
  isBack();
  await expect.poll(() => ended).toEqual([keyIds[0], keyIds[2]]);
});
