/** A reader whose network drops all packets silently, so that no socket ever closes. */
import { expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { RoomFeed, type RoomFeedState } from '../../shared/client/room-feed.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { startResetProxy } from '../support/services/reset-proxy.ts';

it('gives up a connection that is silent for half a minute, and loses nothing', async () => {
  const server = await sharedServer('hearing');
  const proxy = await startResetProxy(server.url);
  const made = await server.post('/v1/rooms', { name: 'Main stage' });
  const { room_id: roomId } = (await made.json()) as { room_id: string };
  const say = (text: string) => server.post(`/v1/rooms/${roomId}/captions`, { text });
  const texts: string[] = [];
  const states: RoomFeedState[] = [];
  const feed = new RoomFeed({
    url: `${proxy.url}/v1/rooms/${roomId}`,
    WebSocket,
    onEvent: (event) => {
      if (event.type === 'state') states.push(event.state);
      if (event.type === 'history' || event.type === 'captions') {
        texts.push(...event.lines.map(({ text }) => text));
      }
    },
  });
  await say('One.');
  await expect.poll(() => texts).toEqual(['One.']);
  const clock = vi.spyOn(Date, 'now');
  const advance = (ms: number) => {
    const from = Date.now() - performance.now();
    clock.mockImplementation(() => from + ms + performance.now());
  };
  proxy.silence();
  await say('Two.');
  advance(31_000);
  await expect.poll(() => texts, { timeout: 20_000 }).toEqual(['One.', 'Two.']);
  expect(states).toEqual(['open', 'reconnecting', 'open']);
  // A clock that is set back, as when a laptop wakes, makes nothing wait longer.
  proxy.silence();
  advance(-3_600_000);
  await say('Three.');
  await expect.poll(() => texts.at(-1), { timeout: 20_000 }).toBe('Three.');
  vi.restoreAllMocks();
  feed.close();
  await proxy.close();
});
