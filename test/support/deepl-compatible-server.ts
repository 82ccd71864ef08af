/** A small server with the text calls of the DeepL-compatible API, which translates word by word. */
import { SaxesParser } from 'saxes';
import { pseudoTranslate } from './pseudo-translation.ts';
import { startScriptedHttp, type Behaviour, type ScriptedHttp } from './scripted-http.ts';

export interface UpstreamRequest {
  text: string[];
  source_lang?: string;
  target_lang: string;
  tag_handling?: 'xml';
  outline_detection?: boolean;
  split_sentences?: string;
  formality?: string;
  context?: string;
}

export interface DeeplCompatibleServer extends ScriptedHttp {
  /** Set for a server that offers detection: what it says each text is in. */
  detected: string | undefined;
  /** What was asked of `/v2/translate` so far. */
  translations(): UpstreamRequest[];
}

const sources = ['EN', 'ES', 'ZH'].map((language) => ({ language, name: language }));
const targets = [
  { language: 'ES', name: 'Spanish', supports_formality: true },
  { language: 'EN-GB', name: 'English', supports_formality: false },
  { language: 'EN-US', name: 'English', supports_formality: false },
  { language: 'ZH-HANS', name: 'Chinese', supports_formality: false },
];

export async function startDeeplCompatibleServer({
  key,
  port,
}: {
  key: string;
  port?: number;
}): Promise<DeeplCompatibleServer> {
  const http = await startScriptedHttp(({ method, path, headers, body }) => {
    if (headers.authorization !== `DeepL-Auth-Key ${key}`) return refuse(403, 'Forbidden');
    if (method === 'GET' && path === '/v2/languages?type=source') return ok(sources);
    if (method === 'GET' && path === '/v2/languages?type=target') return ok(targets);
    if (path === '/v3/detect/language' && server.detected !== undefined) {
      const result = { detection_status: 'success', detected_language: server.detected };
      return ok({ results: (body as UpstreamRequest).text.map(() => result) });
    }
    if (method !== 'POST' || path !== '/v2/translate') return refuse(404, 'Not found');
    return translate(body as UpstreamRequest);
  }, port);

  const server: DeeplCompatibleServer = Object.assign(http, {
    detected: undefined,
    translations: () =>
      http.requests
        .filter(({ path }) => path === '/v2/translate')
        .map(({ body }) => body as UpstreamRequest),
  });
  return server;
}

/** What it takes texts without a language for. */
const DETECTED = 'ES';

function translate({
  text,
  source_lang = DETECTED,
  target_lang,
  tag_handling,
}: UpstreamRequest): Behaviour {
  if (text.length > 50) return refuse(400, 'Too many texts');
  const isKnown =
    sources.some(({ language }) => language === source_lang) &&
    targets.some(({ language }) => language === target_lang);
  if (!isKnown) return refuse(400, 'Language not supported');
  if (tag_handling === 'xml' && !text.every(isXml)) return refuse(400, 'Tag handling failed');
  return ok({
    translations: text.map((each) => ({
      detected_source_language: source_lang,
      text: pseudoTranslate(each),
    })),
  });
}

function isXml(text: string): boolean {
  const parser = new SaxesParser({ fragment: true });
  let isGood = true;
  parser.on('error', () => (isGood = false));
  parser.write(text).close();
  return isGood;
}

function ok(body: unknown): Behaviour {
  return { status: 200, body };
}

function refuse(status: number, message: string): Behaviour {
  return { status, body: { message } };
}
