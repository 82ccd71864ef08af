/**
 * The least a translation server can do: one Fastify route with a schema that calls the same engine.
 * No keys, no quotas, no languages, no markup.
 */
import Fastify from 'fastify';

// Built by now, but not yet when types are checked.
const built = new URL('../../../dist/server/engines/translation/apertium.js', import.meta.url);
const { createApertium } =
  /** @type {typeof import('../../../server/engines/translation/apertium.ts')} */ (
    await import(built.href)
  );

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const engine = await createApertium({ log });
if ('reason' in engine) throw new Error(engine.reason);

const app = Fastify();
app.post(
  '/v2/translate',
  {
    schema: {
      body: {
        type: 'object',
        required: ['text', 'source_lang', 'target_lang'],
        properties: {
          text: { type: 'array', items: { type: 'string' } },
          source_lang: { type: 'string' },
          target_lang: { type: 'string' },
        },
      },
    },
  },
  async (request) => {
    const { text, source_lang, target_lang } =
      /** @type {{ text: string[], source_lang: string, target_lang: string }} */ (request.body);
    const translated = await engine.translate(
      text.map((each) => [each]),
      {
        source: source_lang.toLowerCase(),
        target: target_lang.toLowerCase(),
        signal: new AbortController().signal,
      },
    );
    return { translations: translated.map((segment) => ({ text: segment.join('') })) };
  },
);
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
