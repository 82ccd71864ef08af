/** Real speech and a real recogniser: what a killed server had heard is heard again, to the same words. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spokenSamples } from '../../support/audio/encoded-speech.ts';
import { type Cluster, startCluster } from '../../support/product/cluster.ts';
import { RoamingClient } from '../../support/product/roaming-client.ts';
import { until } from '../../support/product/server.ts';

const SENTENCES = [
  'the red house stands on the hill near the sea',
  'we will meet again in the morning',
];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(2, { RECOGNISER: 'moonshine' });
});
afterAll(() => cluster.stop());

it('the transcript is that of an undisturbed session', async () => {
  const audio = await spokenSamples(SENTENCES);
  const [owner, other] = cluster.nodes;
  let current = other!;
  const request = { source_language: 'en', target_languages: ['es'] };
  const pace = { chunkBytes: 3_200, everyMs: 90 };
  const undisturbed = new RoamingClient({ request, route: () => current, ...pace });
  await undisturbed.speak(audio);
  current = owner!;
  const client = new RoamingClient({ request, route: () => current, ...pace });
  const speaking = client.speak(audio);
  await Promise.race([until(() => client.at > 0.75 * audio.length), speaking]);
  current = other!;
  owner!.process.kill('SIGKILL');
  await speaking;
  expect(client.text()).toBe(undisturbed.text());
  expect(client.text('es')).toBe(undisturbed.text('es'));
  expect(client.sequences).toEqual(undisturbed.sequences);
});
