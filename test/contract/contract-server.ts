/** A server behind a proxy that holds its answers against its OpenAPI document. */
import { startContractProxy, type ContractProxy } from '../support/product/contract-proxy.ts';
import type { TestServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

export interface ContractServer {
  server: TestServer;
  proxy: ContractProxy;
  stop(): Promise<void>;
}

/** @param start how the server comes about; the shared one unless said otherwise */
export async function startContractServer(
  start: () => Promise<TestServer> = sharedServer,
): Promise<ContractServer> {
  const server = await start();
  const proxy = await startContractProxy(server.url);
  return {
    server,
    proxy,
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
}
