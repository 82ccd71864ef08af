import { encode } from '@msgpack/msgpack';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../../server/broker/broker.ts';
import { leaseOf, type SessionHold } from '../../../server/voice/session/handover.ts';
import { MEDIA_ALIGNMENT, MediaJump } from '../../../server/voice/audio/media.ts';
import { AudioIntake } from '../../../server/voice/session/audio-entry.ts';
import {
  AUDIO,
  readEnding,
  readKept,
  readRecord,
  type SessionRecord,
  streamOf,
  MESSAGES,
} from '../../../server/voice/session/kept-session.ts';
import {
  SessionCluster,
  type SessionClusterOptions,
} from '../../../server/voice/session/session-cluster.ts';
import type { RunningSession } from '../../../server/voice/session/running-session.ts';
import type { SessionJournal } from '../../../server/voice/session/session-journal.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { embeddedBroker } from '../../broker/open-brokers.ts';
import { quietLog } from '../../storage/samples.ts';

const record: SessionRecord = {
  request: { source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000' },
  tag: null,
  openedAtMs: 0,
  hasBegun: true,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A session cluster of a node that has run for a while, and spies on its callbacks. */
function openCluster(broker: Broker, options: Partial<SessionClusterOptions> = {}) {
  const onLeft = vi.fn<SessionClusterOptions['onLeft']>();
  const onRemoved = vi.fn<SessionClusterOptions['onRemoved']>();
  const cluster = new SessionCluster({
    ...{ broker, log: quietLog, keptMs: 60_000, onRemoved, onLeft },
    find: () => undefined,
    findCaller: () => Promise.reject(new Error('It has no key.')),
    adopt: () => Promise.reject(new Error('It is not to be taken up.')),
    ...options,
  });
  onTestFinished(() => cluster.stop());
  vi.advanceTimersByTime(10_000);
  return { cluster, onRemoved, onLeft };
}

it.each<[code: ErrorCode, stays: boolean]>([
  ['storage_unavailable', true],
  ['internal', true],
  ['stopping', true],
  // Its server has other engines than the one that accepted the session.
  ['invalid_request', true],
  ['key_deactivated', false],
  ['not_found', false],
])('handles a session that cannot be resumed because of %s (keeps it: %s)', async (code, stays) => {
  const broker = embeddedBroker();
  const adopt = () => Promise.reject(new ServiceError(code, 'No.'));
  const { cluster, onRemoved } = openCluster(broker, { adopt });
  await cluster.journal('s', record, true).open();
  const error: unknown = await cluster.take('s').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringMatching(/No\.$/) as unknown });
  if (stays) expect(error).toMatchObject({ status: expect.toSatisfy((s) => s >= 500) as unknown });
  expect(await readRecord(broker, 's')).toEqual(stays ? record : undefined);
  expect(onRemoved).toHaveBeenCalledTimes(stays ? 0 : 1);
});

/** A session connected to one node, whose end the other nodes do not know of. */
async function openSession(broker: Broker) {
  const { cluster, ...told } = openCluster(broker, {
    adopt: ({ journal }) =>
      Promise.resolve({
        id: 's',
        own: (hold: SessionHold) => journal.begin(hold),
        journal,
      } as unknown as RunningSession),
  });
  await cluster.journal('s', record, true).open();
  const session = await cluster.take('s');
  const { journal } = session as unknown as { journal: SessionJournal };
  return { cluster, journal, ...told };
}

it('removes all data of a session that is over', async () => {
  const broker = embeddedBroker();
  const { cluster, journal, onRemoved, onLeft } = await openSession(broker);
  await cluster.over('s', journal);
  expect(await readRecord(broker, 's')).toBeUndefined();
  expect(await broker.leases.find(leaseOf('s'))).toBeUndefined();
  expect(onRemoved).toHaveBeenCalledTimes(1);
  expect(onLeft).not.toHaveBeenCalled();
});

it('removes all data of a session that ends during its hand-over', async () => {
  const broker = embeddedBroker();
  const { cluster, journal, onRemoved } = await openSession(broker);
  let over: Promise<void> = Promise.resolve();
  const session = {
    id: 's',
    isOver: false,
    handOver() {
      session.isOver = true;
      over = cluster.over('s', journal);
      return Promise.resolve(false);
    },
  };
  await cluster.handOver(session as unknown as RunningSession, Infinity);
  await over;
  expect(await readRecord(broker, 's')).toBeUndefined();
  expect(onRemoved).toHaveBeenCalledTimes(1);
});

it('keeps the data of a session that another server took over while this one was cut off', async () => {
  let nowMs = 0;
  const broker = embeddedBroker(() => nowMs);
  let isAway = false;
  const renew: Broker['leases']['renew'] = (...args) =>
    isAway
      ? Promise.reject(new ServiceError('broker_unavailable', 'It is away.'))
      : broker.leases.renew(...args);
  const { cluster, journal, onRemoved, onLeft } = await openSession({
    ...broker,
    leases: { ...broker.leases, renew },
  });
  isAway = true;
  const over = cluster.over('s', journal);
  nowMs += 5_000;
  await broker.leases.acquire(leaseOf('s'), 'another', 4_000);
  isAway = false;
  await over;
  expect(await readRecord(broker, 's')).toEqual(record);
  expect(onRemoved).not.toHaveBeenCalled();
  expect(onLeft).toHaveBeenCalledTimes(1);
});

it('stops a running session here once another server owns it', async () => {
  let nowMs = 0;
  const broker = embeddedBroker(() => nowMs);
  let isLeft = false;
  let hold: SessionHold | undefined;
  const session = {
    id: 's',
    own(given: SessionHold) {
      hold = given;
      return Promise.resolve();
    },
    leave: () => (isLeft = true),
  } as unknown as RunningSession;
  const { cluster } = openCluster(broker, {
    find: () => (hold === undefined ? undefined : session),
    adopt: () => Promise.resolve(session),
  });
  await cluster.journal('s', record, true).open();
  await cluster.take('s');
  expect(await hold?.check()).toBe(true);
  expect(isLeft).toBe(false);
  nowMs += 5_000;
  await broker.leases.acquire(leaseOf('s'), 'another', 4_000);
  expect(await hold?.check()).toBe(false);
  expect(isLeft).toBe(true);
});

it('keeps a session that was never connected here, but elsewhere', async () => {
  const broker = embeddedBroker();
  const { cluster, onRemoved, onLeft } = openCluster(broker);
  const journal = cluster.journal('s', { ...record, hasBegun: false }, true);
  await cluster.journal('s', record, true).open();
  await cluster.over('s', journal);
  expect(await readRecord(broker, 's')).toEqual(record);
  expect(await broker.leases.find(leaseOf('s'))).toBeUndefined();
  expect(onRemoved).not.toHaveBeenCalled();
  expect(onLeft).toHaveBeenCalledTimes(1);
});

it('resumes a session without the audio that another server version wrote', async () => {
  const broker = embeddedBroker();
  const log = recordLog();
  const adopt = vi.fn<SessionClusterOptions['adopt']>(() =>
    Promise.resolve({ id: 's', own: () => Promise.resolve() } as unknown as RunningSession),
  );
  const { cluster } = openCluster(broker, { adopt, log });
  await cluster.journal('s', record, true).open();
  const append = (bytes: Buffer) =>
    broker.streams.append(streamOf('s', AUDIO.name), bytes, { maxLength: 9, ttlMs: 60_000 });
  const intake = new AudioIntake();
  intake.add(new Uint8Array(3_200));
  await append(Buffer.from([255, 1, 2]));
  await append(intake.take({ fromBytes: 6_400, receivedMs: 300, confirmed: 0, hasEnded: false }));
  await append(Buffer.from([255, 1, 2]));
  await cluster.take('s');
  const { audio } = adopt.mock.calls[0]![0].kept;
  expect(audio.receivedBytes).toBe(9_600);
  expect(audio.receivedMs).toBeCloseTo(100);
  expect(audio.pieces).toEqual([new MediaJump(6_400), Buffer.alloc(3_200)]);
  const [{ fields, message } = { fields: {}, message: '' }, ...more] = log.lines.filter(
    ({ level }) => level === 'warn',
  );
  expect([fields, more]).toEqual([{ sessionId: 's', entries: 2 }, []]);
  expect(message).toContain('another version');
});

it('resumes a session with a gap in its audio, without waiting for audio that nobody needs', async () => {
  const broker = embeddedBroker();
  const { journal } = await openSession(broker);
  const place = { fromBytes: 3_200, alignBytes: 6_400, alignSamples: 3_200 };
  const rest = { heard: { kind: 'rest', place }, captions: {} };
  const progress = { rest, segments: 0, sentences: 0, targets: {}, said: [], pending: [] };
  const append = (name: string, bytes: Uint8Array) =>
    broker.streams.append(streamOf('s', name), bytes, { maxLength: 9, ttlMs: 60_000 });
  const told = { messages: [], lastSequence: 0, sentences: 0, progress };
  await append(MESSAGES.name, encode(told));
  const intake = new AudioIntake();
  intake.add(new Uint8Array(3_200));
  const head = { fromBytes: 12_800, receivedMs: 500, confirmed: 0, hasEnded: false };
  await append(AUDIO.name, intake.take(head));
  await journal.close();
  const { audio } = await readKept(broker, 's');
  const [start, jump, ...more] = audio.pieces;
  expect([start, jump]).toEqual([new MediaJump(3_200), new MediaJump(12_800)]);
  expect(more).toEqual([MEDIA_ALIGNMENT, Buffer.alloc(3_200)]);
  // Of half a second, a fifth was heard, two fifths are lost, and two fifths follow.
  expect(audio.receivedBytes).toBe(16_000);
  expect(audio.receivedMs).toBeCloseTo(300);
});

it('keeps the audio of a session as long as the session, even when no audio comes', async () => {
  vi.useFakeTimers();
  const broker = embeddedBroker();
  const { journal } = await openSession(broker);
  journal.audio.came(new Uint8Array(3_200));
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(await broker.streams.read(streamOf('s', AUDIO.name), 0, 1)).toHaveLength(1);
  const { audio } = await readKept(broker, 's');
  expect(audio.pieces.filter((piece) => piece instanceof Uint8Array)).toEqual([
    Buffer.alloc(3_200),
  ]);
});

const ENDED = new ServiceError('session_ended', 'It was ended.');

it('ends a session without an owner for any server that resumes it, and leaves nothing behind', async () => {
  const broker = embeddedBroker();
  const { cluster, onRemoved } = openCluster(broker);
  await cluster.journal('s', record, true).open();
  await cluster.end('s', ENDED);
  await expect(cluster.take('s')).rejects.toMatchObject({
    code: 'session_ended',
    message: ENDED.message,
  });
  expect(onRemoved).toHaveBeenCalledWith('s', record);
  expect(await readRecord(broker, 's')).toBeUndefined();
  expect(await readEnding(broker, 's')).toBeUndefined();
  // Nothing is stored for an unknown session.
  await cluster.end('s', ENDED);
  expect(await readEnding(broker, 's')).toBeUndefined();
});

it('ends a session that is ended while it is being resumed', async () => {
  const broker = embeddedBroker();
  const end = vi.fn<RunningSession['end']>();
  const { cluster } = openCluster(broker, {
    adopt: async () => {
      await cluster.end('s', ENDED);
      return { id: 's', own: () => Promise.resolve(), end } as unknown as RunningSession;
    },
  });
  await cluster.journal('s', record, true).open();
  await cluster.take('s');
  await expect.poll(() => end.mock.calls).toMatchObject([[{ code: 'session_ended' }]]);
});

it.each<[what: string, fails: (broker: Broker, error: ServiceError) => unknown]>([
  ['written', ({ records }, error) => vi.spyOn(records, 'write').mockRejectedValueOnce(error)],
  ['told', ({ announcements }, e) => vi.spyOn(announcements, 'tell').mockRejectedValueOnce(e)],
])(
  'reports an end that could not be %s as failed, and completes it on the next attempt',
  async (_what, fails) => {
    const broker = embeddedBroker();
    const { cluster } = openCluster(broker);
    await cluster.journal('s', record, true).open();
    fails(broker, new ServiceError('broker_unavailable', 'It is away.'));
    await expect(cluster.end('s', ENDED)).rejects.toMatchObject({ code: 'broker_unavailable' });
    await cluster.end('s', ENDED);
    expect(await readEnding(broker, 's')).toMatchObject({ code: 'session_ended' });
  },
);

it('does not wait for writes that fail', async () => {
  const broker = embeddedBroker();
  const { journal } = await openSession(broker);
  const away = new ServiceError('broker_unavailable', 'It is away.');
  vi.spyOn(broker.streams, 'append').mockRejectedValue(away);
  journal.audio.came(new Uint8Array(10));
  expect(await journal.flush(10)).toBe(false);
  await journal.close();
});

it('bills audio once that is being written when its session ends', async () => {
  const broker = embeddedBroker();
  const { journal } = await openSession(broker);
  let billedMs = 0;
  journal.listenTo({
    onKept: () => undefined,
    onAudioKept: (durationMs) => void (billedMs += durationMs),
    onRefused: () => undefined,
  });
  journal.audio.came(new Uint8Array(3_200));
  journal.audio.counted(100);
  const writing = journal.audio.write();
  journal.audio.came(new Uint8Array(1_600));
  journal.audio.counted(50);
  billedMs += journal.audio.takeUnkept();
  await writing;
  await journal.close();
  expect(billedMs).toBe(150);
});

it('hands a session that is being resumed to a waiting server, unless a client is connected', async () => {
  const broker = embeddedBroker();
  const sessions = new Map<string, { isConnected: boolean }>();
  const { cluster } = openCluster(broker, {
    find: (id) => sessions.get(id) as RunningSession | undefined,
    adopt: ({ id }) => {
      const session = {
        id,
        isConnected: id === 'connected',
        own: () => Promise.resolve(),
        handOver: () => Promise.resolve(sessions.delete(id)),
      };
      sessions.set(id, session);
      return Promise.resolve(session as unknown as RunningSession);
    },
  });
  for (const id of ['s', 'connected']) {
    await cluster.journal(id, record, true).open();
    await cluster.take(id);
  }
  vi.useRealTimers();
  const wish = { node: 'another', isAgain: true };
  await vi.waitFor(
    async () => {
      for (const sessionId of ['s', 'connected'])
        await broker.announcements.tell('handovers', JSON.stringify({ ...wish, sessionId }));
      expect(sessions.has('s')).toBe(false);
    },
    { timeout: 4_000 },
  );
  expect(await broker.leases.find(leaseOf('s'))).toBeUndefined();
  expect(sessions.has('connected')).toBe(true);
});
