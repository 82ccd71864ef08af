/** The interface, described by the server itself. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { asyncApiDocument } from '../asyncapi.ts';

/** Collects what the routes say of themselves; to be registered before them. */
export async function publishDocuments(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Dragoman',
        version: '3',
        description:
          'Live translation you run yourself. The voice socket is described at /asyncapi.json.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              'Service-Auth-Key YOUR_KEY, or DeepL-Auth-Key YOUR_KEY as DeepL API clients send it.',
          },
        },
      },
    },
  });
}

export const documentRoutes: FastifyPluginAsync = async (app) => {
  const asyncApi = asyncApiDocument();
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/asyncapi.json', { schema: { hide: true } }, async () => asyncApi);
};
