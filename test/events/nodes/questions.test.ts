/** What servers ask the home of a room: once, also where it is asked again. */
import { expect, it, onTestFinished } from 'vitest';
import { createQuestions } from '../../../server/events/nodes/questions.ts';
import { openBrokers } from '../../broker/open-brokers.ts';
import { quietLog } from '../../storage/samples.ts';
import { until } from '../../support/product/server.ts';

it('are answered as before where they are asked again, and not for ever', async () => {
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
