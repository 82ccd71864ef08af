/** What the page reads of an OpenAPI document. */

export interface Schema {
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
  nullable?: boolean;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

export interface Operation {
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: Content;
  responses?: Record<string, Content & { description?: string }>;
  security?: readonly object[];
}

export interface OpenApiDocument {
  info: { title: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
}

/** An operation with where it is. */
export interface Endpoint extends Operation {
  method: string;
  path: string;
}

/** Endpoints by their first tag, in the order of the document. */
export function endpointsByTag({ paths }: OpenApiDocument): Map<string, Endpoint[]> {
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

/** The schema of the JSON in a body, or of whatever it holds first. */
export function schemaOf(body: Content | undefined): Schema | undefined {
  const content = body?.content ?? {};
  return (content['application/json'] ?? Object.values(content)[0])?.schema;
}

/** A type in few words: `list of string`, `xml or html`. */
export function typeInWords(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeInWords).join(' or ');
  if (schema.type === 'array') return `list of ${typeInWords(schema.items ?? {})}`;
  return schema.type ?? 'any';
}
