/**
 * Servers with settings of their own whose tests need no process: they run beside others in the one
 * that a run has for them, and start sooner. They have no worker of documents, which
 * would look for its settings in the environment.
 */
import { askRun } from './shared-server.ts';
import { requestsTo, serverSettings, type RunningServer } from './server.ts';

export interface HostedServer extends RunningServer {
  /** Where its console is found, with the token of a one-time link; empty without a console. */
  entrance: string;
  /** Everything logged so far, also when it has been stopped. */
  logs(): Promise<string>;
}

type Told = Pick<HostedServer, 'url' | 'apiKey' | 'dataFolder' | 'pid' | 'entrance'>;

/** Starts a server with these settings, beside others in one process. */
export async function startHosted(settings: Record<string, string> = {}): Promise<HostedServer> {
  const host = await askRun('host');
  const ask = async <T>(what: 'start' | 'logs' | 'stop', body: object): Promise<T> => {
    const answer = await fetch(`${host}/${what}`, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text) as T;
  };
  const told = await ask<Told>('start', { ...serverSettings(), ...settings });
  let atEnd: string | undefined;
  return {
    ...told,
    ...requestsTo(told.url, told.apiKey),
    logs: async () => atEnd ?? (await ask<{ logs: string }>('logs', { url: told.url })).logs,
    async stop() {
      atEnd = (await ask<{ logs: string }>('stop', { url: told.url })).logs;
    },
  };
}
