import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginAsync } from 'fastify';

/** The built widget: `dist/widget`, from the built server as well as from the sources. */
export const widgetFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/widget' : '../../widget', import.meta.url),
);

/** The caption element and its worklet, for any page anywhere. */
export const widgetRoutes: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, { root: widgetFolder, serve: false });
  for (const file of ['voice-captions.js', 'pcm-capture.worklet.js']) {
    app.get(`/${file}`, { schema: { hide: true } }, async (_request, reply) => {
      // Module scripts and worklets of other origins are loaded with CORS.
      reply.header('Access-Control-Allow-Origin', '*');
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin');
      return reply.sendFile(file, { cacheControl: true, maxAge: '5m' });
    });
  }
};
