import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import { createSessionTokens } from '../../../server/voice/session/session-tokens.ts';
import { type BrokerName, brokerNames, openBrokers } from '../../broker/open-brokers.ts';

const once = { ttlMs: 1000, mayRepeat: false };
const session = { sessionId: 's', accountId: 'a' };

/** The same tokens as two servers see them. */
async function openTokens(name: BrokerName, now?: () => number) {
  const [tokens, other] = (await openBrokers(name)).map((each) =>
    createSessionTokens({ broker: each, rememberMs: 600_000, ...(now && { now }) }),
  );
  return { tokens: tokens!, other: other! };
}

const LOST = 'The answer was lost.';

/** Tokens over a broker that loses the answer to the next change, or the change itself. */
async function openUncertainTokens(name: BrokerName) {
  const [broker] = await openBrokers(name);
  let lost: 'answer' | 'question' | undefined;
  const records: typeof broker.records = {
    ...broker.records,
    async write(...args) {
      const losing = lost;
      lost = undefined;
      const isWritten = losing !== 'question' && (await broker.records.write(...args));
      if (losing !== undefined) throw new ServiceError('broker_unavailable', LOST);
      return isWritten;
    },
  };
  return {
    tokens: createSessionTokens({ broker: { ...broker, records }, rememberMs: 600_000 }),
    loseAnswer: () => void (lost = 'answer'),
    loseQuestion: () => void (lost = 'question'),
  };
}

describe.each(brokerNames)('with the %s broker', (broker) => {
  it('lets exactly one of many callers spend a token', async () => {
    const { tokens, other } = await openTokens(broker);
    const token = await tokens.issue(session, 1000);
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? tokens : other).spend(token)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'spent')).toEqual([
      { outcome: 'spent', sessionId: 's' },
    ]);
    expect(outcomes.filter(({ outcome }) => outcome === 'reused')).toHaveLength(59);
  });

  it.each([2, 16])(
    'answers the caller that spends the token first, of %i callers',
    async (count) => {
      const { tokens } = await openTokens(broker);
      for (let round = 0; round < 40; round += 1) {
        const token = await tokens.issue({ ...session, sessionId: `${round}` }, 1000);
        const told: string[] = [];
        const callers = Array.from({ length: count }, async (_, index) => {
          // Like real requests, the calls arrive within a moment.
          for (let turn = 0; turn < index % 6; turn += 1) await setImmediate();
          told.push((await tokens.spend(token)).outcome);
        });
        await Promise.all(callers);
        expect(told).toEqual(['spent', ...Array.from({ length: count - 1 }, () => 'reused')]);
      }
    },
  );

  it('refuses an unknown, expired or revoked token', async () => {
    let nowMs = 0;
    const { tokens } = await openTokens(broker, () => nowMs);
    expect(await tokens.spend('nope')).toEqual({ outcome: 'refused' });
    const expired = await tokens.issue(session, 1000);
    nowMs = 1000;
    expect(await tokens.spend(expired)).toEqual({ outcome: 'refused' });
    const revoked = await tokens.issue({ ...session, sessionId: 'r' }, 1000);
    await tokens.revoke('r');
    expect(await tokens.spend(revoked)).toEqual({ outcome: 'refused' });
    expect(await tokens.rotate(revoked, 'a', once)).toEqual({ outcome: 'refused' });
  });

  it('exchanges the latest token, spent or not, for a usable one', async () => {
    const { tokens } = await openTokens(broker);
    const first = await tokens.issue(session, 1000);
    await tokens.spend(first);
    const second = await tokens.rotate(first, 'a', once);
    if (second.outcome !== 'rotated') throw new Error(second.outcome);
    const third = await tokens.rotate(second.token, 'a', once);
    if (third.outcome !== 'rotated') throw new Error(third.outcome);
    expect(await tokens.spend(third.token)).toEqual({ outcome: 'spent', sessionId: 's' });
  });

  it('treats an exchanged token as outdated in the next exchange', async () => {
    const { tokens } = await openTokens(broker);
    const first = await tokens.issue(session, 1000);
    await tokens.rotate(first, 'a', once);
    expect(await tokens.rotate(first, 'a', once)).toEqual({ outcome: 'outdated', sessionId: 's' });
  });

  it('treats an exchanged token as spent', async () => {
    const { tokens } = await openTokens(broker);
    const first = await tokens.issue(session, 1000);
    await tokens.rotate(first, 'a', once);
    expect(await tokens.spend(first)).toEqual({ outcome: 'reused', sessionId: 's' });
  });

  it('tolerates a late connection with an exchanged token when exchanges may be repeated', async () => {
    const { tokens } = await openTokens(broker);
    const first = await tokens.issue(session, 1000);
    const second = await tokens.rotate(first, 'a', { ttlMs: 1000, mayRepeat: true });
    if (second.outcome !== 'rotated') throw new Error(second.outcome);
    expect(await tokens.spend(first)).toEqual({ outcome: 'refused' });
    expect(await tokens.spend(second.token)).toEqual({ outcome: 'spent', sessionId: 's' });
  });

  it('lets exactly one of many exchanges of one token succeed', async () => {
    const { tokens, other } = await openTokens(broker);
    const token = await tokens.issue(session, 1000);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? tokens : other).rotate(token, 'a', once),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'outdated')).toHaveLength(49);
  });

  it("refuses another account's token and leaves it valid", async () => {
    const { tokens } = await openTokens(broker);
    const token = await tokens.issue(session, 1000);
    expect(await tokens.rotate(token, 'b', once)).toEqual({ outcome: 'refused' });
    expect(await tokens.spend(token)).toEqual({ outcome: 'spent', sessionId: 's' });
  });

  it('allows an exchange to be repeated until its answer was used', async () => {
    const { tokens } = await openTokens(broker);
    const repeatable = { ttlMs: 1000, mayRepeat: true };
    const first = await tokens.issue(session, 1000);
    await tokens.rotate(first, 'a', repeatable);
    await tokens.rotate(first, 'a', repeatable);
    const third = await tokens.rotate(first, 'a', repeatable);
    if (third.outcome !== 'rotated') throw new Error(third.outcome);
    expect(await tokens.spend(third.token)).toEqual({ outcome: 'spent', sessionId: 's' });
    // A late repetition is refused and does no harm.
    expect(await tokens.rotate(first, 'a', repeatable)).toEqual({ outcome: 'refused' });
    expect(await tokens.rotate(first, 'a', once)).toMatchObject({ outcome: 'outdated' });
  });

  it('finds the session of every useful token, also at another server', async () => {
    const { tokens, other } = await openTokens(broker);
    const repeatable = { ttlMs: 1000, mayRepeat: true };
    const first = await tokens.issue(session, 1000);
    expect(await other.sessionOf(first)).toBe('s');
    expect(
      await other.sessionOf(first.replace(/^./, (letter) => (letter === 'a' ? 'b' : 'a'))),
    ).toBeUndefined();
    const second = await tokens.rotate(first, 'a', repeatable);
    if (second.outcome !== 'rotated') throw new Error(second.outcome);
    expect(await other.sessionOf(first)).toBe('s');
    expect(await other.sessionOf(second.token)).toBe('s');
    await tokens.spend(second.token);
    expect(await other.sessionOf(first)).toBeUndefined();
    expect(await other.sessionOf(second.token)).toBe('s');
  });

  it('finds the session of a token where it was issued, even if the broker has lost it', async () => {
    const [node] = await openBrokers(broker);
    const tokens = createSessionTokens({ broker: node, rememberMs: 600_000 });
    const token = await tokens.issue(session, 1000);
    await node.records.remove('tokens s');
    expect(await tokens.sessionOf(token)).toBe('s');
  });

  it.each([true, false])(
    'answers a repeated request whose answer was lost, exactly once (repeatable: %s)',
    async (mayRepeat) => {
      const { tokens, loseAnswer } = await openUncertainTokens(broker);
      const first = await tokens.issue(session, 1000);
      loseAnswer();
      await expect(tokens.spend(first)).rejects.toThrow(LOST);
      expect(await tokens.spend(first)).toEqual({ outcome: 'spent', sessionId: 's' });
      expect(await tokens.spend(first)).toEqual({ outcome: 'reused', sessionId: 's' });
      const rotation = { ttlMs: 1000, mayRepeat };
      loseAnswer();
      await expect(tokens.rotate(first, 'a', rotation)).rejects.toThrow(LOST);
      expect(await tokens.rotate(first, 'b', rotation)).toEqual({ outcome: 'refused' });
      const second = await tokens.rotate(first, 'a', rotation);
      if (second.outcome !== 'rotated') throw new Error(second.outcome);
      expect(await tokens.spend(second.token)).toEqual({ outcome: 'spent', sessionId: 's' });
      const outcome = mayRepeat ? 'refused' : 'outdated';
      expect(await tokens.rotate(first, 'a', rotation)).toMatchObject({ outcome });
    },
  );

  it('carries out a repeated request that was lost before', async () => {
    const { tokens, loseQuestion } = await openUncertainTokens(broker);
    const first = await tokens.issue(session, 1000);
    loseQuestion();
    await expect(tokens.rotate(first, 'a', once)).rejects.toThrow(LOST);
    expect(await tokens.rotate(first, 'a', once)).toMatchObject({ outcome: 'rotated' });
  });
});
