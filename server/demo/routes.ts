/**
 * The demo page and its endpoints: a token endpoint without an API key, and a spoken sample. Enabled only
 * by the settings, as everyone who can reach it may use the engines.
 */
import path from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import fastifyStatic from '@fastify/static';
import Type from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import { DocumentKey, DocumentPath } from '../../shared/schemas/documents.ts';
import { VoiceReconnection, VoiceSessionRequest } from '../../shared/schemas/voice-session.ts';
import type { DocumentTranslations } from '../documents/jobs/documents.ts';
import { type VoiceSessions, streamingUrl } from '../voice/index.ts';
import type { Caller, PageRoutes } from '../http/door.ts';
import { abortWhenGone, useMultipart } from '../http/requests.ts';
import { receiveDocument, sendResult } from '../documents/jobs/routes.ts';
import { isLoopbackHost, type Config } from '../config.ts';
import type { Engines } from '../running-engines.ts';
import type { Translation } from '../translation/translation.ts';
import { documentFormat, documentFormats } from '../documents/formats/index.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import { wavHeader } from '../../shared/wav.ts';
import type { RecognitionEngine, SynthesisEngine, Unavailable } from '../engines/engine.ts';
import { speakableLanguages, speakerOf, spokenLanguages } from '../voice/session/speakers.ts';

/** @param options.caller returns the account that owns the page's documents */
export function openDemo({
  config,
  engines: { recognition, synthesis, missing },
  translation,
  betterModels,
  voiceSessions,
  documentTranslations,
  caller,
}: Pick<DemoOptions, 'voiceSessions' | 'documentTranslations'> & {
  config: Config;
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'missing'>;
  translation: Translation;
  betterModels: DemoContentOptions['betterModels'];
  caller: DemoOptions['demoCaller'];
}) {
  const routes: PageRoutes = async (app, { widgetFolder }) => {
    await app.register(demoRoutes, {
      widgetFolder,
      voiceSessions,
      documentTranslations,
      demoCaller: caller,
      publicUrl: config.PUBLIC_URL,
      demoContent: createDemo({
        recognisers: recognition,
        speakers: synthesis,
        translation,
        betterModels,
        missing,
      }),
      isDemoHost: (host) => config.DEMO === 'on' || isLoopbackHost(host),
    });
  };
  return { routes };
}

interface DemoOptions {
  /** Folder of the built widget, including the page. */
  widgetFolder: string;
  voiceSessions: VoiceSessions;
  publicUrl: string | undefined;
  demoContent: Demo;
  /** Whether the page may be served under a host name; guards against DNS rebinding. */
  isDemoHost: (host: string) => boolean;
  documentTranslations: DocumentTranslations;
  /**
   * Returns the account that owns the page's documents; undefined if the first key is not active any more.
   */
  demoCaller: () => Promise<Caller | undefined>;
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self' ws: wss:",
  "media-src 'self' blob:",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const demoRoutes: FastifyPluginAsyncTypebox<DemoOptions> = async (app, options) => {
  const { voiceSessions, publicUrl, demoContent, widgetFolder } = options;
  await app.register(fastifyStatic, {
    root: path.join(widgetFolder, 'demo'),
    prefix: '/demo/',
    schemaHide: true,
    index: false,
    redirect: false,
    maxAge: 0,
  });

  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    reply.header('Referrer-Policy', 'no-referrer');
    return reply.sendFile('index.html', { maxAge: 0 });
  });

  app.get('/demo/options', { schema: { hide: true } }, async () => demoContent.options());

  app.get('/demo/sample.wav', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('audio/wav').send(await demoContent.sample()),
  );

  app.post(
    '/demo/token',
    {
      onRequest: refuseOthers(options),
      schema: { hide: true, body: Type.Union([VoiceReconnection, VoiceSessionRequest]) },
    },
    async (request, reply) => {
      const { body } = request;
      const streaming_url = streamingUrl(request, publicUrl);
      const { signal: gone } = abortWhenGone(reply);
      const answer =
        'token' in body
          ? await voiceSessions.reconnect(body.token, undefined, {
              lastSequence: body.last_sequence,
              gone,
            })
          : await voiceSessions.open(body, { caller: undefined, tag: null });
      return { streaming_url, ...answer };
    },
  );
  await app.register(demoDocumentRoutes, options);
};

/** Document routes of the page; the answers are those of `/v2/document`. */
const demoDocumentRoutes: FastifyPluginAsyncTypebox<DemoOptions> = async (app, options) => {
  const { documentTranslations, demoCaller } = options;
  const onRequest = refuseOthers(options);
  const schema = { hide: true, params: DocumentPath, body: DocumentKey };
  const caller = async () => {
    const found = await demoCaller();
    if (found !== undefined) return found;
    throw new ServiceError(
      'forbidden',
      'The page translates documents with the first API key, which is not active any more.',
    );
  };
  useMultipart(app);

  app.post('/demo/document', { onRequest, schema: { hide: true } }, async (_, reply) =>
    receiveDocument(reply, await caller(), documentTranslations),
  );

  app.post(
    '/demo/document/:document_id',
    { onRequest, schema },
    async ({ params, body }, reply) => {
      const { signal } = abortWhenGone(reply);
      const { document_id: id } = params;
      return documentTranslations.status(await caller(), id, body.document_key, signal);
    },
  );

  app.delete(
    '/demo/document/:document_id',
    { onRequest, schema: { hide: true, params: DocumentPath, querystring: DocumentKey } },
    async ({ params, query }, reply) => {
      await documentTranslations.delete(await caller(), params.document_id, query.document_key);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/demo/document/:document_id/result',
    { onRequest, schema },
    async ({ params, body }, reply) => {
      await sendResult(reply, documentTranslations, {
        caller: await caller(),
        ...params,
        ...body,
      });
      return reply;
    },
  );
};

/** Refuses requests from anything but the page itself. */
function refuseOthers({ isDemoHost }: DemoOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!isDemoHost(request.host)) throw foreign();
    refuseOtherSites(request);
  };
}

/** Refuses requests that browsers mark as coming from another site, which must not use the engines. */
function refuseOtherSites({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isForeign =
    origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
  if ((site === undefined || site === 'same-origin') && !isForeign) return;
  throw foreign();
}

function foreign(): ServiceError {
  return new ServiceError('forbidden', 'Only the demo page of this server may ask for this.');
}

/** Sentences that the default engines recognise and translate well. */
const SAMPLE_SENTENCES = [
  'Good morning, everybody.',
  'I would like to speak about the future of our country.',
  'My friends live in a small house with a big garden.',
  'We will talk about the history of our city.',
];

const PAUSE_S = 0.9;
/** Allows time to load a voice model, in ms. */
const SAMPLE_TIMEOUT_MS = 60_000;

/** Documents that the page can translate. */
interface DemoDocuments {
  /** Target languages, by source language. */
  target_languages: Record<string, string[]>;
  formats: {
    /** File name extensions. */
    extensions: readonly string[];
    /** Extensions of the possible outputs. */
    outputs: string[];
    /** Maximum file size, in bytes. */
    max_bytes: number;
  }[];
}

/** Models that would improve the translation of a pair, and their approximate total size. */
interface BetterTranslation {
  source: string;
  target: string;
  models: string[];
  size_mb: number;
}

interface Demo {
  options(): {
    source_languages: string[];
    target_languages: string[];
    /** Target languages that can be spoken. */
    speech_languages: string[];
    /** Description of the voice for each of these languages, for people. */
    voices: Record<string, string>;
    /** Whether a sample can be spoken. */
    sample: boolean;
    documents: DemoDocuments;
    /** Models that would improve pairs now translated by rules alone. */
    better_translations: BetterTranslation[];
    /** What is missing, and how to get it. */
    problems: string[];
  };
  /**
   * Returns the sample as a WAV file: s16le, one channel.
   *
   * @throws ServiceError engine_unavailable without a voice, synthesis_failed if all voices fail
   */
  sample(): Promise<Buffer>;
}

interface DemoContentOptions {
  recognisers: readonly RecognitionEngine[];
  speakers: readonly SynthesisEngine[];
  translation: Translation;
  missing: readonly Unavailable[];
  /** By `source target`. */
  betterModels: () => ReadonlyMap<string, readonly { name: string; sizeMb: number }[]>;
}

function createDemo({
  recognisers,
  speakers,
  translation,
  missing,
  betterModels,
}: DemoContentOptions): Demo {
  let sample: Promise<Buffer> | undefined;
  const sampleVoices = () => speakers.filter(({ languages }) => languages.includes('en'));
  return {
    options() {
      const sources = spokenLanguages(recognisers);
      const targets = new Set(sources.flatMap((source) => translation.targets(source)));
      const spoken = speakableLanguages(speakers).filter((language) =>
        targets.has(canonicalLanguage(language) ?? ''),
      );
      return {
        source_languages: sources,
        target_languages: [...targets].sort(),
        speech_languages: spoken,
        voices: Object.fromEntries(
          spoken.map((language) => [language, speakerOf(language, speakers)?.describedAs ?? '']),
        ),
        sample: sampleVoices().length > 0,
        documents: documentsOf(translation),
        better_translations: [...betterModels()].map(([pair, models]) => {
          const [source = '', target = ''] = pair.split(' ');
          const size_mb = models.reduce((sum, { sizeMb }) => sum + sizeMb, 0);
          return { source, target, models: models.map(({ name }) => name), size_mb };
        }),
        problems: missing.map(({ reason }) => reason),
      };
    },
    async sample() {
      sample ??= speakSample(sampleVoices());
      return sample.catch((error: unknown) => {
        sample = undefined;
        throw error;
      });
    },
  };
}

/** Speaks the sample with the first voice that does not fail. */
async function speakSample(voices: readonly SynthesisEngine[]): Promise<Buffer> {
  const [voice, ...others] = voices;
  if (voice === undefined) {
    throw new ServiceError('engine_unavailable', 'No voice is installed to speak the sample.');
  }
  try {
    return await spokenBy(voice);
  } catch (error) {
    if (!(error instanceof ServiceError) || others.length === 0) throw error;
    return speakSample(others);
  }
}

/** Speaks the sentences with a pause around each, as recognisers conclude a sentence after half a second. */
async function spokenBy(voice: SynthesisEngine): Promise<Buffer> {
  const signal = AbortSignal.timeout(SAMPLE_TIMEOUT_MS);
  const samples: Int16Array[] = [];
  let sampleRateHz = 16_000;
  for (const sentence of SAMPLE_SENTENCES) {
    const options = { language: 'en', gender: 'male', signal } as const;
    for await (const spoken of voice.speak(sentence, options)) {
      if (samples.length === 0) samples.push(new Int16Array(PAUSE_S * spoken.sampleRateHz));
      sampleRateHz = spoken.sampleRateHz;
      samples.push(spoken.samples);
    }
    samples.push(new Int16Array(PAUSE_S * sampleRateHz));
  }
  const dataBytes = samples.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = samples.map(
    (each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength),
  );
  return Buffer.concat([wavHeader({ sampleRateHz, dataBytes }), ...bytes]);
}

function documentsOf(translation: Translation): DemoDocuments {
  return {
    target_languages: Object.fromEntries(
      translation.sources().map((source) => [source, translation.targets(source)]),
    ),
    formats: documentFormats.map(({ extensions, outputs, maxBytes }) => ({
      extensions,
      outputs: outputs.map((name) => documentFormat(name).extensions[0] ?? name),
      max_bytes: maxBytes.pro,
    })),
  };
}
