/** Checks answers against the OpenAPI document of the server that gave them. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface ResponseObject {
  content?: Record<string, { schema?: object }>;
}
type Operation = Partial<Record<string, ResponseObject>>;

interface Document {
  paths: Record<string, Partial<Record<string, { responses?: Operation }>>>;
}

/** Returns what is wrong with an answer; undefined if it matches the document. */
export type ContractCheck = (answer: Answer) => string | undefined;

/** An answer as received. */
export interface Answer {
  method: string;
  /** Path with query. */
  url: string;
  status: number;
  header: (name: string) => string | undefined;
  body: string;
}

/** Cached by document: servers of one process share it, and compiling its schemas takes long. */
const checks = new Map<string, ContractCheck>();

/** Reads the document of a running server. */
export async function readContract(serverUrl: string): Promise<ContractCheck> {
  const text = await (await fetch(`${serverUrl}/openapi.json`)).text();
  let check = checks.get(text);
  if (check === undefined) checks.set(text, (check = createCheck(JSON.parse(text) as Document)));
  return check;
}

function createCheck(document: Document): ContractCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('binary', true);
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  const validators = new Map<object, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    operations,
  }));

  return ({ method, url, status, header, body }) => {
    if (!/^[0-9a-f]{32}$/.test(header('x-trace-id') ?? '')) return 'no X-Trace-ID';
    const path = url.split('?', 1)[0] ?? '';
    const operation = routes.find(({ pattern }) => pattern.test(path))?.operations;
    const responses = operation?.[method.toLowerCase()]?.responses;
    if (responses === undefined) return status === 404 ? undefined : 'an unknown operation';
    const described = responses[status] ?? responses[`${String(status).charAt(0)}XX`];
    if (described === undefined) return `status ${status} is not described`;
    const type = header('content-type')?.split(';', 1)[0] ?? '';
    if (described.content === undefined)
      return body === '' ? undefined : 'a body that is not described';
    const content = described.content[type];
    if (content === undefined) return `type ${JSON.stringify(type)} is not described`;
    if (type !== 'application/json' || content.schema === undefined) return undefined;
    const validate = validators.get(content.schema) ?? ajv.compile(content.schema);
    validators.set(content.schema, validate);
    if (validate(JSON.parse(body))) return undefined;
    return `${status} ${ajv.errorsText(validate.errors)}: ${body.slice(0, 200)}`;
  };
}
