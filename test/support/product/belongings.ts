/** Every resource an account can own, created for one account, with the requests others may try on it. */
import { createTranslationMemories } from '../../../server/memories/translation-memories.ts';
import type { ApiKey } from '../../../server/http/door.ts';
import type { Storage } from '../../../server/stores.ts';
import { documentClient, uploadForm } from './document-client.ts';
import { recordLog } from './log-record.ts';
import type { RunningServer } from './server.ts';
import { requestSession } from './voice-client.ts';

/** A request for a resource of an account. */
export interface Belonging {
  name: string;
  ask: { method: string; path: string; body?: unknown };
  /** Headers of its owner. */
  own: { developer: Record<string, string>; admin: Record<string, string> };
  /** Whether it requires an admin key. */
  admin?: boolean;
  /** Status the owner receives; 200 by default. */
  ownStatus?: number;
  /** Whether the console also has it under `/console/api`, or only there. */
  inConsole?: 'too' | 'only';
  /** Whether it can be requested only once. */
  isSpent?: boolean;
  /** Status other accounts receive; 404 by default. */
  otherStatus?: number;
}

interface Owner {
  server: RunningServer;
  storage: Storage;
  owner: { account: { accountId: string }; secret: string; key: ApiKey };
  adminSecret: string;
}

/** Creates one of each resource for the owner. */
export async function belongings({
  server,
  storage,
  owner,
  adminSecret,
}: Owner): Promise<Belonging[]> {
  const own = {
    developer: { Authorization: `Service-Auth-Key ${owner.secret}` },
    admin: { Authorization: `Service-Auth-Key ${adminSecret}` },
  };
  const made = async <Answer>(path: string, body: unknown) => {
    const response = await server.post(path, body, own.developer);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const ways = [
    ...(await glossaries(made)),
    ...(await lists(made)),
    ...(await memories(storage, owner.account.accountId)),
    ...(await documents(server, own.developer)),
    ...(await sessions(server, own.developer)),
    ...keys(owner.key),
  ];
  return ways.map((way) => {
    const isShared = /^\/v3\/(?:glossaries|style_rules)\/|^\/v2\/admin\//.test(way.ask.path);
    return { ...way, ...(isShared && { inConsole: 'too' as const }), own };
  });
}

type Way = Omit<Belonging, 'own'>;
type Make = <Answer>(path: string, body: unknown) => Promise<Answer>;

async function glossaries(make: Make): Promise<Way[]> {
  const dictionary = { source_lang: 'en', target_lang: 'es', entries: 'harbour\tpuerto' };
  const { glossary_id: id } = await make<{ glossary_id: string }>('/v3/glossaries', {
    name: 'glossary of the owner',
    dictionaries: [{ ...dictionary, entries_format: 'tsv' }],
  });
  const { glossary_id: old } = await make<{ glossary_id: string }>('/v2/glossaries', {
    ...{ name: 'glossary of the owner', ...dictionary, entries_format: 'tsv' },
  });
  const pair = 'source_lang=en&target_lang=es';
  const v3 = `/v3/glossaries/${id}`;
  const text = { text: ['harbour'], source_lang: 'en', target_lang: 'es' };
  return [
    way('a glossary', 'GET', v3),
    way('its entries', 'GET', `${v3}/entries?${pair}`),
    way('its name', 'PATCH', v3, { name: 'taken' }),
    way('its dictionary', 'PUT', `${v3}/dictionaries`, { ...dictionary, entries_format: 'tsv' }),
    way('the end of its dictionary', 'DELETE', `${v3}/dictionaries?${pair}`),
    way('the end of a glossary', 'DELETE', v3),
    way('a glossary of v2', 'GET', `/v2/glossaries/${old}`),
    way('its entries', 'GET', `/v2/glossaries/${old}/entries`),
    way('its end', 'DELETE', `/v2/glossaries/${old}`),
    way('a text with it', 'POST', '/v2/translate', { ...text, glossary_id: id }),
    way('a document with it', 'POST', '/v2/document', documentWith({ glossary_id: id })),
    {
      ...way('captions with it', 'POST', '/v3/voice/realtime', voiceWith({ glossary_id: id })),
    },
    way('a text with several', 'POST', '/v2/translate', { ...text, glossary_ids: [old, id] }),
  ];
}

async function lists(make: Make): Promise<Way[]> {
  const { spoken_terms_id: terms } = await make<{ spoken_terms_id: string }>('/v3/spoken_terms', {
    ...{ name: 'list of the owner', terms: ['Dragoman'] },
  });
  const { style_id: style, custom_instructions } = await make<{
    style_id: string;
    custom_instructions: { id: string }[];
  }>('/v3/style_rules', {
    name: 'style of the owner',
    language: 'es',
    configured_rules: { punctuation: { apostrophe: 'use_curly_apostrophes' } },
    custom_instructions: [{ label: 'tone', prompt: 'instruction of the owner' }],
  });
  const instruction = `/v3/style_rules/${style}/custom_instructions/${custom_instructions[0]?.id}`;
  const wish = { label: 'tone', prompt: 'taken' };
  return [
    {
      ...way('a text in its style', 'POST', '/v2/translate', {
        ...{ text: ['harbour'], source_lang: 'en', target_lang: 'es', style_id: style },
      }),
      // No engine that could follow its instruction is running.
      ownStatus: 400,
    },
    {
      ...way('a document in its style', 'POST', '/v2/document', documentWith({ style_id: style })),
      ownStatus: 400,
    },
    way(
      'captions with its terms',
      'POST',
      '/v3/voice/realtime',
      voiceWith({ spoken_terms_id: terms }),
    ),
    way('spoken terms', 'GET', `/v3/spoken_terms/${terms}`),
    way('their end', 'DELETE', `/v3/spoken_terms/${terms}`),
    way('a style rule list', 'GET', `/v3/style_rules/${style}`),
    way('its name', 'PATCH', `/v3/style_rules/${style}`, { name: 'taken' }),
    way('its rules', 'PUT', `/v3/style_rules/${style}/configured_rules`, {}),
    way('an instruction', 'GET', instruction),
    way('its words', 'PUT', instruction, wish),
    way('its end', 'DELETE', instruction),
    {
      ...way('another instruction', 'POST', `/v3/style_rules/${style}/custom_instructions`, wish),
      ownStatus: 201,
    },
    way('the end of the list', 'DELETE', `/v3/style_rules/${style}`),
  ];
}

async function memories(storage: Storage, accountId: string): Promise<Way[]> {
  const memories = storage.translationMemories;
  const service = createTranslationMemories({ memories, log: recordLog() });
  const bytes = (async function* () {
    yield Buffer.from('en,es\nharbour,muelle of the owner\n');
  })();
  const file = { name: 'memory', format: 'csv', bytes } as const;
  const { translation_memory_id: id } = await service.import(accountId, file);
  return [
    way('a text with a memory', 'POST', '/v2/translate', {
      ...{ text: ['harbour'], source_lang: 'en', target_lang: 'es' },
      translation_memory_id: id,
    }),
    way(
      'a document with a memory',
      'POST',
      '/v2/document',
      documentWith({ translation_memory_id: id }),
    ),
    {
      ...way('the name of a memory', 'PATCH', `/console/api/translation-memories/${id}`, {
        name: 'taken',
      }),
      inConsole: 'only',
    },
    {
      ...way('the end of a memory', 'DELETE', `/console/api/translation-memories/${id}`),
      inConsole: 'only',
    },
  ];
}

async function documents(server: RunningServer, headers: Record<string, string>): Promise<Way[]> {
  const client = documentClient(server, headers);
  const handle = await client.submit({ name: 'a.txt', content: 'The harbour of the owner.' });
  const path = `/v2/document/${handle.document_id}`;
  const body = { document_key: handle.document_key };
  return [
    way('a document', 'POST', path, body),
    way('a document by GET', 'GET', `${path}?document_key=${handle.document_key}`),
    way('its end', 'DELETE', `${path}?document_key=${handle.document_key}`),
  ];
}

async function sessions(server: RunningServer, headers: Record<string, string>): Promise<Way[]> {
  const { token } = await requestSession(server, {}, headers);
  // By the contract, an unknown token is a bad request.
  return [
    {
      ...way('a session', 'GET', `/v3/voice/realtime?token=${token}`),
      otherStatus: 400,
      isSpent: true,
    },
  ];
}

function keys({ keyId }: ApiKey): Way[] {
  const path = '/v2/admin/developer-keys';
  return [
    way('the label of a key', 'PUT', `${path}/label`, { key_id: keyId, label: 'taken' }),
    way('its limits', 'PUT', `${path}/limits`, { key_id: keyId, characters: 0 }),
    way('its end', 'PUT', `${path}/deactivate`, { key_id: keyId }),
  ].map((each) => ({ ...each, admin: true }));
}

/** Returns the upload of a document that uses a resource of the owner. */
function documentWith(fields: Record<string, string>): FormData {
  const file = { name: 'a.txt', content: 'The harbour.' };
  return uploadForm(file, { source_lang: 'en', target_lang: 'es', ...fields });
}

function voiceWith(fields: Record<string, string>) {
  return {
    source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
    ...{ source_language: 'en', target_languages: ['es'], ...fields },
  };
}

function way(name: string, method: string, path: string, body?: unknown): Way {
  return { name, ask: { method, path, ...(body !== undefined && { body }) } };
}
