/**
 * Servers with settings of their own for tests that need no separate process: they share one process per run,
 * and start faster. They have no document worker, because it would read its settings from the environment.
 */
import { askRun } from './shared-server.ts';
import { requestsTo, serverSettings, type RunningServer } from './server.ts';

export interface HostedServer extends RunningServer {
  /** Address of the console with the token of a one-time link; empty without a console. */
  entrance: string;
  /** Everything logged so far, also after the server has stopped. */
  logs(): Promise<string>;
}

/** Settings without engines: looking for those that are not asked is a third of a start. */
export const WITHOUT_ENGINES = {
  ...{ RECOGNISER: 'silent', APERTIUM_MODES: '/nowhere', FFMPEG: 'none' },
};

type Told = Pick<HostedServer, 'url' | 'apiKey' | 'dataFolder' | 'pid' | 'entrance'>;

/** Starts a server with these settings in the shared process. */
export async function startHosted(settings: Record<string, string> = {}): Promise<HostedServer> {
  const host = await askRun('host');
  const ask = async <T>(what: 'start' | 'logs' | 'stop', body: object): Promise<T> => {
    const answer = await fetch(`${host}/${what}`, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text) as T;
  };
  const told = await ask<Told>('start', serverSettings(settings));
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
