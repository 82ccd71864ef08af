/** The AsyncAPI document of the voice socket, from the same schemas as the types. */
import {
  clientMessages,
  EndOfSourceMedia,
  EndOfSourceTranscript,
  EndOfStream,
  EndOfTargetMedia,
  EndOfTargetTranscript,
  serverMessages,
} from '../../shared/protocol/messages.ts';
import { VOICE_CONNECT_PATH } from '../../shared/schemas/voice-session.ts';
import { describedErrors, socketDescription } from './asyncapi-description.ts';
import { messageExamples } from './asyncapi-examples.ts';

const CHANNEL = 'voice';
const ends = [EndOfSourceTranscript, EndOfTargetTranscript, EndOfTargetMedia, EndOfStream];

/**
 * An AsyncAPI 3.0 document as a plain object.
 *
 * @param address under which clients reach the server, such as `https://live.example.org`
 */
export function asyncApiDocument(address: string) {
  const all = [...clientMessages, ...serverMessages];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Dragoman voice socket',
      version: '3',
      description: socketDescription,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    ...serversAt(address),
    channels: {
      [CHANNEL]: {
        address: VOICE_CONNECT_PATH,
        title: 'Voice session',
        messages: Object.fromEntries(
          all.map(({ title }) => [title, { $ref: `#/components/messages/${title}` }]),
        ),
        bindings: { ws: connectBinding },
      },
    },
    operations: operations(),
    components: {
      messages: Object.fromEntries(all.map((schema) => [schema.title, describe(schema)])),
      securitySchemes: {
        sessionToken: {
          type: 'httpApiKey',
          in: 'query',
          name: 'token',
          description: 'The token of a session request; good for one connection.',
        },
      },
    },
  };
}

const connectBinding = {
  method: 'GET',
  query: {
    type: 'object',
    required: ['token'],
    properties: { token: { type: 'string', description: 'Good for one connection.' } },
  },
};

/** Seen from the server: it receives what clients send. */
function operations() {
  const channel = { $ref: `#/channels/${CHANNEL}` };
  const media = clientMessages.filter((schema) => schema.title !== EndOfSourceMedia.title);
  return {
    receiveMedia: {
      action: 'receive',
      summary: 'The client speaks.',
      channel,
      messages: references(media),
    },
    receiveEnd: {
      action: 'receive',
      summary: 'The client has said everything: the rest is told, then the ends.',
      channel,
      messages: references([EndOfSourceMedia]),
      reply: { channel, messages: references(ends) },
    },
    sendToClient: {
      action: 'send',
      summary: 'What was said, in every language that was asked for.',
      channel,
      messages: references(serverMessages),
    },
  };
}

function references(messages: readonly { title: string }[]) {
  return messages.map(({ title }) => ({ $ref: `#/channels/${CHANNEL}/messages/${title}` }));
}

type Message = (typeof clientMessages | typeof serverMessages)[number];

function describe(schema: Message) {
  const { title: name, description: summary } = schema;
  return {
    ...{ name, title: name, summary, payload: schema },
    examples: messageExamples[name].map((payload) => ({ payload })),
    ...(name === 'error' && { 'x-errors': describedErrors }),
  };
}

/** Without servers where a request's Host header makes no address. */
function serversAt(address: string) {
  if (!URL.canParse(address)) return {};
  const { protocol, host, pathname } = new URL(address);
  return {
    servers: {
      here: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        ...(pathname !== '/' && { pathname }),
        security: [{ $ref: '#/components/securitySchemes/sessionToken' }],
      },
    },
  };
}
