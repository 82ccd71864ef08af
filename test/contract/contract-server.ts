/** A server behind a proxy that checks its answers against its OpenAPI document. */
import { startContractProxy, type ContractProxy } from '../support/product/contract-proxy.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

export interface ContractServer {
  server: RunningServer;
  proxy: ContractProxy;
  stop(): Promise<void>;
}

/** @param given the server to use; without it, the shared server with a new account */
export async function startContractServer(given?: RunningServer): Promise<ContractServer> {
  const server = given ?? (await sharedServer());
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
