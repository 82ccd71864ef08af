/** Building blocks of the broker behaviours. */
import { expect } from 'vitest';
import type { AppendOptions, Broker, StreamEntry } from '../../server/broker/broker.ts';

export interface BrokerUnderTest {
  broker: Broker;
  /** Another node over the same storage. */
  other: Broker;
  /** Limit for what is expected to happen eventually, in ms. */
  patienceMs: number;
}

export interface BrokerBehaviour {
  name: string;
  check: (under: BrokerUnderTest) => Promise<void>;
}

/** Longer than any test runs; SHORT is short enough to see it expire. */
export const LONG = 600_000;
export const SHORT = 30;
export const KEPT: AppendOptions = { maxLength: 1_000, ttlMs: LONG };

export const many = <Result>(count: number, make: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

export const texts = (entries: readonly StreamEntry[]) =>
  entries.map(({ bytes }) => bytes.toString());

/** Expects that each entry refers to its predecessor. */
export function expectChain(entries: readonly StreamEntry[], after: number): void {
  const ids = entries.map(({ id }) => id);
  expect(entries.map(({ previous }) => previous)).toEqual([after, ...ids].slice(0, ids.length));
  expect(ids).toEqual([...new Set(ids)].sort((one, two) => one - two));
}

/** Polls until the answer is right. */
export function eventually<Result>(ask: () => Result, { patienceMs }: BrokerUnderTest) {
  return expect.poll(ask, { timeout: patienceMs, interval: 5 });
}
