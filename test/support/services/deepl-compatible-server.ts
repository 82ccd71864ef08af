/**
 * A stub of the DeepL-compatible text API that translates word by word and knows one misspelling. Records its
 * requests, and refuses what the public API refuses.
 */
import { SaxesParser } from 'saxes';
import { pseudoTranslate } from '../documents/pseudo-translation.ts';
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
  custom_instructions?: string[];
}

export interface WriteRequest {
  task: 'rephrase' | 'correct';
  text: string[];
  target_lang?: string;
  writing_style?: string;
  tone?: string;
}

export interface DeeplCompatibleServer extends ScriptedHttp {
  /** Detected language of every text; set to make the server offer detection. */
  detected: string | undefined;
  /** Requests to `/v2/translate` so far. */
  translations(): UpstreamRequest[];
  /** Requests to `/v2/write` so far. */
  improvements(): WriteRequest[];
}

const sources = ['EN', 'ES', 'ZH'].map((language) => ({ language, name: language }));
const targets = [
  { language: 'ES', name: 'Spanish', supports_formality: true },
  { language: 'EN-GB', name: 'English', supports_formality: false },
  { language: 'EN-US', name: 'English', supports_formality: false },
  { language: 'ZH-HANS', name: 'Chinese', supports_formality: false },
];

const listed = (lang: string, ...features: string[]) => ({
  ...{ lang, name: lang, usable_as_source: true, usable_as_target: true, status: 'stable' },
  features: Object.fromEntries(features.map((feature) => [feature, { status: 'stable' }])),
});
/** Answers of `/v3/languages` by resource. */
const listings: Record<string, object[]> = {
  translate_text: [
    listed('en', 'auto_detection'),
    listed('en-GB', 'glossary'),
    listed('en-US', 'glossary'),
    listed('es', 'formality', 'style_rules'),
    listed('zh', 'glossary'),
    listed('zh-Hans', 'glossary'),
  ],
  write: [
    listed('de', 'auto_detection', 'tone', 'writing_style'),
    listed('en', 'auto_detection'),
    listed('en-GB', 'tone', 'writing_style'),
    listed('en-US', 'tone', 'writing_style'),
    listed('ja', 'auto_detection'),
  ],
};

/** @param options.isOld without `/v3/languages`, as servers were before it existed */
export async function startDeeplCompatibleServer({
  key,
  port,
  isOld = false,
}: {
  key: string;
  port?: number;
  isOld?: boolean;
}): Promise<DeeplCompatibleServer> {
  const http = await startScriptedHttp(({ method, path, headers, body }) => {
    if (headers.authorization !== `DeepL-Auth-Key ${key}`) return refuse(403, 'Forbidden');
    if (method === 'GET' && path === '/v2/languages?type=source') return ok(sources);
    if (method === 'GET' && path === '/v2/languages?type=target') return ok(targets);
    if (path === '/v3/detect/language' && server.detected !== undefined) {
      const result = { detection_status: 'success', detected_language: server.detected };
      return ok({ results: (body as UpstreamRequest).text.map(() => result) });
    }
    const [, resource = ''] = /^\/v3\/languages\?resource=(\w+)$/.exec(path) ?? [];
    const listing = isOld ? undefined : listings[resource];
    if (method === 'GET' && listing !== undefined) return ok(listing);
    if (method === 'POST' && path === '/v2/translate') return translate(body as UpstreamRequest);
    if (method === 'POST' && taskOf(path) !== undefined) return write(body as WriteRequest);
    return refuse(404, 'Not found');
  }, port);

  const server: DeeplCompatibleServer = Object.assign(http, {
    detected: undefined,
    translations: () =>
      http.requests
        .filter(({ path }) => path === '/v2/translate')
        .map(({ body }) => body as UpstreamRequest),
    improvements: () =>
      http.requests.flatMap(({ path, body }) => {
        const task = taskOf(path);
        return task === undefined ? [] : [{ task, ...(body as Omit<WriteRequest, 'task'>) }];
      }),
  });
  return server;
}

/** Language assumed for texts without one. */
const DETECTED = 'ES';

function taskOf(path: string): WriteRequest['task'] | undefined {
  const [, task] = /^\/v2\/write\/(rephrase|correct)$/.exec(path) ?? [];
  return task as WriteRequest['task'] | undefined;
}

function write({ text, target_lang = 'en-US', writing_style, tone }: WriteRequest): Behaviour {
  if (JSON.stringify(text).length > 10_240) return refuse(413, 'Too large');
  if (writing_style !== undefined && tone !== undefined) return refuse(400, 'Both');
  const isKnown = listings['write']?.some((each) => 'lang' in each && each.lang === target_lang);
  if (isKnown !== true) return refuse(400, 'Language not supported');
  const improvements = text.map((each) => ({
    ...{ text: each.replaceAll('teh', 'the'), target_language: target_lang },
    detected_source_language: target_lang.slice(0, 2),
  }));
  return ok({ improvements });
}

function translate({
  text,
  source_lang = DETECTED,
  target_lang,
  tag_handling,
  custom_instructions: instructions = [],
}: UpstreamRequest): Behaviour {
  if (text.length > 50) return refuse(400, 'Too many texts');
  if (instructions.length > 10 || instructions.some(({ length }) => length > 300)) {
    return refuse(400, 'Too many custom_instructions');
  }
  if (instructions.length > 0 && target_lang !== 'ES') {
    return refuse(400, 'custom_instructions are not supported for this target');
  }
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
