import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { graphemesOf } from '../text/code-points.ts';
import type { Rooms } from './rooms.ts';
import type { Room } from './store.ts';

/** Page served at each address below `/events/{room_id}`. */
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

/** Serves the pages of a room: viewer, speaker, captioner and projector overlay. */
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
    setHeaders(reply, file) {
      if (path.basename(file) !== 'service-worker.js') return;
      // The service worker caches the pages, which lie outside its own folder, and fetches them itself.
      reply.header('Service-Worker-Allowed', '../events/');
      reply.header('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    },
  });
  const send = (reply: FastifyReply, file: string, isFramed: boolean) => {
    const ancestors = isFramed ? 'frame-ancestors *' : "frame-ancestors 'self'";
    reply.header('Content-Security-Policy', `${CONTENT_SECURITY_POLICY}; ${ancestors}`);
    // Only a 200 may be answered with 304: a browser shows an empty 404 as its own error page.
    const isThere = reply.statusCode === 200;
    return reply.sendFile(file, { maxAge: 0, etag: isThere, lastModified: isThere });
  };
  for (const [address, file] of Object.entries(pages)) {
    app.get<{ Params: { room_id: string } }>(
      `/events/:room_id${address}`,
      { schema: { hide: true } },
      async ({ params }, reply) => {
        // The page itself explains a missing room; the 404 is for clients that do not render the page.
        await rooms.find(params.room_id).catch((error: unknown) => {
          if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
          reply.code(404);
        });
        return send(reply, file, address === '' || address === '/overlay');
      },
    );
  }

  app.get<{ Params: { room_id: string } }>(
    '/events/:room_id/manifest.webmanifest',
    { schema: { hide: true } },
    async ({ params }, reply) => {
      const room = await rooms.find(params.room_id);
      reply.header('Cache-Control', 'no-cache').type('application/manifest+json');
      return JSON.stringify(manifestOf(room));
    },
  );
};

/** Most characters, as users perceive them, of a name below an icon. */
const SHORT_NAME_LENGTH = 24;

function shortened(name: string): string {
  const letters = Array.from(graphemesOf(name), ({ segment }) => segment);
  return letters.slice(0, SHORT_NAME_LENGTH).join('').trim();
}

/** Returns the web app manifest with which a phone puts a room on its home screen. */
function manifestOf({ roomId, name, wishes }: Room): object {
  // Only people with a link may learn the room's name.
  const shown = wishes.access === 'link' ? 'Live captions' : name;
  const icon = (size: number, purpose: string) => ({
    src: `../../event-pages/icon-${purpose === 'any' ? '' : `${purpose}-`}${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: `../${roomId}`,
    name: shown,
    short_name: shortened(shown),
    start_url: `../${roomId}`,
    scope: '../',
    display: 'standalone',
    background_color: '#f6f5f1',
    theme_color: '#f6f5f1',
    icons: [icon(192, 'any'), icon(512, 'any'), icon(512, 'maskable')],
  };
}
