/**
 * Request bodies: normalises them to the types of the route's schema and validates them. JSON stays
 * strict, because Fastify's coercion would turn `"text": "a"` into a list and numbers into text.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'node:querystring';
import { Readable } from 'node:stream';
import { type ValidateFunction, Ajv, type AnySchema } from 'ajv';
import type {
  FastifyInstance,
  FastifySchema,
  FastifySchemaCompiler,
  FastifySchemaValidationError,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { invalid, ServiceError } from '../../shared/errors.ts';
import { UUID } from '../../shared/uuid.ts';

/** The parts of a JSON schema that decide how a value may be written. */
interface ValueSchema {
  type?: string;
  properties?: Record<string, ValueSchema>;
  required?: readonly string[];
  items?: ValueSchema;
  enum?: readonly unknown[];
  anyOf?: readonly ValueSchema[];
  /** The list may also be written as one comma-separated text. */
  'x-comma-separated'?: boolean;
}

/** Installs body parsing on a server. */
export function useForms(app: FastifyInstance): void {
  acceptBodiesOfGets(app);
  refuseEncodedBodies(app);
  useJsonBodies(app);
  useFormBodies(app);
  app.addHook('preValidation', async (request) => {
    const { body, query, routeOptions } = request;
    const { querystring } = (routeOptions.schema ?? {}) as { querystring?: ValueSchema };
    if (querystring !== undefined && isRecord(query)) {
      request.query = properties(query, querystring, true);
    }
    // A body that is still a stream is read by its route.
    if (!isRecord(body) || body instanceof Readable) return;
    const type = request.headers['content-type']?.toLowerCase();
    const isForm = type?.startsWith('application/x-www-form-urlencoded') === true;
    const schema = bodySchema(routeOptions.schema);
    request.body = properties(isForm ? nestFormNames(body) : body, schema, isForm);
  });
}

const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Reads and validates form fields that did not come as the request body.
 *
 * @throws an error like Fastify's for a body that does not match the schema
 */
export function readForm<Schema extends TSchema>(
  fields: Record<string, unknown>,
  schema: Schema,
): Static<Schema> {
  const form = properties(nestFormNames(fields), schema, true);
  const validate = compiled.get(schema) ?? compileStrictly(schema);
  compiled.set(schema, validate);
  if (validate(form)) return form as Static<Schema>;
  throw Object.assign(new Error('The form does not fit.'), {
    validation: validate.errors,
    validationContext: 'body',
  });
}

/**
 * Some clients send the parameters of a GET request as its body, and some the content type of a body
 * that they do not send.
 */
function acceptBodiesOfGets(app: FastifyInstance): void {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addHook('onRequest', async ({ raw: { method, headers }, routeOptions: { schema } }) => {
    const needsBody = method !== 'GET' && method !== 'DELETE' && schema?.body !== undefined;
    // An empty body cannot be parsed.
    if (!needsBody && !announceBody(headers)) delete headers['content-type'];
  });
}

/** Whether the headers announce a body. */
function announceBody(headers: IncomingHttpHeaders): boolean {
  const isEmpty = ['0', undefined].includes(headers['content-length']);
  return !isEmpty || headers['transfer-encoding'] !== undefined;
}

/** Refuses compressed bodies: they would be reported as malformed JSON. */
function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ headers, is404 }, reply) => {
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity' || encoding === '') return;
    // The encoding is irrelevant without a body; on unmatched paths, 404 is the more useful answer.
    if (is404 || !announceBody(headers)) return;
    reply.header('Accept-Encoding', 'identity');
    throw new ServiceError(
      'unsupported_media_type',
      'The body has a Content-Encoding, and none is read here: send it as it is.',
    );
  });
}

/**
 * Normalises an object property by property. Nulls count as absent unless the schema allows null;
 * so do empty form fields, unless they are plain text or required.
 */
function properties(
  record: Record<string, unknown>,
  schema: ValueSchema,
  isForm: boolean,
): Record<string, unknown> {
  const read: [string, unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    const known = schema.properties?.[key];
    if (value === null && !isNullable(known)) continue;
    const isRequired = schema.required?.includes(key) === true;
    if (isForm && value === '' && known !== undefined && !isRequired && !isPlainText(known))
      continue;
    read.push([key, known === undefined ? value : asMeant(value, known, isForm)]);
  }
  // Unlike assignment, this keeps a property called `__proto__` an ordinary one.
  return Object.fromEntries(read);
}

/**
 * Converts a value to the type of its schema: a single text to a list of one, `0`, `1` and their
 * texts to booleans, digits to numbers.
 */
function asMeant(written: unknown, schema: ValueSchema, isForm: boolean): unknown {
  // When a form repeats a name, the last value counts.
  const isSingle = schema.type !== 'array' && schema.type !== undefined;
  const isRepeated = isForm && isSingle && Array.isArray(written);
  const value: unknown = isRepeated ? written.at(-1) : written;
  switch (schema.type) {
    case 'array':
      return list(value, schema, isForm);
    case 'boolean':
      return toBoolean(value);
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    case 'string':
      // Enumerated texts such as `0` and `1` may also come as numbers.
      return typeof value === 'number' && schema.enum !== undefined ? String(value) : value;
    case 'object':
      return isRecord(value) ? properties(value, schema, isForm) : value;
    case undefined:
    default:
      return value === null || !isNullable(schema)
        ? value
        : asMeant(value, valueOf(schema), isForm);
  }
}

/** Whether any text is valid. */
function isPlainText({ type, enum: choices }: ValueSchema): boolean {
  return type === 'string' && choices === undefined;
}

/** Whether null is a value of its own, such as "no limit". */
function isNullable(schema: ValueSchema | undefined): boolean {
  return schema?.anyOf?.some(({ type }) => type === 'null') === true;
}

/** The schema of a nullable value when it is not null. */
function valueOf({ anyOf = [] }: ValueSchema): ValueSchema {
  return anyOf.find(({ type }) => type !== 'null') ?? {};
}

function list(value: unknown, schema: ValueSchema, isForm: boolean): unknown {
  const isLone = typeof value === 'string' || (isForm && !Array.isArray(value));
  const whole = isLone ? [value] : value;
  if (!Array.isArray(whole)) return value;
  const { items } = schema;
  const parts = schema['x-comma-separated'] === true ? whole.flatMap(splitAtCommas) : whole;
  return items === undefined ? parts : parts.map((part) => asMeant(part, items, isForm));
}

function splitAtCommas(value: unknown): unknown[] {
  if (typeof value !== 'string') return [value];
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function toBoolean(value: unknown): unknown {
  // Python writes `True`.
  const written = typeof value === 'string' ? value.toLowerCase() : value;
  if (written === 1 || written === '1' || written === 'true') return true;
  if (written === 0 || written === '0' || written === 'false') return false;
  return value;
}

function bodySchema(schema: FastifySchema | undefined): ValueSchema {
  return (schema?.body as ValueSchema | undefined) ?? {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Nested names of forms: `dictionaries[0].source_lang` is the property `source_lang` of the first
// item of `dictionaries`, and `text[]` an item of `text`.

/** `name[index].property`, or `name[index]` for plain items. */
const NESTED = /^([A-Za-z_]\w*)\[(\d{1,4})\](?:\.([A-Za-z_]\w*)|\[([A-Za-z_]\w*)\])?$/;

/**
 * Gathers the nested names of a form into lists. Indices only determine the order: gaps are closed,
 * so that a large index costs nothing. Names written in several ways (`text`, `text[]`) are one list.
 */
function nestFormNames(form: Record<string, unknown>): Record<string, unknown> {
  const read = new Map<string, unknown>();
  const add = (name: string, value: unknown): void => {
    read.set(name, read.has(name) ? [read.get(name), value].flat() : value);
  };
  const lists = new Map<string, Map<number, unknown>>();
  for (const [name, value] of Object.entries(form)) {
    const match = NESTED.exec(name);
    if (match === null) {
      add(name.replace(/^([A-Za-z_]\w*)\[\]$/, '$1'), value);
      continue;
    }
    const [, listName = '', index, dotted, bracketed] = match;
    const items = lists.get(listName) ?? new Map<number, unknown>();
    lists.set(listName, items);
    place(items, Number(index), dotted ?? bracketed, value);
  }
  for (const [name, items] of lists) add(name, inOrder(items));
  return Object.fromEntries(read);
}

function place(
  items: Map<number, unknown>,
  index: number,
  property: string | undefined,
  value: unknown,
): void {
  if (property === undefined) {
    items.set(index, value);
    return;
  }
  const existing = items.get(index);
  const item = existing instanceof Map ? existing : new Map<string, unknown>();
  items.set(index, item.set(property, value));
}

function inOrder(items: Map<number, unknown>): unknown[] {
  return [...items]
    .sort(([a], [b]) => a - b)
    .map(([, item]) => (item instanceof Map ? Object.fromEntries<unknown>(item) : item));
}

// Form bodies. Large ones, such as a glossary of several megabytes, are decoded in slices, so that
// other requests are served in between.

/** Amount decoded in one go, in UTF-16 units of the body; takes a few ms. */
const SLICE_LENGTH = 64 * 1024;
/** Upper limit on names in a form, repeated ones included; no legitimate request has as many. */
const MAX_NAMES = 10_000;

const JSON_AS_FORM =
  'The body is JSON, but its Content-Type is that of a form: send Content-Type: application/json.';

/** Makes a server accept `application/x-www-form-urlencoded`. */
function useFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => {
      const body = textOf(bytes);
      // curl sends forms unless it is told otherwise.
      if (/^\s*[{[]/.test(body)) throw invalid(JSON_AS_FORM);
      if (body.length > SLICE_LENGTH) return readLargeForm(body);
      const faults: ServiceError[] = [];
      const decodeURIComponent = (escaped: string): string => {
        try {
          return unescaped(escaped);
        } catch {
          // Thrown errors are swallowed by the parser, which falls back to a lenient decoding.
          faults.push(notUtf8());
          return '';
        }
      };
      const form = { ...parse(body, '&', '=', { maxKeys: MAX_NAMES, decodeURIComponent }) };
      const [fault] = faults;
      if (fault !== undefined) throw fault;
      return form;
    },
  );
}

/**
 * Makes a server, or a scope of it, accept JSON. Bodies that are not UTF-8 are refused: they would
 * be accepted, charged and translated with characters lost.
 *
 * @param options.mayBeEmpty whether an empty body counts as none, as many clients send it
 */
export function useJsonBodies(app: FastifyInstance, { mayBeEmpty = false } = {}): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      if (mayBeEmpty && bytes.length === 0) done(null);
      else if (isUtf8(bytes)) void parseJson(request, bytes.toString(), done);
      else done(notUtf8());
    },
  );
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString();
}

/** Decodes escapes; a percent sign that starts no escape stands for itself. */
function unescaped(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    const bytes = Buffer.from(escaped).toString('latin1');
    const byte = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
    return textOf(Buffer.from(bytes.replace(/%([\da-f]{2})/gi, byte), 'latin1'));
  }
}

function notUtf8(): ServiceError {
  return new ServiceError('invalid_request', 'The body has bytes that are no UTF-8: encode it so.');
}

/** Reads a form like `parse` of node:querystring: repeated names become lists, `+` is a blank. */
export async function readLargeForm(body: string): Promise<Record<string, string | string[]>> {
  const form = new Map<string, string[]>();
  let start = 0;
  let pausedAt = 0;
  for (let count = 0; start <= body.length && count < MAX_NAMES; count += 1) {
    const ampersand = body.indexOf('&', start);
    const end = ampersand < 0 ? body.length : ampersand;
    if (end > start) {
      const equals = body.indexOf('=', start);
      const nameEnd = equals < 0 || equals > end ? end : equals;
      const name = await decoded(body, start, nameEnd);
      const value = await decoded(body, Math.min(nameEnd + 1, end), end);
      const values = form.get(name);
      if (values === undefined) form.set(name, [value]);
      else values.push(value);
    }
    start = end + 1;
    if (start - pausedAt < SLICE_LENGTH) continue;
    pausedAt = start;
    await nextTurn();
  }
  return Object.fromEntries(
    [...form].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]),
  );
}

async function decoded(body: string, start: number, end: number): Promise<string> {
  let text = '';
  for (let from = start; from < end;) {
    const to = cutBetweenCharacters(body, from, Math.min(from + SLICE_LENGTH, end), end);
    text += unescaped(body.slice(from, to).replaceAll('+', ' '));
    from = to;
    if (from < end) await nextTurn();
  }
  return text;
}

/** An escaped UTF-8 continuation byte, `%80` to `%BF`. */
const CONTINUATION = /^%[89AB][0-9A-F]$/i;
/** Length of an escaped character of four bytes, the most that UTF-8 has: `%F0%9F%98%80`. */
const LONGEST_ESCAPE = 12;

/** Returns the last position at or before `cut` that does not split an escaped character. */
function cutBetweenCharacters(body: string, from: number, cut: number, end: number): number {
  if (cut >= end) return end;
  for (let at = cut; at > from && at > cut - LONGEST_ESCAPE; at -= 1) {
    const isInEscape = body[at - 1] === '%' || body[at - 2] === '%';
    if (!isInEscape && !CONTINUATION.test(body.slice(at, at + 3))) return at;
  }
  return cut;
}

// Route schemas are compiled on first use, or when the server is idle: compiling all at the start
// would take half a second of processor time.

const ajvOptions = { useDefaults: true, removeAdditional: false, strict: false } as const;
const strict = new Ajv({ ...ajvOptions, coerceTypes: false });
const lenient = new Ajv({ ...ajvOptions, coerceTypes: 'array' });
for (const ajv of [strict, lenient]) ajv.addFormat('uuid', UUID);

/** Compiles the validator of a body, without coercion. */
function compileStrictly(schema: AnySchema): ValidateFunction {
  return strict.compile(schema);
}

/** Schemas that no request has used yet. */
export interface Schemas {
  readonly name: 'schemas';
  /** Compiles them one by one and lets requests run in between. */
  prepare(): Promise<void>;
}

/** Installs the lazy compilers on a server. */
export function compileSchemasOnFirstUse(app: FastifyInstance): Schemas {
  const waiting = new Set<() => unknown>();
  const onFirstUse = <Compiled>(compile: () => Compiled, isLikely = true): (() => Compiled) => {
    let result: Compiled | undefined;
    const use = () => {
      waiting.delete(use);
      return (result ??= compile());
    };
    if (isLikely) waiting.add(use);
    return use;
  };
  app.setValidatorCompiler(validatorsOf(onFirstUse));
  const compile = SerializerSelector()();
  app.setSerializerCompiler(({ httpStatus = '', ...route }) => {
    const isAnswer = !/^[45]/.test(httpStatus);
    const serialize = onFirstUse(() => compile({ ...route, httpStatus }), isAnswer);
    return (data) => serialize()(data);
  });
  return {
    name: 'schemas',
    async prepare() {
      for (const use of waiting) {
        use();
        await new Promise((resolve) => void setImmediate(resolve));
      }
    },
  };
}

type OnFirstUse = <Compiled>(compile: () => Compiled) => () => Compiled;

/**
 * Bodies are validated without coercion, which would turn `"text": "a"` into a list. Parameters and
 * headers always come as text and are coerced.
 */
function validatorsOf(onFirstUse: OnFirstUse): FastifySchemaCompiler<AnySchema> {
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : lenient;
    const validate = onFirstUse((): ValidateFunction => ajv.compile(schema));
    const validator = (data: unknown): boolean => {
      const check = validate();
      const isValid = check(data);
      validator.errors = check.errors ?? null;
      return isValid;
    };
    validator.errors = null as FastifySchemaValidationError[] | null;
    return validator;
  };
}
