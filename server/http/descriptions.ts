/** The interface, described by the server itself. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { OpenApiDocument } from './api-page/document.ts';
import { apiPage } from './api-page/page.ts';
import { apiPageStyle } from './api-page/style.ts';
import { asyncApiDocument } from './asyncapi.ts';

/** Collects what the routes say of themselves; to be registered before them. */
export async function publishDescriptions(app: FastifyInstance): Promise<void> {
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

export interface DescriptionOptions {
  /** Address under which clients reach the server, if it is told. */
  publicUrl: string | undefined;
}

const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'self'";

export const descriptionRoutes: FastifyPluginAsync<DescriptionOptions> = async (
  app,
  { publicUrl },
) => {
  const addressOf = (request: FastifyRequest) =>
    publicUrl ?? `${request.protocol}://${request.host}`;
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/asyncapi.json', { schema: { hide: true } }, async (request) =>
    asyncApiDocument(addressOf(request)),
  );
  app.get('/docs', { schema: { hide: true } }, async (request, reply) => {
    reply.header('Content-Security-Policy', PAGE_POLICY).type('text/html; charset=utf-8');
    return apiPage(app.swagger() as unknown as OpenApiDocument, addressOf(request));
  });
  app.get('/docs/style.css', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(apiPageStyle),
  );
};
