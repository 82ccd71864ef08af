/** The AsyncAPI document of the voice socket, from the same schemas as the types. */
import { errorTable } from '../../shared/errors.ts';
import { clientMessages, serverMessages } from '../../shared/protocol/messages.ts';
import { VOICE_CONNECT_PATH } from '../../shared/schemas/voice-session.ts';

const CHANNEL = 'voice';

/** An AsyncAPI 3.0 document as a plain object. */
export function asyncApiDocument() {
  const all = [...clientMessages, ...serverMessages];
  const references = (messages: readonly { title: string }[]) =>
    messages.map(({ title }) => ({ $ref: `#/channels/${CHANNEL}/messages/${title}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Dragoman voice socket',
      version: '3',
      description: `Open with the streaming_url and token of POST /v3/voice/realtime. With message_format json, messages are JSON in text frames and binary data is base64; with msgpack they are MessagePack in binary frames and binary data is raw bytes. Each message is an object with one key.\n\n${errorList()}`,
    },
    defaultContentType: 'application/json',
    channels: {
      [CHANNEL]: {
        address: VOICE_CONNECT_PATH,
        messages: Object.fromEntries(
          all.map(({ title }) => [title, { $ref: `#/components/messages/${title}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              required: ['token'],
              properties: { token: { type: 'string', description: 'Good for one connection.' } },
            },
          },
        },
      },
    },
    operations: {
      receiveFromClient: {
        action: 'receive',
        channel: { $ref: `#/channels/${CHANNEL}` },
        messages: references(clientMessages),
      },
      sendToClient: {
        action: 'send',
        channel: { $ref: `#/channels/${CHANNEL}` },
        messages: references(serverMessages),
      },
    },
    components: {
      messages: Object.fromEntries(
        all.map((schema) => [
          schema.title,
          { name: schema.title, summary: schema.description, payload: schema },
        ]),
      ),
    },
  };
}

function errorList(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, detail }]) =>
      `| ${code} | ${status} | ${status * 10_000 + detail} | ${4000 + status} |`,
  );
  return ['| error | error_code | reason_code | close code |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}
