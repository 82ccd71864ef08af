/** Requests to the owner of a room, which are carried out once even when they are repeated. */
import { expect, it, onTestFinished } from 'vitest';
import { createQuestions } from '../../../server/events/nodes/questions.ts';
import { openBrokers } from '../../broker/open-brokers.ts';
import { quietLog } from '../../storage/samples.ts';
import { until } from '../../support/product/server.ts';

it('answers a repeated request as before, for a limited time', async () => {
  const [broker] = await openBrokers('Redis');
  for (const [room, rememberedMs] of [['hall'], ['side', 10]] as const) {
    const questions = createQuestions(broker, quietLog, rememberedMs);
    let times = 0;
    const stop = questions.answer(room, 0, async () => (times += 1));
    onTestFinished(() => {
      stop();
      questions.stop();
    });
    const ask = () => questions.ask(room, { say: 'it' }, { forMs: 20_000, id: room });
    expect(await ask()).toBe(1);
    if (rememberedMs === undefined) expect(await ask()).toBe(1);
    else await until(async () => (await ask()) === 2);
  }
});
