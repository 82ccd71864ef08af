/** The seats of a room for readers at several servers. */
import { expect, it } from 'vitest';
import { ReaderSeats } from '../../../server/events/nodes/reader-seats.ts';
import { openBrokers, openEmbedded } from '../../broker/open-brokers.ts';
import { until } from '../../support/product/server.ts';

it('limits readers over all servers, and frees seats for new ones', async () => {
  const seats = (await openBrokers('Redis')).map(
    (broker) => new ReaderSeats({ broker, mostInRoom: 10 }),
  );
  const all = Array.from({ length: 40 }, (_, index) => seats[index % 2]!);
  const came = await Promise.allSettled(all.map((each) => each.take('hall', 1)));
  const leave = came.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  expect(leave).toHaveLength(10);
  leave[0]!();
  leave[0]!();
  await seats[0]!.take('hall', 1);
  await expect(seats[1]!.take('hall', 1)).rejects.toMatchObject({ code: 'too_many_sessions' });
  await seats[0]!.take('side', 0);
});

it('counts with the last known number while the broker does not answer', async () => {
  const broker = openEmbedded();
  const hanging = {
    ...broker,
    seats: { ...broker.seats, take: () => new Promise<never>(() => {}) },
  };
  const seats = new ReaderSeats({ broker: hanging, mostInRoom: 3 });
  await seats.take('hall', 3);
  await expect(seats.take('hall', 4)).rejects.toMatchObject({ code: 'too_many_sessions' });
  await broker.close();
});

it('frees all seats when the last readers have left, even those still being taken', async () => {
  const [broker] = await openBrokers('Redis');
  let sitDown = (): void => undefined;
  const slow = new Promise<void>((resolve) => (sitDown = resolve));
  let hasSat = false;
  const take: typeof broker.seats.take = async (wish) => {
    if (wish.limits[0]?.name !== 'readers of hall') return broker.seats.take(wish);
    await slow;
    const limit = await broker.seats.take(wish);
    hasSat = true;
    return limit;
  };
  let left = 0;
  const leave: typeof broker.seats.leave = async (seat) => {
    await broker.seats.leave(seat);
    left += 1;
  };
  const watched = {
    onBack: () => () => undefined,
    seats: { ...broker.seats, take, leave },
  };
  const seats = new ReaderSeats({ broker: watched, mostInRoom: 3 });
  for (const room of ['hall', 'side']) (await seats.take(room, 1))();
  await seats.left();
  expect(await broker.seats.members('readers of side')).toEqual([]);
  expect([left, hasSat]).toEqual([2, false]);
  sitDown();
  await until(() => left === 3);
  expect(hasSat).toBe(true);
  expect(await broker.seats.members('readers of hall')).toEqual([]);
});

it('holds seats as long as their readers stay, and takes them again after the broker has lost them', async () => {
  const [broker] = await openBrokers('Redis');
  let kept = 0;
  let back = (): void => undefined;
  const watched = {
    onBack: (hook: () => void) => ((back = hook), () => undefined),
    seats: {
      ...broker.seats,
      keep: (...held: Parameters<typeof broker.seats.keep>) => {
        kept += 1;
        return broker.seats.keep(...held);
      },
    },
  };
  const seats = new ReaderSeats({ broker: watched, mostInRoom: 3 });
  const leave = await Promise.all([1, 2, 3].map((known) => seats.take('hall', known)));
  await until(() => kept > leave.length);
  const members = () => broker.seats.members('readers of hall');
  for (const member of await members()) {
    await broker.seats.leave({ names: ['readers of hall'], member });
  }
  back();
  await until(async () => (await members()).length === 3);
  for (const each of leave) each();
  await until(async () => (await members()).length === 0);
});
