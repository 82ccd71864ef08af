import { expect, it, onTestFinished, vi } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../../server/broker/broker.ts';
import type { PageOrigin } from '../../../server/http/door.ts';
import { recordOf, type SessionRecord } from '../../../server/voice/session/kept-session.ts';
import { SessionSeats } from '../../../server/voice/session/session-seats.ts';
import { createSessionTokens } from '../../../server/voice/session/session-tokens.ts';
import {
  VoiceSessions,
  type VoiceSessionsOptions,
} from '../../../server/voice/session/voice-sessions.ts';
import { createSessionUpdates } from '../../../server/voice/session/session-updates.ts';
import { checkRunning } from '../../../server/voice/session/voice-session-request.ts';
import { embeddedBroker } from '../../broker/open-brokers.ts';
import { quietLog } from '../../storage/samples.ts';
import { noMeasures } from './no-measures.ts';

const LONG_MS = 60_000;
const NOWHERE: PageOrigin = { origin: undefined, host: undefined };

function openDesk(broker: Broker, options: Partial<VoiceSessionsOptions> = {}) {
  const tokens = createSessionTokens({ broker, rememberMs: LONG_MS });
  const sessions = new VoiceSessions({
    ...{ tokens, log: quietLog, measures: noMeasures, loadShare: 0 },
    ...{ tokenTtlMs: LONG_MS, resumeMs: LONG_MS },
    usageMeter: {},
    ...options,
  } as unknown as VoiceSessionsOptions);
  return { tokens, sessions };
}

it("keeps another server's answer when a reconnection's client has gone", async () => {
  const { tokens, sessions } = openDesk(embeddedBroker());
  const first = await tokens.issue({ sessionId: 's', accountId: null }, LONG_MS);
  const answer = await tokens.rotate(first, null, { ttlMs: LONG_MS, mayRepeat: true });
  if (answer.outcome !== 'rotated') throw new Error(answer.outcome);
  const question = { lastSequence: 0, gone: AbortSignal.abort() };
  await expect(sessions.reconnect(first, undefined, question)).rejects.toMatchObject({
    code: 'request_timeout',
  });
  expect(await tokens.spend(answer.token)).toEqual({ outcome: 'spent', sessionId: 's' });
});

it('refuses sessions while no recogniser starts, and says so in readiness', async () => {
  let retryInMs: number | undefined = 1_000;
  const recognisers = [{ name: 'own', retryInMs: () => retryInMs }];
  const request = { path: { recognisers } } as never;
  const { sessions } = openDesk(embeddedBroker(), {
    ...{ recognisers, checkRequest: async () => request },
    seats: { refuseBeyondLimits: () => {} } as never,
  });
  const body = { source_media_content_type: 'audio/flac' } as const;
  const owner = { caller: undefined, tag: null };
  await expect(sessions.open(body, owner)).rejects.toMatchObject({ code: 'recognition_failed' });
  expect(sessions.hearing.takes_sessions).toBe(false);
  retryInMs = undefined;
  expect(sessions.hearing.takes_sessions).toBe(true);
});

const clusterOf = (broker: Broker) => ({
  broker,
  findCaller: () => Promise.reject(new Error('It has no key.')),
});

it('ends the session of an outdated token at another server, even on a second attempt', async () => {
  const broker = embeddedBroker();
  const heard = vi.fn<(said: string) => void>();
  broker.announcements.listen('endings', heard);
  const { tokens, sessions } = openDesk(broker, { cluster: clusterOf(broker) });
  const token = await tokens.issue({ sessionId: 's', accountId: null }, LONG_MS);
  const answer = await tokens.rotate(token, null, { ttlMs: LONG_MS, mayRepeat: false });
  if (answer.outcome !== 'rotated') throw new Error(answer.outcome);
  await tokens.spend(answer.token);
  const away = new ServiceError('broker_unavailable', 'It is away.');
  vi.spyOn(broker.announcements, 'tell').mockRejectedValueOnce(away);
  await expect(sessions.connect(token, NOWHERE)).rejects.toBe(away);
  expect(heard).not.toHaveBeenCalled();
  await expect(sessions.connect(token, NOWHERE)).rejects.toMatchObject({ code: 'token_refused' });
  await expect.poll(() => heard.mock.calls).toMatchObject([[expect.stringContaining('"s"')]]);
});

it('frees the seat of a session that is ended after its server has died', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const broker = embeddedBroker();
  const openSeats = () => new SessionSeats({ broker, most: 10, mostOfKey: 10 });
  await openSeats().take('s', '');
  const record: SessionRecord = {
    request: { source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' },
    ...{ tag: null, openedAtMs: 0, hasBegun: true },
  };
  await broker.records.write(recordOf('s'), JSON.stringify(record), { ttlMs: LONG_MS });
  const { tokens, sessions } = openDesk(broker, {
    cluster: clusterOf(broker),
    seats: openSeats(),
  });
  const token = await tokens.issue({ sessionId: 's', accountId: null }, LONG_MS);
  // Servers that come back would have done so by now.
  vi.advanceTimersByTime(10_000);
  await sessions.end('s');
  await expect(sessions.connect(token, NOWHERE)).rejects.toMatchObject({ code: 'session_ended' });
  expect(await broker.seats.members('sessions')).toEqual([]);
});

it.each([
  ['was deleted', 'not_found'],
  ['does not suit its languages any more', 'invalid_request'],
] as const)('resumes a session without a glossary or terms that %s', async (_, code) => {
  const left = { source_media_content_type: 'audio/flac', source_language: 'en' };
  const request = { ...left, glossary_id: 'g', spoken_terms_id: 't' };
  const check = vi.fn(async (wanted: typeof request) => {
    const unfit = Object.values(wanted).find((value) => value === 'g' || value === 't');
    if (unfit !== undefined) throw new ServiceError(code, unfit);
    return wanted as never;
  });
  expect(await checkRunning(check as never, request, undefined)).toEqual(left);
  // The reason is what was refused first.
  const refuse = () => Promise.reject(new ServiceError(code, 'No.'));
  await expect(checkRunning(refuse, request, undefined)).rejects.toMatchObject({ code });
});

it('changes its languages after its glossary or terms were deleted, which it then names no more', async () => {
  const told: object[] = [];
  const path = { targets: [{ requested: 'es', tag: 'es' }], speech: undefined };
  const request = { source_media_content_type: 'audio/flac', glossary_id: 'g' } as const;
  const updates = createSessionUpdates(
    {
      ...{ request: { ...request, spoken_terms_id: 't' }, path },
      check: async (wanted) => {
        if (wanted.glossary_id !== undefined) throw new ServiceError('not_found', 'No glossary.');
        if (wanted.spoken_terms_id !== undefined) throw new ServiceError('not_found', 'No terms.');
        return { path, prepare: () => {} } as never;
      },
    },
    {
      ...{ apply: () => true, receivedMs: () => 0, onWaiting: () => {} },
      tell: async (message) => void told.push(message),
    },
  );
  updates.take({ id: '1', target_languages: ['es'], glossary_id: 'g' });
  updates.take({ id: '2', target_languages: ['es'] });
  await expect.poll(() => told).toHaveLength(2);
  expect(told).toEqual([
    expect.objectContaining({ type: 'session_update_refused', error_message: 'No glossary.' }),
    { type: 'session_updated', id: '2', start_time: 0, target_languages: ['es'] },
  ]);
});
