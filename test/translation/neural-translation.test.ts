/** Neural translation end to end: beside Apertium, with markup and glossaries. */
import { cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startTranslators } from '../../server/running-engines.ts';
import type { TextTranslationResponse } from '../../shared/schemas/text-translation.ts';
import { recordLog } from '../support/product/log-record.ts';
import { startServer, type TestServer } from '../support/product/server.ts';
import { writeTranslationModels } from '../support/models/translation-models.ts';

const data = mkdtempSync(path.join(tmpdir(), 'dragoman-neural-'));
const models = path.join(data, 'models');
const folders = { DATA_DIR: data, MODELS_DIR: models };
let server: TestServer;

/** Writes a model for another pair with a truncated network. */
function writeDamaged(target: string): void {
  const folder = path.join(models, `translation-en-${target}`);
  cpSync(path.join(models, 'translation-en-es'), folder, { recursive: true });
  const description = { kind: 'translation', family: 'marian', languages: ['en', target] };
  writeFileSync(path.join(folder, 'dragoman-model.json'), JSON.stringify(description));
  const network = path.join(folder, 'model.enes.intgemm.alphas.bin');
  truncateSync(network, 5_000);
}

beforeAll(async () => {
  writeTranslationModels(models);
  writeDamaged('fr');
  server = await startServer({ RECOGNISER: 'silent', ...folders });
});
afterAll(async () => {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});

async function translated(text: string, body: object): Promise<string> {
  const response = await server.post('/v2/translate', { text: [text], ...body });
  const { translations } = (await response.json()) as TextTranslationResponse;
  return translations.map((each) => each.text).join();
}

it('neural translation takes precedence over Apertium, with markup and glossaries', async () => {
  const toSpanish = { source_lang: 'EN', target_lang: 'ES', tag_handling: 'html' };
  const text = 'The red house is new. The <b>old river</b> is <i>red</i>.';
  expect(await translated(text, toSpanish)).toBe(
    'La casa roja es nueva. La <b>ría vieja</b> es <i>roja</i>.',
  );
  const response = await server.post('/v2/glossaries', {
    name: 'terms',
    source_lang: 'en',
    target_lang: 'es',
    entries_format: 'tsv',
    entries: 'house\tmansión\nriver\tRío Grande',
  });
  const { glossary_id } = (await response.json()) as { glossary_id: string };
  expect(await translated(text, { ...toSpanish, glossary_id })).toBe(
    'La mansión roja es nueva. La <b>Río Grande vieja</b> es <i>roja</i>.',
  );
});

it('neural translation leaves a pair with a damaged model to Apertium, and adds its own languages', async () => {
  const health = (await (await server.get('/healthz')).json()) as {
    engines: { translation: string[]; problems: string[] };
  };
  expect(health.engines.translation).toEqual(['neural', 'apertium']);
  expect(JSON.stringify(health.engines.problems)).toMatch(
    /translation-en-fr cannot be used: its file model\.enes\.intgemm\.alphas\.bin is damaged/,
  );
  const response = await server.send('/v3/languages?resource=translate_text', {});
  const languages = (await response.json()) as { lang: string }[];
  expect(languages.find(({ lang }) => lang === 'fr')).toMatchObject({ usable_as_target: true });
  expect(languages.find(({ lang }) => lang === 'de')).toMatchObject({ usable_as_source: true });
});

it('neural translation serves documents as well: their process starts it', async () => {
  const engines = await startTranslators(readConfig(folders), recordLog());
  expect(engines.translation.map(({ name }) => name)).toEqual(['neural', 'apertium']);
  const toFrench = engines.translation.filter(({ pairs }) =>
    pairs.some(({ source, target }) => source === 'en' && target === 'fr'),
  );
  // The model for it is damaged.
  expect(toFrench.map(({ name }) => name)).toEqual(['apertium']);
  await engines.close();
});
