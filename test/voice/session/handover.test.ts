import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Broker } from '../../../server/broker/broker.ts';
import { Handover, leaseOf, type HandoverOptions } from '../../../server/voice/session/handover.ts';
import { embeddedBroker } from '../../broker/open-brokers.ts';
import { quietLog } from '../../storage/samples.ts';

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** A node's handover and spies on its callbacks. */
function openHandover(broker: Broker, options: Partial<HandoverOptions> = {}) {
  const onAsked = vi.fn<HandoverOptions['onAsked']>();
  const onLost = vi.fn<HandoverOptions['onLost']>();
  const onForgotten = vi.fn<HandoverOptions['onForgotten']>();
  const handover = new Handover({
    ...{ broker, log: quietLog, onAsked, onLost, onForgotten },
    ...options,
  });
  onTestFinished(() => handover.stop());
  return { handover, onAsked, onLost, onForgotten };
}

it('reports a session as lost that another server owned meanwhile, even after days', async () => {
  vi.useFakeTimers();
  let nowMs = 0;
  const broker = embeddedBroker(() => nowMs);
  const { handover, onLost, onForgotten } = openHandover(broker);
  await handover.take('s', true);
  for (let minute = 0; minute < 30 * 60; minute += 9) {
    nowMs += 9 * MINUTE_MS;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
  }
  expect(onLost).not.toHaveBeenCalled();
  nowMs += 5_000;
  const epoch = await broker.leases.acquire(leaseOf('s'), 'another', 4_000);
  await broker.leases.release(leaseOf('s'), epoch!);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onLost).toHaveBeenCalledWith('s');
  expect(onForgotten).not.toHaveBeenCalled();
});

it('asks a server that is busy with a session again', async () => {
  const broker = embeddedBroker();
  const owner = openHandover(broker, {
    onAsked: (id, isAgain) => {
      if (isAgain) void owner.handover.release(id);
    },
  });
  await owner.handover.take('s', true);
  const another = openHandover({ ...broker, node: 'another' });
  await another.handover.take('s', true);
  expect((await broker.leases.find(leaseOf('s')))?.holder).toBe('another');
});

it('makes a new server wait for owners with an expired lease, but not for those that released theirs', async () => {
  vi.useFakeTimers();
  const broker = embeddedBroker(() => performance.now());
  const young = openHandover({ ...broker, node: 'young' }).handover;
  const given = await broker.leases.acquire(leaseOf('given'), 'owner', 4_000);
  await broker.leases.release(leaseOf('given'), given!);
  await young.take('given', false);
  // Its lease expired while the broker was away.
  await broker.leases.acquire(leaseOf('late'), 'owner', 1);
  const taking = young.take('late', false);
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await broker.leases.acquire(leaseOf('late'), 'owner', 4_000)) ?? 0).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(4_000);
  await taking;
});
