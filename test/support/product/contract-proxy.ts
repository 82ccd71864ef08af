/**
 * A proxy that checks every answer of a server against the server's own OpenAPI document, so that third-party
 * clients are checked as they run.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { readContract } from './contract-check.ts';

export interface ContractProxy {
  url: string;
  /** Violations, one line each, and the number of answers checked. */
  violations(): string[];
  checkedAnswers(): number;
  close(): Promise<void>;
}

/** Starts a proxy for a server that publishes `/openapi.json`. */
export async function startContractProxy(serverUrl: string): Promise<ContractProxy> {
  const check = await readContract(serverUrl);
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
        const problem = check({
          ...{ method, url, status: answer.statusCode ?? 0 },
          header: (name) => answer.headersDistinct[name]?.join(', '),
          body: Buffer.concat(chunks).toString(),
        });
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
