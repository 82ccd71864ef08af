/** A stub of the LibreTranslate API that translates word by word. */
import { pseudoTranslate } from '../documents/pseudo-translation.ts';
import { startScriptedHttp, type Behaviour, type ScriptedHttp } from './scripted-http.ts';

export interface LibreTranslateRequest {
  q: string[];
  source: string;
  target: string;
  format: 'text' | 'html';
  api_key?: string;
}

export interface LibreTranslateServer extends ScriptedHttp {
  /** Languages listed by `/languages`: targets by source. */
  languages: Record<string, string[]>;
  /** Requests to `/translate` so far. */
  translations(): LibreTranslateRequest[];
}

export interface LibreTranslateServerOptions {
  key?: string;
  /** Longest request in characters, as on public servers. */
  charLimit?: number;
  /** Prefix of every translated word. */
  mark?: string;
  port?: number;
  /** Address at which it listens. */
  host?: string;
}

export async function startLibreTranslateServer({
  key,
  charLimit = Infinity,
  mark = '',
  port,
  host,
}: LibreTranslateServerOptions = {}): Promise<LibreTranslateServer> {
  const http = await startScriptedHttp(
    ({ method, path, body }) => {
      if (method === 'GET' && path === '/languages') return { status: 200, body: listLanguages() };
      if (method !== 'POST' || path !== '/translate') return refuse(404, 'Not Found');
      return translate(body as LibreTranslateRequest);
    },
    port,
    host,
  );

  function listLanguages() {
    return Object.entries(server.languages).map(([code, targets]) => ({
      code,
      name: code,
      targets: [...targets, code],
    }));
  }

  function translate({ q, source, target, api_key }: LibreTranslateRequest): Behaviour {
    if (api_key !== key) return refuse(403, 'Invalid API key');
    if (server.languages[source] === undefined) return refuse(400, `${source} is not supported`);
    if (!server.languages[source].includes(target)) return refuse(400, `${target} not supported`);
    const length = q.reduce((sum, text) => sum + text.length, 0);
    if (length > charLimit) return refuse(400, `Invalid request: exceeds limit (${charLimit})`);
    const translatedText = q.map((text) => pseudoTranslate(text, mark));
    return { status: 200, body: { translatedText } };
  }

  const server: LibreTranslateServer = Object.assign(http, {
    languages: { en: ['es', 'zt'], es: ['en'] },
    translations: () =>
      server.requests
        .filter(({ path }) => path === '/translate')
        .map(({ body }) => body as LibreTranslateRequest),
  });
  return server;
}

function refuse(status: number, error: string): Behaviour {
  return { status, body: { error } };
}
