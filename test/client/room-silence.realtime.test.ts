/** A reader whose network drops all packets silently, so that no socket ever closes. */
import { expect, it } from 'vitest';
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
  proxy.silence();
  await say('Two.');
  await expect.poll(() => texts).toEqual(['One.', 'Two.']);
  expect(states).toEqual(['open', 'reconnecting', 'open']);
  feed.close();
  await proxy.close();
});
