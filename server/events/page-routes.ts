import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Rooms } from './rooms.ts';

/** The page of each address below `/events/{room_id}`. */
const pages = {
  '': 'viewer.html',
  '/speaker': 'speaker.html',
  '/captioner': 'captioner.html',
  '/overlay': 'overlay.html',
} as const;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self' ws: wss:",
  "media-src 'self' blob:",
  "img-src 'self' data: blob:",
  "manifest-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The pages of rooms: for who reads, speaks and types, and for projectors. */
export const eventPages: FastifyPluginAsync<{ widgetFolder: string; rooms: Rooms }> = async (
  app,
  { widgetFolder, rooms },
) => {
  await app.register(fastifyStatic, {
    root: path.join(widgetFolder, 'events'),
    prefix: '/event-pages/',
    schemaHide: true,
    index: false,
    redirect: false,
    maxAge: 0,
  });
  const send = (reply: FastifyReply, file: string, isFramed: boolean) => {
    const ancestors = isFramed ? 'frame-ancestors *' : "frame-ancestors 'self'";
    reply.header('Content-Security-Policy', `${CONTENT_SECURITY_POLICY}; ${ancestors}`);
    return reply.sendFile(file, { maxAge: 0 });
  };
  for (const [address, file] of Object.entries(pages)) {
    app.get<{ Params: { room_id: string } }>(
      `/events/:room_id${address}`,
      { schema: { hide: true } },
      async ({ params }, reply) => {
        // A page that cannot be is better told at once than by a script.
        await rooms.find(params.room_id);
        return send(reply, file, address === '' || address === '/overlay');
      },
    );
  }
};
