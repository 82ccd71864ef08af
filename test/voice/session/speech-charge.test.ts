/** Charging of session audio while the database is unavailable. */
import { expect, it } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import { createSpeechCharges } from '../../../server/voice/session/speech-charge.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { until } from '../audio/decoding.ts';

const caller = {
  key: {
    ...{ keyId: 'key', accountId: 'account', kind: 'developer' as const, label: '', masked: '' },
    ...{ limits: { characters: null, speechMs: null }, createdAtMs: 0, deactivatedAtMs: null },
  },
  account: {
    ...{ accountId: 'account', name: 'account', plan: 'pro' as const, features: [], origins: [] },
    ...{ limits: { characters: null, speechMs: null }, emails: [], createdAtMs: 0 },
  },
};

it('logs each outage of the database once, and charges when the database is back', async () => {
  const log = recordLog();
  let isAway = true;
  let attempts = 0;
  let charged = 0;
  const usageMeter = {
    async chargeSpeech({ speechMs }: { speechMs: number }) {
      attempts += 1;
      if (isAway) throw new ServiceError('storage_unavailable', 'Away.');
      charged += speechMs;
    },
  };
  const charge = createSpeechCharges({ usageMeter, log }).open({
    ...{ caller, tag: null, onRefused: () => undefined },
  });
  const addUntil = (condition: () => boolean) =>
    until(() => {
      charge.add(1_000);
      return condition();
    });

  await addUntil(() => attempts >= 3);
  expect(log.lines).toHaveLength(1);
  isAway = false;
  await addUntil(() => charged > 0);
  isAway = true;
  const before = attempts;
  await addUntil(() => attempts >= before + 3);
  expect(log.lines).toHaveLength(2);
  isAway = false;
  await charge.settle();
  expect(log.lines).toHaveLength(2);
});
