/** The shared server behind a proxy that holds its answers against its OpenAPI document. */
import { startContractProxy, type ContractProxy } from '../support/product/contract-proxy.ts';
import type { TestServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

export interface ContractServer {
  server: TestServer;
  proxy: ContractProxy;
  stop(): Promise<void>;
}

export async function startContractServer(): Promise<ContractServer> {
  const server = await sharedServer();
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
