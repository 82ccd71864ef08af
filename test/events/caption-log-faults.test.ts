/** The caption log over a database whose calls may be slow, fail, succeed with an error, or hang. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import fc from '../support/suite/properties.ts';
import { quietLog } from '../storage/samples.ts';
import { play } from './caption-log-play.ts';
import { script, TRACKS } from './caption-log-scripts.ts';
import { faultyStore } from './faulty-store.ts';

const TRACK = TRACKS[0]!;
const RUNS = 200;

it('keeps its contract under any database faults', async () => {
  const scripts = fc.sample(script, RUNS);
  // Concurrently, as hanging calls take time.
  const results = await Promise.allSettled(scripts.map((each) => play(each)));
  const failed = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ script: scripts[index], reason: String(result.reason) }] : [],
  );
  const [shortest] = failed.sort(
    (a, b) => JSON.stringify(a.script).length - JSON.stringify(b.script).length,
  );
  expect(shortest).toBeUndefined();
});

describe('in particular cases', () => {
  function open(script: string[] = ['prompt']) {
    const store = faultyStore(script);
    const log = createCaptionLog({ store, log: quietLog, retryMs: 4 });
    let line = 0;
    const add = (text: string) =>
      log.append(
        TRACK,
        {
          ...{ line: (line += 1), renders: null, language: 'en', startMs: 1, endMs: 2 },
          ...{ text, author: 'machine' },
        },
        { isKept: true },
      );
    return { store, log, add };
  }

  it('deletes unwritten captions of a room that was released', async () => {
    const { store, log, add } = open(['fails', 'fails', 'prompt']);
    await add('secret');
    log.release(TRACK.roomId);
    await log.forget(TRACK.roomId);
    store.heal();
    await log.flush();
    expect(store.sequences(TRACK)).toEqual([]);
  });

  it('reports a deletion to a reader that returns to a released room', async () => {
    const { log, add } = open();
    await add('one');
    const { sequence } = await add('two');
    log.release(TRACK.roomId);
    await log.forget(TRACK.roomId);
    expect((await log.read(TRACK, sequence - 1)).isWhole).toBe(false);
  });

  it('does not delay new captions for a second deletion', async () => {
    const { store, log, add } = open(['prompt', 'prompt', 'hangs']);
    await add('one');
    const deletions = [log.forget(TRACK.roomId), log.forget(TRACK.roomId)];
    let isTold = false;
    const told = add('two').then(() => (isTold = true));
    // Longer than a caption waits for the database.
    await expect
      .poll(() => isTold, { timeout: 2_500 })
      .toBe(true)
      .finally(() => store.heal());
    await Promise.all([...deletions, told]);
  });

  it('retries briefly to write the last lines', async () => {
    const { store, log, add } = open(['prompt', 'fails', 'fails']);
    await add('one');
    const closed = log.flush();
    await turn();
    store.heal();
    await closed;
    expect(store.sequences(TRACK)).toHaveLength(1);
  });
});
