import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CaptionTrack } from '../../server/events/caption-log.ts';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import type { Storage } from '../../server/stores.ts';
import { databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount, quietLog } from '../storage/samples.ts';
import { captionLogBehaviours, type LogUnderTest } from './caption-log-behaviour.ts';
import { wholeTranscript } from './live-room-support.ts';
import { sampleRoom } from './room-samples.ts';

const openNew = databasesOfThisFile();
let opened: ReturnType<typeof openNew> | undefined;
/**
 * One database for all tests, as every test has its own rooms. That PostgreSQL stores captions alike is shown
 * by the tests of the store.
 */
const openDatabase = () => (opened ??= openNew('sqlite'));

function underTest(storage: Storage): LogUnderTest {
  const store = storage.rooms;
  const open = (now = Date.now) => createCaptionLog({ store, log: quietLog, now });
  return {
    log: open(),
    restarted: open,
    async newRoom() {
      const { account, key } = await openAccount(storage);
      const room = sampleRoom({ accountId: account.accountId, keyId: key.keyId });
      await store.create(room, [], 10);
      return room.roomId;
    },
  };
}

describe('the embedded caption log', () => {
  let under: LogUnderTest;

  beforeAll(async () => {
    const { storage } = await openDatabase();
    under = underTest(storage);
  });

  it.each(captionLogBehaviours)('%s', async (_, check) => check(under));

  it('delivers a caption that cannot be written, and writes it with the next one', async () => {
    const { storage } = await openDatabase();
    const made = underTest(storage);
    let isDown = true;
    const log = createCaptionLog({
      log: quietLog,
      store: {
        ...storage.rooms,
        append: async (...args) => {
          if (isDown) throw new Error('The disk is full.');
          await storage.rooms.append(...args);
        },
      },
    });
    const track = { roomId: await made.newRoom(), name: 'spoken' };
    const heard: string[] = [];
    log.follow(track, {
      onCaption: ({ text }) => heard.push(text),
      onTentative: () => undefined,
    });
    const caption = {
      ...{
        line: 1,
        renders: null,
        language: 'en',
        startMs: 1,
        endMs: 2,
        author: 'machine' as const,
      },
    };
    await log.append(track, { ...caption, text: 'one' }, { isKept: true });
    isDown = false;
    expect(heard).toEqual(['one']);
    await log.append(track, { ...caption, text: 'two' }, { isKept: true });
    const kept = await wholeTranscript(made.restarted(), track);
    expect(kept.map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

describe('over a failing database', () => {
  async function failing(retryMs?: number) {
    const { storage } = await openDatabase();
    const made = underTest(storage);
    const { rooms } = storage;
    const state = { isDown: true, isOver: false, triedAtMs: [] as number[] };
    // Stops the retries, which would go on in a process shared with other tests.
    onTestFinished(() => void (state.isOver = true));
    const log = createCaptionLog({
      log: quietLog,
      ...(retryMs !== undefined && { retryMs }),
      store: {
        ...rooms,
        append: async (...args) => {
          if (state.isOver) return;
          state.triedAtMs.push(performance.now());
          if (state.isDown) throw new Error('Connection refused.');
          await rooms.append(...args);
        },
      },
    });
    const track = { roomId: await made.newRoom(), name: 'spoken' };
    const say = (text: string) => {
      const said = { line: 1, renders: null, language: 'en', startMs: 1, endMs: 2, text };
      return log.append(track, { ...said, author: 'machine' }, { isKept: true });
    };
    const kept = async () => {
      const captions = await wholeTranscript(made.restarted(), track);
      return captions.map(({ text }) => text);
    };
    return { log, track, say, kept, state };
  }

  it('writes captions once it can, even if no more are appended', async () => {
    const { log, track, say, kept, state } = await failing(5);
    await say('one');
    await say('two');
    // Even after the room is released.
    log.release(track.roomId);
    await expect.poll(() => state.triedAtMs.length).toBeGreaterThan(4);
    state.isDown = false;
    await expect.poll(kept).toEqual(['one', 'two']);
  });

  it('retries once for all waiting captions', async () => {
    const { say, state } = await failing(30);
    await Promise.all(Array.from({ length: 20 }, (_, count) => say(`${count}`)));
    const before = state.triedAtMs.length;
    await expect.poll(() => state.triedAtMs.length).toBeGreaterThan(before + 3);
    const again = state.triedAtMs.slice(before);
    const waits = again.slice(1).map((atMs, index) => atMs - again[index]!);
    expect(Math.min(...waits)).toBeGreaterThan(20);
  });

  it('writes the last captions when it stops', async () => {
    const { log, say, kept, state } = await failing();
    await say('one');
    state.isDown = false;
    void say('two');
    await log.flush();
    expect(await kept()).toEqual(['one', 'two']);
  });
});

describe('over a database that does not answer', () => {
  async function stuck() {
    const { storage } = await openDatabase();
    const made = underTest(storage);
    const { rooms } = storage;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const store: typeof rooms = {
      ...rooms,
      append: (...args) => answered.then(() => rooms.append(...args)),
      latest: (...args) => answered.then(() => rooms.latest(...args)),
      deleteCaptions: (...args) => answered.then(() => rooms.deleteCaptions(...args)),
    };
    const log = createCaptionLog({ log: quietLog, store });
    const track = { roomId: await made.newRoom(), name: 'spoken' };
    const heard: string[] = [];
    log.follow(track, { onCaption: ({ text }) => heard.push(text), onTentative: () => undefined });
    let line = 0;
    const say = (text: string) => {
      line += 1;
      const said = { line, renders: null, language: 'en', startMs: 1, endMs: 2, text };
      return log.append(track, { ...said, author: 'machine' }, { isKept: true });
    };
    return { ...{ log, track, heard, say, made }, answer };
  }

  it('delivers new captions meanwhile, and writes all of them in order', async () => {
    const { log, track, heard, say, made, answer } = await stuck();
    const read = log.read(track, 0);
    for (const text of ['one', 'two', 'three']) await say(text);
    expect(heard).toEqual(['one', 'two', 'three']);
    answer();
    await say('four');
    expect((await read).captions.map(({ text }) => text).slice(0, 3)).toEqual(heard.slice(0, 3));
    const kept = await wholeTranscript(made.restarted(), track);
    expect(kept.map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('writes nothing that was deleted meanwhile', async () => {
    const { log, track, heard, say, made, answer } = await stuck();
    await say('secret');
    const deleted = log.forget(track.roomId);
    // A new caption does not wait for the deletion.
    await say('public');
    expect(heard).toEqual(['secret', 'public']);
    answer();
    await deleted;
    await log.flush();
    for (const each of [log, made.restarted()]) {
      const kept = await wholeTranscript(each, track);
      expect(kept.map(({ text }) => text)).toEqual(['public']);
    }
  });
});

/** A log whose deletions wait to be released. */
async function slowlyDeleting() {
  const { storage } = await openDatabase();
  const made = underTest(storage);
  const { rooms } = storage;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const store: typeof rooms = {
    ...rooms,
    deleteCaptions: (...args) => held.then(() => rooms.deleteCaptions(...args)),
  };
  const roomId = await made.newRoom();
  return { ...made, roomId, release, slow: createCaptionLog({ log: quietLog, store }) };
}

it('loads nothing into memory that is about to be deleted', async () => {
  const { log: made, slow: log, roomId, release } = await slowlyDeleting();
  const said = { line: 1, renders: null, language: 'en', startMs: 1, endMs: 2, text: 'Secret.' };
  for (const name of ['spoken', 'es']) {
    await made.append({ roomId, name }, { ...said, author: 'machine' }, { isKept: true });
  }
  await log.read({ roomId, name: 'spoken' }, 0);
  const deleted = log.forget(roomId);
  const late = log.read({ roomId, name: 'es' }, 0);
  release();
  await deleted;
  expect((await late).captions).toEqual([]);
  expect((await log.read({ roomId, name: 'spoken' }, 0)).captions).toEqual([]);
});

it.each([true, false])(
  'deletes the renderings of a deleted caption with it (kept: %s)',
  async (isKept) => {
    const { slow: log, roomId, release, restarted } = await slowlyDeleting();
    const [spoken, spanish] = ['spoken', 'es'].map((name) => ({ roomId, name }));
    const add = (track: CaptionTrack, text: string, renders: number | null, line: number) => {
      const said = { line, renders, language: 'en', startMs: 1, endMs: 2, text };
      return log.append(track, { ...said, author: 'machine' }, { isKept });
    };
    const secret = await add(spoken!, 'Secret.', null, 1);
    await log.read(spanish!, 0);
    const deleted = log.forget(roomId);
    // Its translations arrive during the deletion, together with a new line.
    const told = add(spanish!, 'Secreto.', secret.sequence, 1);
    const typed = add(spanish!, 'Nuevo.', null, 2);
    const queued = add(spanish!, 'Secretos.', secret.sequence, 1);
    const late = add(spanish!, 'Muy secreto.', secret.sequence, 3);
    if (!isKept) await told;
    release();
    await deleted;
    const [, { sequence }] = await Promise.all([told, typed, queued, late]);
    await add(spanish!, 'Tarde.', secret.sequence, 4);
    await log.flush();
    for (const each of isKept ? [log, restarted()] : [log]) {
      const kept = await wholeTranscript(each, spanish!);
      expect(kept.map(({ text }) => text)).toEqual(['Nuevo.']);
    }
    // A reader that received one of them must forget it, and misses nothing otherwise.
    const { captions, upTo } = await log.read(spanish!, 0);
    expect(captions.map((each) => each.sequence)).toEqual([sequence]);
    expect(upTo).toBeGreaterThanOrEqual(sequence);
  },
);
