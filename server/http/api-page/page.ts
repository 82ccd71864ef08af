/** The interface as a page for people, made from the OpenAPI document. No script, one style sheet. */
import {
  endpointsByTag,
  schemaOf,
  typeInWords,
  type Endpoint,
  type OpenApiDocument,
  type Parameter,
  type Schema,
} from './document.ts';

/** @param address under which clients reach the server, for the examples */
export function apiPage(document: OpenApiDocument, address: string): string {
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
    <p>${endpoint.description}</p>
    ${fields('Parameters', (endpoint.parameters ?? []).map(fromParameter))}
    ${body === undefined ? undefined : fields('Body', fromSchema(body))}
    <pre tabindex="0"><code>${example(endpoint, address)}</code></pre>
    ${responses(endpoint)}
  </section>`;
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

/** The fields of an object, those of objects within it included: `dictionaries[].entries`. */
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
            <dd>${schema.description} ${bounds(schema)}</dd>
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

/** A call that can be pasted into a shell; what a person has to fill in is in capitals. */
function example(
  { method, path, requestBody, parameters = [], security }: Endpoint,
  address: string,
) {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema }) => `${name}=${exampleValue(schema) ?? name.toUpperCase()}`)
    .join('&');
  const url = address + path + (query === '' ? '' : `?${query}`);
  const body = schemaOf(requestBody);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    security !== undefined && `  -H 'Authorization: Service-Auth-Key YOUR_KEY'`,
    body !== undefined && `  -H 'Content-Type: application/json'`,
    body !== undefined && `  -d '${JSON.stringify(exampleOf(body))}'`,
  ];
  return lines.filter((line) => line !== false).join(' \\\n');
}

function exampleValue(schema: Schema | undefined): string | undefined {
  const first = schema?.examples?.[0] ?? schema?.enum?.[0];
  return typeof first === 'string' ? first : undefined;
}

/** What is required of an object, with the examples of the schema. */
function exampleOf(schema: Schema): unknown {
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.enum !== undefined) return schema.enum[0];
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

// HTML as a template: what is put in is text unless it is HTML itself.

/** Markup that needs no more escaping. */
class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Content = Html | string | number | undefined | readonly Content[];

/** Tag of templates: `html\`<p>${text}</p>\`` escapes `text`, whatever it holds. */
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
