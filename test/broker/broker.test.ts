import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../server/broker/broker.ts';
import { brokenBrokers } from './broken-brokers.ts';
import type { BrokerUnderTest } from './behaviour-support.ts';
import { brokerBehaviours } from './broker-behaviour.ts';
import { brokerNames, openEmbedded, openNodes } from './open-brokers.ts';

const PATIENCE_MS = 90_000;

describe.each(brokerNames)('the %s broker', (name) => {
  let opened: Broker[];
  let under: BrokerUnderTest;

  beforeAll(async () => {
    opened = name === 'Redis' ? await openNodes(2) : [openEmbedded()];
    const [broker, other] = [opened[0]!, opened.at(-1)!];
    under = { broker, other, patienceMs: PATIENCE_MS };
  });
  afterAll(async () => {
    for (const broker of opened) await broker.close();
  });

  it.each(brokerBehaviours)('$name', ({ check }) => check(under));
});

describe('the behaviour suite', () => {
  it.each(brokenBrokers)('fails for a broker that $fault', async ({ breaks, breakIt }) => {
    const sound = openEmbedded();
    onTestFinished(() => sound.close());
    const broker = breakIt(sound);
    const found = brokerBehaviours.filter(({ name }) => name.startsWith(breaks));
    expect(found).toHaveLength(1);
    const under = { broker, other: broker, patienceMs: 200 };
    await expect(found[0]!.check(under)).rejects.toThrow();
  });

  it('has a broken broker for every behaviour', () => {
    const broken = (name: string) => brokenBrokers.some(({ breaks }) => name.startsWith(breaks));
    expect(brokerBehaviours.map(({ name }) => name).filter((name) => !broken(name))).toEqual([]);
  });
});

describe('several nodes on one Redis', () => {
  it('give exactly ten of sixty-four a seat, whichever node is asked', async () => {
    const nodes = await openNodes(3);
    onTestFinished(async () => {
      for (const node of nodes) await node.close();
    });
    const limits = [{ name: 'sessions', most: 10 }];
    const full = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        nodes[index % 3]!.seats.take({ limits, member: `${index}`, ttlMs: 60_000 }),
      ),
    );
    expect(full.filter((name) => name === undefined)).toHaveLength(10);
  });
});
