import { expect, it, vi } from 'vitest';
import { createLiveOverview } from '../../../server/voice/session/live-overview.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { VoiceSessions } from '../../../server/voice/session/voice-sessions.ts';

const hearing = { takes_sessions: true, load: 0, late_sessions: 0 };

it('lets only its account end a session whose server has died and which no server lists', async () => {
  const end = vi.fn<VoiceSessions['end']>(() => Promise.resolve());
  const accounts: Record<string, string | null> = { own: 'a', foreign: 'b', demo: null };
  const accountOf = (id: string) => Promise.resolve(accounts[id]);
  const overview = createLiveOverview(
    { list: () => [], end, accountOf, hearing },
    { others: () => Promise.resolve([]) },
  );
  const owner = { accountId: 'a', isOperator: false };
  await overview.end(owner, 'own');
  for (const id of ['foreign', 'demo', 'nobody'])
    await expect(overview.end(owner, id)).rejects.toMatchObject({ code: 'not_found' });
  await overview.end({ accountId: 'b', isOperator: true }, 'demo');
  expect(end.mock.calls).toEqual([['own'], ['demo']]);
});

it('reports an error when other servers could not be told to end a session', async () => {
  const away = new ServiceError('broker_unavailable', 'It is away.');
  const overview = createLiveOverview({
    ...{ list: () => [], hearing },
    accountOf: () => Promise.resolve('a'),
    end: () => Promise.reject(away),
  });
  const ending = overview.end({ accountId: 'a', isOperator: false }, 's');
  await expect(ending).rejects.toBe(away);
});
