import { expect, it } from 'vitest';
import { createSessionTokens } from '../../server/storage/embedded/session-tokens.ts';

it('a token is spent by exactly one of many callers', async () => {
  const tokens = createSessionTokens();
  const token = await tokens.issue('s', 1000);
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => tokens.spend(token)));
  expect(outcomes.filter(({ outcome }) => outcome === 'spent')).toEqual([
    { outcome: 'spent', sessionId: 's' },
  ]);
  expect(outcomes.filter(({ outcome }) => outcome === 'reused')).toHaveLength(199);
});

it('an unknown, expired or revoked token is refused', async () => {
  let nowMs = 0;
  const tokens = createSessionTokens(() => nowMs);
  expect(await tokens.spend('nope')).toEqual({ outcome: 'refused' });
  const expired = await tokens.issue('a', 1000);
  nowMs = 1000;
  expect(await tokens.spend(expired)).toEqual({ outcome: 'refused' });
  const revoked = await tokens.issue('b', 1000);
  await tokens.revoke('b');
  expect(await tokens.spend(revoked)).toEqual({ outcome: 'refused' });
});
