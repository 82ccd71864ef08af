/**
 * Form bodies become what their JSON twins would be, guided by the route's schema. JSON bodies stay
 * strict: Fastify's own coercion would turn `"text": "a"` into a list and numbers into text.
 */
import { Ajv, type AnySchema } from 'ajv';
import type { FastifyInstance, FastifySchema } from 'fastify';

const ajvOptions = { useDefaults: true, removeAdditional: false, strict: false } as const;
const strict = new Ajv({ ...ajvOptions, coerceTypes: false });
const lenient = new Ajv({ ...ajvOptions, coerceTypes: 'array' });
for (const ajv of [strict, lenient])
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

interface PropertySchema {
  type?: string;
}

/** Installs validation and the reading of forms on a server. */
export function useForms(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? strict : lenient).compile(schema as AnySchema),
  );
  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (!isRecord(body)) return;
    const properties = bodyProperties(request.routeOptions.schema);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    request.body = isForm === true ? formToJson(body, properties) : tolerant(body, properties);
  });
}

/**
 * What JSON clients may write otherwise than the schema says: nulls count as absent, a single text
 * as a list of one, `0`, `1` and their texts as booleans.
 */
function tolerant(body: Record<string, unknown>, properties: Record<string, PropertySchema>) {
  const entries = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const type = properties[key]?.type;
      if (type === 'array' && typeof value === 'string') return [key, [value]];
      if (type === 'boolean') return [key, toBoolean(value)];
      return [key, value];
    }),
  );
}

/** `1`/`0` become booleans, digits numbers, a lone value a list. */
function formToJson(form: Record<string, unknown>, properties: Record<string, PropertySchema>) {
  return Object.fromEntries(
    Object.entries(form).map(([key, value]) => {
      const type = properties[key]?.type;
      if (type === 'array') return [key, Array.isArray(value) ? value : [value]];
      if (type === 'boolean') return [key, toBoolean(value)];
      const isDigits = typeof value === 'string' && /^-?\d+$/.test(value);
      if ((type === 'integer' || type === 'number') && isDigits) return [key, Number(value)];
      return [key, value];
    }),
  );
}

function toBoolean(value: unknown): unknown {
  if (value === 1 || value === '1' || value === 'true') return true;
  if (value === 0 || value === '0' || value === 'false') return false;
  return value;
}

function bodyProperties(schema: FastifySchema | undefined): Record<string, PropertySchema> {
  const body = schema?.body as { properties?: Record<string, PropertySchema> } | undefined;
  return body?.properties ?? {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
