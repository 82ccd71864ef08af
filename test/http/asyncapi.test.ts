/** The AsyncAPI document of the sockets: valid, complete, and with correct examples. */
import asyncApiSpecs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorTable, ServiceError, toSocket, type ErrorCode } from '../../shared/errors.ts';
import { decodeServerMessage } from '../../shared/protocol/codec.ts';
import { clientMessages, serverMessages } from '../../shared/protocol/messages.ts';
import { roomServerMessages, RoomWatch } from '../../shared/protocol/room-messages.ts';
import type { RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

interface Reference {
  $ref: string;
}
interface Operation {
  action: 'send' | 'receive';
  messages: Reference[];
  reply?: { messages: Reference[] };
}
interface Message {
  name: string;
  payload: object & { properties: object };
  examples: { payload: Record<string, object> }[];
  'x-errors'?: { code: string; error_code: number; reason_code: number; close_code: number }[];
}
interface Document {
  info: { description: string };
  servers: Record<string, { host: string; protocol: string; security: Reference[] }>;
  channels: { voice: { address: string }; room: { address: string } };
  operations: Record<string, Operation>;
  components: { messages: Record<string, Message>; securitySchemes: object };
}

let server: RunningServer;
let document: Document;
beforeAll(async () => {
  server = await sharedServer();
  document = (await (await server.get('/asyncapi.json')).json()) as Document;
});
afterAll(() => server.stop());

const names = (messages: readonly { title: string }[]) => messages.map(({ title }) => title).sort();
const fromClients = [...clientMessages, RoomWatch];
const fromServer = [...serverMessages, ...roomServerMessages];
const all = names([...fromClients, ...fromServer]);
const namesOf = (references: readonly Reference[]) =>
  references.map(({ $ref }) => $ref.split('/').at(-1)).sort();

it('is valid AsyncAPI 3.0', () => {
  // The schema includes the draft it is written in.
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    meta: false,
    validateSchema: false,
  });
  const validate = ajv.compile(asyncApiSpecs.schemas['3.0.0'] as AnySchema);
  const faults = (candidate: object) => (validate(candidate) ? [] : (validate.errors ?? []));
  expect(faults(document)).toEqual([]);
  expect(faults({ ...document, operations: { talk: { action: 'talk' } } })).not.toEqual([]);
});

it('has only references that resolve', () => {
  let count = 0;
  JSON.stringify(document, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    count += 1;
    const target = value
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
    expect(target, value).toBeDefined();
    return value;
  });
  expect(count).toBeGreaterThan(2 * all.length);
});

it('lists every message with its sender', () => {
  const { messages } = document.components;
  expect(Object.keys(messages).sort()).toEqual(all);
  for (const [name, { payload }] of Object.entries(messages)) {
    expect(Object.keys(payload.properties)).toEqual([name]);
  }
  const sentBy = (action: Operation['action']) =>
    Object.values(document.operations)
      .filter((operation) => operation.action === action)
      .flatMap((operation) => namesOf(operation.messages))
      .sort();
  expect(sentBy('receive')).toEqual(names(fromClients));
  expect(sentBy('send')).toEqual(names(fromServer));
  const replies = Object.values(document.operations).flatMap(({ reply }) => reply?.messages ?? []);
  expect(namesOf(replies)).toContain('end_of_stream');
});

it('has valid examples of every message, which the client library can decode', () => {
  const ajv = new Ajv({ strict: false });
  for (const { name, payload, examples } of Object.values(document.components.messages)) {
    const validate = ajv.compile({ ...payload, additionalProperties: false });
    expect(examples.length, name).toBeGreaterThan(0);
    for (const { payload: example } of examples) {
      expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      const [fields = {}] = Object.values(example);
      const { properties } = (payload.properties as Record<string, { properties: object }>)[name]!;
      for (const field of Object.keys(fields)) expect(properties, name).toHaveProperty(field);
      if (!names(serverMessages).includes(name)) continue;
      expect(decodeServerMessage(JSON.stringify(example)).type).toBe(name);
    }
    expect(validate({ [name]: 'nonsense' })).toBe(false);
  }
});

it('lists every error with the numbers a client sees', () => {
  const told = document.components.messages['error']?.['x-errors'] ?? [];
  const codes = Object.keys(errorTable) as ErrorCode[];
  expect(told.map(({ code }) => code).sort()).toEqual([...codes].sort());
  for (const code of codes) {
    const { message, closeCode } = toSocket(new ServiceError(code, ''), 'x');
    const { error_code, reason_code } = message;
    expect(told).toContainEqual({ code, error_code, reason_code, close_code: closeCode });
    const row = `| ${code} | ${error_code} | ${reason_code} | ${closeCode} |`;
    expect(document.info.description).toContain(row);
  }
  expect(document.info.description).toContain('| 4000403 |');
});

it('describes where and how to connect and to reconnect', async () => {
  const { host } = new URL(server.url);
  const [here] = Object.values(document.servers);
  expect(here).toMatchObject({ host, protocol: 'ws' });
  expect(here?.security).toEqual([{ $ref: '#/components/securitySchemes/sessionToken' }]);
  expect(document.channels.voice.address).toBe('/v3/voice/realtime/connect');
  expect(document.channels.room.address).toBe('/v1/rooms/{room_id}/live');
  for (const word of [
    ...['GET /v3/voice/realtime?token=', 'last_sequence', 'received_audio_ms'],
    ...['acknowledgements', 'lag_updates', 'caption_mode', 'sequence'],
  ]) {
    expect(document.info.description).toContain(word);
  }
  const hostless = await server.get('/asyncapi.json', { 'X-Forwarded-Proto': 'https' });
  expect(((await hostless.json()) as Document).servers).toEqual(document.servers);
});
