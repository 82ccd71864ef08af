/** The embedding code: the README shows the same as the demo page, and it works. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { tokenEndpoint } from '../../shared/client/token-provider.ts';
import { embedSnippets } from '../../widget/demo/snippet.ts';
import { projectFolder } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

const ORIGIN = 'https://live.example.org';
const readme = readFileSync(path.join(projectFolder, 'README.md'), 'utf8');

type Handler = (
  request: { body: unknown },
  response: { status(code: number): { json(body: unknown): void } },
) => Promise<void>;

/** Starts a site that runs a piece of Express code; returns its address. */
async function startSite(code: string, key: string): Promise<string> {
  const routes = new Map<string, Handler>();
  const app = {
    post: (route: string, _json: unknown, handler: Handler) => routes.set(route, handler),
  };
  runInNewContext(code, {
    app,
    express: { json: () => undefined },
    KEY: key,
    fetch,
    URLSearchParams,
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number) => ({
      json: (body: unknown) => void response.writeHead(status).end(JSON.stringify(body)),
    });
    await routes.get(request.url!)!({ body: await json(request) }, { status: send });
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function snippets(address: string) {
  return embedSnippets({ address, sourceLanguage: 'en', targetLanguages: 'es', speech: '' });
}

it('the endpoint of the README equals that of the demo page', () => {
  const [, ...code] = snippets(ORIGIN).server.split('\n');
  expect(readme).toContain(`\`\`\`js\n${code.join('\n')}\n\`\`\``);
});

it('the endpoint starts a session and resumes it', async () => {
  const server = await sharedServer();
  const site = await startSite(snippets(server.url).server, server.apiKey);
  const provide = tokenEndpoint(`${site}/captions-token`);
  const request = {
    source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
    message_format: 'json' as const,
    source_language: 'en',
    target_languages: ['es'],
    acknowledgements: true,
  };
  const { signal } = new AbortController();
  const first = await provide(request, signal);
  const again = await provide({ token: first.token, last_sequence: 0 }, signal);
  expect(again.session_id).toBe(first.session_id);
  expect(again.token).not.toBe(first.token);
  expect(again.received_audio_ms).toBe(0);
});

it('texts and documents of the README use languages of the default engines', async () => {
  const server = await sharedServer();
  const answer = await server.send('/v2/languages?type=target', { method: 'GET' });
  const known = ((await answer.json()) as { language: string }[]).map(({ language }) => language);
  const shown = [
    ...readme.matchAll(/'en', '(\w+)'|translate \S+ --to (\w+)|"target_lang": "(\w+)"/g),
  ];
  const wanted = shown.map(([, code, command, body]) => (code ?? command ?? body)!.toUpperCase());
  expect(wanted.length).toBeGreaterThan(4);
  expect(wanted.filter((language) => !known.includes(language))).toEqual([]);
});
