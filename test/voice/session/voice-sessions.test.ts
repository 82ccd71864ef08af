import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../server/broker/embedded-broker.ts';
import { noMeasures } from '../../../server/voice/path/measures.ts';
import { createSessionTokens } from '../../../server/voice/session/session-tokens.ts';
import {
  createVoiceSessions,
  type VoiceSessionsOptions,
} from '../../../server/voice/session/voice-sessions.ts';
import { quietLog } from '../../storage/samples.ts';

it('a question whose client has gone takes back no answer of another server', async () => {
  const broker = createEmbeddedBroker({ log: quietLog });
  onTestFinished(() => broker.close());
  const tokens = createSessionTokens({ broker, rememberMs: 60_000 });
  const sessions = createVoiceSessions({
    ...{ tokens, log: quietLog, measures: noMeasures, loadShare: 0, tokenTtlMs: 60_000 },
    usageMeter: {},
  } as unknown as VoiceSessionsOptions);
  const first = await tokens.issue({ sessionId: 's', accountId: null }, 60_000);
  const answer = await tokens.rotate(first, null, { ttlMs: 60_000, mayRepeat: true });
  if (answer.outcome !== 'rotated') throw new Error(answer.outcome);
  const question = { lastSequence: 0, gone: AbortSignal.abort() };
  await expect(sessions.reconnect(first, undefined, question)).rejects.toMatchObject({
    code: 'request_timeout',
  });
  expect(await tokens.spend(answer.token)).toEqual({ outcome: 'spent', sessionId: 's' });
});
