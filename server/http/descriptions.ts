/** The interface, described by the server itself. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { OpenApiDocument } from './api-page/document.ts';
import { apiPage } from './api-page/page.ts';
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
          roomKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              'Room-Key KEY: the key of a link to a room, or the one that was given for its passcode; `key` in the query where a browser can send no header.',
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

/** The style of the page: the colours of the demo page, light and dark. */
const apiPageStyle = `
:root {
  color-scheme: light dark;
  --ink: #15191c; --soft: #495157; --page: #f6f5f1; --card: #ffffff; --line: #dfe0da; --accent: #0b5d55;
  font: 100%/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #f1f4f4; --soft: #b0babd; --page: #0e1213; --card: #161b1d; --line: #2c3437; --accent: #7fd8c9; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--page); }
a { color: var(--accent); text-underline-offset: 0.2em; }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: ui-monospace, 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace; font-size: 0.9em; }
nav { padding: 2rem 1.5rem; }
nav .title { margin: 0; font-weight: 600; }
nav h2 { margin: 1.5rem 0 0.25rem; font-size: 0.8rem; font-weight: 600; color: var(--soft); text-transform: capitalize; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 0.25rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { max-width: 52rem; padding: 2rem 1.5rem 6rem; }
h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2; letter-spacing: -0.01em; }
section { margin-top: 2rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; scroll-margin-top: 1rem; }
section h2 { margin: 0; font-size: 1.3rem; }
section h3 { margin: 1.75rem 0 0.25rem; font-size: 1rem; }
.call { margin: 0.25rem 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
dl { margin: 0; }
dl > div { padding: 0.6rem 0; border-top: 1px solid var(--line); }
dl > div:first-child { border-top: 0; }
dt { overflow-wrap: anywhere; }
dt code { font-weight: 600; }
dt span { margin-left: 0.5rem; color: var(--soft); font-size: 0.9rem; }
dt .required { color: var(--accent); }
dd { margin: 0; color: var(--soft); }
dd:empty { display: none; }
pre { margin: 1.25rem 0; padding: 1rem; overflow-x: auto; background: var(--page); border-radius: 0.5rem; }
.failure { margin: 0.25rem 0; color: var(--soft); font-size: 0.9rem; }
.failure b { text-transform: uppercase; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line); }
  main { padding: 3rem; }
}
`;
