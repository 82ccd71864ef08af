import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../../server/broker/broker.ts';
import { createEmbeddedBroker } from '../../../server/broker/embedded-broker.ts';
import { readRecord, type SessionRecord } from '../../../server/voice/session/kept-session.ts';
import {
  SessionCluster,
  type SessionClusterOptions,
} from '../../../server/voice/session/session-cluster.ts';
import { quietLog } from '../../storage/samples.ts';

const record: SessionRecord = {
  request: { source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' },
  tag: null,
  openedAtMs: 0,
  hasBegun: true,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function openBroker(): Broker {
  const broker = createEmbeddedBroker({ log: quietLog });
  onTestFinished(() => broker.close());
  return broker;
}

/** The sessions of a node that has been there for a while, and what becomes of them. */
function openCluster(broker: Broker, options: Partial<SessionClusterOptions> = {}) {
  const onHopeless = vi.fn<SessionClusterOptions['onHopeless']>();
  const cluster = new SessionCluster({
    ...{ broker, log: quietLog, keptMs: 60_000, onHopeless },
    find: () => undefined,
    findCaller: () => Promise.reject(new Error('It has no key.')),
    adopt: () => Promise.reject(new Error('It is not to be taken up.')),
    ...options,
  });
  onTestFinished(() => cluster.stop());
  vi.advanceTimersByTime(10_000);
  return { cluster, onHopeless };
}

it.each<[code: ErrorCode, stays: boolean]>([
  ['storage_unavailable', true],
  ['internal', true],
  ['stopping', true],
  ['key_deactivated', false],
  ['not_found', false],
])('a session that cannot be taken up because of %s stays: %s', async (code, stays) => {
  const broker = openBroker();
  const adopt = () => Promise.reject(new ServiceError(code, 'No.'));
  const { cluster, onHopeless } = openCluster(broker, { adopt });
  await cluster.journal('s', record, true).open();
  await expect(cluster.take('s')).rejects.toThrow('No.');
  expect(await readRecord(broker, 's')).toEqual(stays ? record : undefined);
  expect(onHopeless).toHaveBeenCalledTimes(stays ? 0 : 1);
});
