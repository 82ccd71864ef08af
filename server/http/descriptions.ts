/** The server's own API descriptions: OpenAPI, AsyncAPI and a page for people. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { asyncApiDocument } from './asyncapi.ts';

/** Collects the schemas of routes for the OpenAPI document; must be registered before the routes. */
export async function publishDescriptions(
  app: FastifyInstance,
  { publicUrl }: DescriptionOptions,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      // Without them, paths begin at the root of the host that served the document.
      ...(publicUrl !== undefined && { servers: [{ url: withoutSlash(publicUrl) }] }),
      info: {
        title: 'Dragoman',
        version: '3',
        description:
          'Self-hosted live translation. The voice socket is described at /asyncapi.json.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              '`Service-Auth-Key YOUR_KEY`, or `DeepL-Auth-Key YOUR_KEY` as sent by DeepL API clients.',
          },
          roomKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              '`Room-Key KEY`, with the key of a link to a room or a key obtained with its ' +
              'passcode. Where a browser cannot send headers, pass it as `key` in the query.',
          },
        },
      },
    },
  });
}

export interface DescriptionOptions {
  /** Address under which clients reach the server, if configured. */
  publicUrl: string | undefined;
}

/** Returns an address to which paths can be appended. */
function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}

const PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'self'";

export const descriptionRoutes: FastifyPluginAsync<DescriptionOptions> = async (
  app,
  { publicUrl },
) => {
  const addressOf = (request: FastifyRequest) =>
    publicUrl === undefined ? `${request.protocol}://${request.host}` : withoutSlash(publicUrl);
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

/** Style sheet of the page, with the colours of the demo page, light and dark. */
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
main { max-width: 52rem; padding: 2rem 1.5rem 6rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2; letter-spacing: -0.01em; }
section { margin-top: 2rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; scroll-margin-top: 1rem; }
section h2 { margin: 0; font-size: 1.3rem; }
section h3 { margin: 1.75rem 0 0.25rem; font-size: 1rem; }
.call { margin: 0.25rem 0 1rem; color: var(--soft); }
section ul { margin: 1rem 0; padding-left: 1.25rem; }
dl { margin: 0; }
dl > div { padding: 0.6rem 0; border-top: 1px solid var(--line); }
dl > div:first-child { border-top: 0; }
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

/** @param address under which clients reach the server, used in the examples */
function apiPage(document: OpenApiDocument, address: string): string {
  const groups = [...endpointsByTag(document)];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title} interface</title>
        <link rel="stylesheet" href="docs/style.css" />
      </head>
      <body>
        <nav aria-label="Endpoints">
          <p class="title">${document.info.title}</p>
          ${groups.map(
            ([tag, endpoints]) =>
              html`<h2>${tag}</h2>
                <ul>
                  ${endpoints.map(
                    (endpoint) =>
                      html`<li><a href="#${anchor(endpoint)}">${title(endpoint)}</a></li>`,
                  )}
                </ul>`,
          )}
        </nav>
        <main>
          <h1>${document.info.title} interface</h1>
          <p>${document.info.description}</p>
          <p>
            Every request carries <code>Authorization: Service-Auth-Key YOUR_KEY</code>. Machines
            read <a href="openapi.json">openapi.json</a> and
            <a href="asyncapi.json">asyncapi.json</a>.
          </p>
          ${groups.map(([, endpoints]) => endpoints.map((each) => section(each, address)))}
        </main>
      </body>
    </html>`.markup;
}

function section(endpoint: Endpoint, address: string): Html {
  const body = schemaOf(endpoint.requestBody);
  return html`<section id="${anchor(endpoint)}" aria-labelledby="${anchor(endpoint)}-title">
    <h2 id="${anchor(endpoint)}-title">${title(endpoint)}</h2>
    <p class="call"><b>${endpoint.method}</b> <code>${endpoint.path}</code></p>
    ${prose(endpoint.description)}
    ${fields('Parameters', (endpoint.parameters ?? []).map(fromParameter))}
    ${body === undefined ? undefined : fields('Body', fromSchema(body))}
    <pre tabindex="0"><code>${example(endpoint, address)}</code></pre>
    ${responses(endpoint)}
  </section>`;
}

/** Renders the subset of Markdown that descriptions use: paragraphs, lists and code. */
function prose(text = ''): Html[] {
  return text.split(/\n\n+/).map((block) => {
    const lines = block.split('\n');
    const first = lines.findIndex((line) => line.startsWith('- '));
    if (first < 0) return html`<p>${inline(block)}</p>`;
    const items = lines
      .slice(first)
      .map((line) => html`<li>${inline(line.replace(/^- /, ''))}</li>`);
    const before = first > 0 ? html`<p>${inline(lines.slice(0, first).join('\n'))}</p>` : undefined;
    return html`${before}
      <ul>
        ${items}
      </ul>`;
  });
}

function inline(text = ''): (Html | string)[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}

interface Field {
  name: string;
  required: boolean;
  schema: Schema;
}

function fromParameter({ name, required = false, schema = {}, description }: Parameter): Field {
  return {
    name,
    required,
    schema: { ...(description !== undefined && { description }), ...schema },
  };
}

/** Lists the fields of an object and of the objects nested in it, such as `dictionaries[].entries`. */
function fromSchema(schema: Schema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const required = schema.required?.includes(name) ?? false;
    const path = `${prefix}${name}`;
    const inner = property.items ?? property;
    const innerPath = property.items === undefined ? `${path}.` : `${path}[].`;
    return [{ name: path, required, schema: property }, ...fromSchema(inner, innerPath)];
  });
}

function fields(heading: string, list: readonly Field[]): Html | undefined {
  if (list.length === 0) return undefined;
  return html`<h3>${heading}</h3>
    <dl>
      ${list.map(
        ({ name, required, schema }) =>
          html`<div>
            <dt>
              <code>${name}</code> <span>${typeInWords(schema)}</span>
              ${required ? html`<span class="required">required</span>` : undefined}
            </dt>
            <dd>${inline(schema.description)} ${bounds(schema)}</dd>
          </div>`,
      )}
    </dl>`;
}

function bounds({ minimum, maximum, maxItems, maxLength, default: fallback }: Schema): string {
  return [
    minimum !== undefined && `At least ${minimum}.`,
    maximum !== undefined && `At most ${maximum}.`,
    maxItems !== undefined && `At most ${maxItems} items.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    fallback !== undefined && `Default ${JSON.stringify(fallback)}.`,
  ]
    .filter((bound) => bound !== false)
    .join(' ');
}

function responses({ responses: all = {} }: Endpoint): Html {
  return html`${Object.entries(all).map(([status, response]) => {
    const schema = schemaOf(response);
    const list = schema === undefined ? [] : fromSchema(schema.items ?? schema);
    return status.startsWith('2')
      ? fields(`Answer ${status}`, list)
      : html`<p class="failure">
          <b>${status.toLowerCase()}</b> <code>{"message": "what went wrong and what to do"}</code>
        </p>`;
  })}`;
}

/** Builds a curl call that can be pasted into a shell; placeholders to fill in are in capitals. */
function example(
  { method, path, requestBody, parameters = [], security }: Endpoint,
  address: string,
) {
  const query = parameters
    .filter((each) => each.in === 'query' && (each.required === true || each.example !== undefined))
    .map(
      ({ name, schema, example: given }) =>
        `${name}=${given ?? exampleValue(schema) ?? name.toUpperCase()}`,
    )
    .join('&');
  const url = address + path + (query === '' ? '' : `?${query}`);
  const key = security?.some((scheme) => 'roomKey' in scheme) ? 'Room-Key' : 'Service-Auth-Key';
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    ...(security === undefined ? [] : [`  -H 'Authorization: ${key} YOUR_KEY'`]),
    ...exampleBody(requestBody),
  ];
  return lines.join(' \\\n');
}

/** Builds curl's options for a body: JSON, or a form with a file. */
function exampleBody(requestBody: BodyContent | undefined): string[] {
  const schema = schemaOf(requestBody);
  if (schema === undefined) return [];
  const body = exampleOf(schema);
  if (requestBody?.content?.['multipart/form-data'] === undefined) {
    return [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body)}'`];
  }
  return Object.entries(body as Record<string, string>).map(
    ([name, value]) => `  -F '${name}=${name === 'file' ? '@FILE' : value}'`,
  );
}

function exampleValue(schema: Schema | undefined): string | undefined {
  const first = schema?.examples?.[0] ?? schema?.enum?.[0];
  return typeof first === 'string' ? first : undefined;
}

/** Builds an example from the required fields and from the examples of the schema. */
function exampleOf(schema: Schema): unknown {
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0] ?? {});
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [exampleOf(schema.items ?? {})];
  if (schema.type === 'object') {
    const required = Object.entries(schema.properties ?? {}).filter(
      ([name, property]) =>
        (schema.required?.includes(name) ?? false) || property.examples !== undefined,
    );
    return Object.fromEntries(required.map(([name, property]) => [name, exampleOf(property)]));
  }
  return schema.type === 'integer' || schema.type === 'number' ? 0 : '…';
}

function title({ summary, method, path }: Endpoint): string {
  return summary ?? `${method} ${path}`;
}

function anchor({ method, path }: Endpoint): string {
  return `${method}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

// HTML templates: inserted values are escaped unless they are HTML already.

/** Markup that is safe to insert as it is. */
class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Content = Html | string | number | undefined | readonly Content[];

/** Template tag: `html\`<p>${text}</p>\`` escapes `text`. */
function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  const markup = parts.map((part, index) => part + markupOf(contents[index])).join('');
  return new Html(markup);
}

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.markup;
  if (typeof content === 'object') return content.map(markupOf).join('');
  return String(content).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

interface Schema {
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxLength?: number;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: string;
  schema?: Schema;
}

interface BodyContent {
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: BodyContent;
  responses?: Record<string, BodyContent & { description?: string }>;
  security?: readonly object[];
}

interface OpenApiDocument {
  info: { title: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
}

/** An operation with its method and path. */
interface Endpoint extends Operation {
  method: string;
  path: string;
}

/** Groups endpoints by their first tag, in the order of the document. */
function endpointsByTag({ paths }: OpenApiDocument): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'other';
      const group = groups.get(tag) ?? [];
      groups.set(tag, [...group, { ...operation, method: method.toUpperCase(), path }]);
    }
  }
  return groups;
}

/** Returns the schema of the JSON body, or else of the first content type. */
function schemaOf(body: BodyContent | undefined): Schema | undefined {
  const content = body?.content ?? {};
  return (content['application/json'] ?? Object.values(content)[0])?.schema;
}

/** Describes a type briefly: `list of string`, `xml or html`. */
function typeInWords(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeInWords).join(' or ');
  if (schema.type === 'array') return `list of ${typeInWords(schema.items ?? {})}`;
  return schema.type ?? 'any';
}
