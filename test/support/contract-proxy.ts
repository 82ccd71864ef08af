/**
 * A proxy in front of a server that holds every answer against the server's own OpenAPI document:
 * clients that know nothing of it are checked as they go.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface ResponseObject {
  content?: Record<string, { schema?: object }>;
}
type Operation = Partial<Record<string, ResponseObject>>;

export interface ContractProxy {
  url: string;
  /** What did not fit, one line each, and how many answers were looked at. */
  violations(): string[];
  checkedAnswers(): number;
  close(): Promise<void>;
}

/** Starts a proxy for a server that publishes `/openapi.json`. */
export async function startContractProxy(serverUrl: string): Promise<ContractProxy> {
  const check = createCheck((await (await fetch(`${serverUrl}/openapi.json`)).json()) as Document);
  const violations: string[] = [];
  let checked = 0;

  const proxy = http.createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const onward = http.request(serverUrl + url, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.pipe(response);
      answer.on('end', () => {
        checked++;
        const problem = check(method, url, answer, Buffer.concat(chunks).toString());
        if (problem !== undefined) violations.push(`${method} ${url}: ${problem}`);
      });
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    violations: () => violations,
    checkedAnswers: () => checked,
    close: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}

interface Document {
  paths: Record<string, Partial<Record<string, { responses?: Operation }>>>;
}

function createCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  const validators = new Map<object, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    operations,
  }));

  return (method: string, url: string, answer: http.IncomingMessage, body: string) => {
    const { statusCode = 0, headers } = answer;
    if (!/^[0-9a-f]{32}$/.test(String(headers['x-trace-id']))) return 'no X-Trace-ID';
    const path = url.split('?', 1)[0] ?? '';
    const operation = routes.find(({ pattern }) => pattern.test(path))?.operations;
    const responses = operation?.[method.toLowerCase()]?.responses;
    if (responses === undefined) return statusCode === 404 ? undefined : 'an unknown operation';
    const described = responses[statusCode] ?? responses[`${String(statusCode).charAt(0)}XX`];
    if (described === undefined) return `status ${statusCode} is not described`;
    const type = headers['content-type']?.split(';', 1)[0] ?? '';
    if (described.content === undefined)
      return body === '' ? undefined : 'a body that is not described';
    const content = described.content[type];
    if (content === undefined) return `type ${JSON.stringify(type)} is not described`;
    if (type !== 'application/json' || content.schema === undefined) return undefined;
    const validate = validators.get(content.schema) ?? ajv.compile(content.schema);
    validators.set(content.schema, validate);
    if (validate(JSON.parse(body))) return undefined;
    return `${statusCode} ${ajv.errorsText(validate.errors)}: ${body.slice(0, 200)}`;
  };
}
