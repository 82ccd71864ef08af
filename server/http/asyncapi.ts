/**
 * The AsyncAPI document of the voice and room sockets, generated from the schemas that also define
 * their types.
 */
import {
  clientMessages,
  EndOfSourceMedia,
  EndOfSourceTranscript,
  EndOfStream,
  EndOfTargetMedia,
  EndOfTargetTranscript,
  serverMessages,
} from '../../shared/protocol/messages.ts';
import { roomServerMessages, RoomWatch } from '../../shared/protocol/room-messages.ts';
import { VOICE_CONNECT_PATH } from '../../shared/schemas/voice-session.ts';
import { errorTable } from '../../shared/errors.ts';

const CHANNEL = 'voice';
const ROOM = 'room';
const ends = [EndOfSourceTranscript, EndOfTargetTranscript, EndOfTargetMedia, EndOfStream];

/**
 * Returns an AsyncAPI 3.0 document as a plain object.
 *
 * @param address under which clients reach the server, such as `https://live.example.org`
 */
export function asyncApiDocument(address: string) {
  const ofVoice = [...clientMessages, ...serverMessages];
  const ofRooms = [RoomWatch, ...roomServerMessages];
  const all = [...ofVoice, ...ofRooms];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Dragoman sockets',
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
        messages: componentsOf(ofVoice),
        bindings: { ws: connectBinding },
      },
      [ROOM]: {
        address: '/v1/rooms/{room_id}/live',
        title: 'Captions of a room',
        parameters: { room_id: { description: 'ID of the room.' } },
        messages: componentsOf(ofRooms),
        bindings: { ws: readBinding },
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
          description: 'The token of a session request; valid for one connection.',
        },
      },
    },
  };
}

function componentsOf(messages: readonly { title: string }[]) {
  return Object.fromEntries(
    messages.map(({ title }) => [title, { $ref: `#/components/messages/${title}` }]),
  );
}

const text = (description: string) => ({ type: 'string', description });
const readBinding = {
  method: 'GET',
  query: {
    type: 'object',
    properties: {
      language: text(
        'One of the languages of the room, or `spoken`, the default, for the untranslated speech.',
      ),
      calmness: text(
        '`instant`, the default, or `settled`, which omits text that may still change.',
      ),
      after: { type: 'integer', description: 'When reconnecting, the last `sequence` received.' },
      key: text('Key of a signed link, or obtained with a passcode, if the room requires one.'),
      format: text('`json`, the default, in text frames, or `msgpack` in binary frames.'),
    },
  },
};

const connectBinding = {
  method: 'GET',
  query: {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', description: 'Session token; valid for one connection.' },
    },
  },
};

/** The operations from the server's point of view: it receives what clients send. */
function operations() {
  const channel = { $ref: `#/channels/${CHANNEL}` };
  const media = clientMessages.filter((schema) => schema.title !== EndOfSourceMedia.title);
  const room = { $ref: `#/channels/${ROOM}` };
  return {
    receiveMedia: {
      action: 'receive',
      summary: 'The client sends audio.',
      channel,
      messages: references(media),
    },
    receiveEnd: {
      action: 'receive',
      summary:
        'The client ends its audio; the server sends the remaining captions, then the end messages.',
      channel,
      messages: references([EndOfSourceMedia]),
      reply: { channel, messages: references(ends) },
    },
    sendToClient: {
      action: 'send',
      summary: 'Captions and speech in all requested languages.',
      channel,
      messages: references(serverMessages),
    },
    receiveWatch: {
      action: 'receive',
      summary: 'A reader changes the language or the calmness.',
      channel: room,
      messages: references([RoomWatch], ROOM),
    },
    sendToReader: {
      action: 'send',
      summary: 'Captions of the room in the language of the reader.',
      channel: room,
      messages: references(roomServerMessages, ROOM),
    },
  };
}

function references(messages: readonly { title: string }[], channel = CHANNEL) {
  return messages.map(({ title }) => ({ $ref: `#/channels/${channel}/messages/${title}` }));
}

type Message =
  | (typeof clientMessages | typeof serverMessages | typeof roomServerMessages)[number]
  | typeof RoomWatch;

function describe(schema: Message) {
  const { title: name, description: summary } = schema;
  return {
    name,
    title: name,
    summary,
    payload: schema,
    examples: messageExamples[name].map((payload) => ({ payload })),
    ...(name === 'error' && { 'x-errors': describedErrors }),
  };
}

/** Returns no servers when the Host header of the request makes no valid address. */
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

// The prose of the AsyncAPI document.

/** An error with the three numbers that clients see for it. */
interface DescribedError {
  code: string;
  error_code: number;
  reason_code: number;
  close_code: number;
}

/** Every error of the error table. */
const describedErrors: readonly DescribedError[] = Object.entries(errorTable).map(
  ([code, { status, detail }]) => ({
    code,
    error_code: status,
    reason_code: status * 10_000 + detail,
    close_code: 4000 + status,
  }),
);

/** The course of a session from request to end, in Markdown. */
const socketDescription = `
Live captions and translated speech over one WebSocket, and rooms with thousands of readers.

## A session

1. \`POST /v3/voice/realtime\` returns \`streaming_url\`, \`token\` and \`session_id\`. Open
   \`{streaming_url}?token={token}\`. A token is valid for one connection; an unknown, expired or used token is
   answered with 403 before the upgrade.
2. Send \`source_media_chunk\` while the speaker talks, read the updates, and finish with \`end_of_source_media\`.
3. The server concludes all captions. \`end_of_stream\` is the last message, and the socket closes with 1000.

With \`message_format\` json, messages are JSON in text frames and binary data is base64; with msgpack they are
MessagePack in binary frames and binary data is raw bytes. Each message is an object with a single key, its name.
Clients must ignore unknown messages and fields.

## When a connection drops

The session continues without a connection for a limited time. \`GET /v3/voice/realtime?token={latest token}\`, with
the API key, returns the \`streaming_url\` and a new token, and drops a connection that is still active. Only the
latest token can be exchanged; an older one ends the session. After an \`error\` message the session is over and
cannot be reconnected.

Optional features go further. With \`acknowledgements\`, nothing is lost in either direction:

- \`acknowledgements\`: messages that must not be lost carry a \`sequence\`, from 1, and
  \`source_media_acknowledgement\` reports how much audio was received. When reconnecting,
  send \`last_sequence\`, the sequence of the last message received: all later messages are sent again. The
  response contains \`received_audio_ms\` and \`received_audio_bytes\`: continue with the audio after that position.
- \`lag_updates\`: \`source_lag_update\` reports when the recogniser falls behind the audio and when it has caught up.
- \`caption_mode\`: stability of the captions: \`instant\`, \`balanced\` (the default) or \`settled\`. With \`settled\`,
  tentative lists contain only text that can no longer change.
- \`session_update\`: changes targets or terms within the session, with the fields of the session request. Omitted
  fields stay as they are, null restores the default. The answer is \`session_updated\` with the values in force, or
  \`session_update_refused\` with the reason, in which case the session continues unchanged. An added language starts
  with the current sentence. A removed language still receives that sentence and its end message. A language that
  is added again before its end message was sent continues without one. With \`session_updates\`, the server sends
  \`session_updated\` at the start. Older servers do not send it, and would end the session at a \`session_update\`,
  which they do not know.

These are our own additions; a client that uses none of them sees the plain protocol.

## Reading along in a room

Create a room with \`POST /v1/rooms\`; a session requested with its \`room_id\` speaks into it. Open
\`/v1/rooms/{room_id}/live?language=es\` without an API key or, if the room requires one, with the \`key\` of a signed
link or of \`POST /v1/rooms/{room_id}/live/entry\`. Without an upgrade, the same address sends the same messages as
server-sent events.

The first message is \`room\`, followed by \`history\` with the recent lines, and then by \`captions\`, whose \`lines\`
are concluded. Show lines in the order of their numbers; a line with a known number replaces the earlier one. \`watch\`
is the only message that a reader sends. A slow reader first loses tentative text, then receives what it missed as
\`history\`. A reader that reconnects sends \`after\` and receives what followed. \`end\` gives the reason before the
socket closes with 4403, 4404 or 4503. A message that is not a \`watch\` closes the socket with 4400, a message of
more than a kilobyte with 1009, and more than 20 messages in ten seconds with 4429.

## Errors

A failed session ends with an \`error\` message and the close code 4000 + \`error_code\`.
\`reason_code\` is \`error_code\` × 10,000 + a detail.

${errorRows()}
`.trim();

function errorRows(): string {
  const rows = describedErrors.map(
    ({ code, error_code, reason_code, close_code }) =>
      `| ${code} | ${error_code} | ${reason_code} | ${close_code} |`,
  );
  return ['| error | error_code | reason_code | close code |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

// Example messages of the sockets, as JSON frames.

type MessageName = Message['title'];

const line = {
  line: 1_795_535_202_520,
  text: 'Buenos días.',
  language: 'es',
  start_time: 1_795_535_201_000,
  end_time: 1_795_535_202_300,
  by: 'machine',
};
const tentative = { text: ' How are', start_time: 1480, end_time: 1900 };

/** One or two examples of every message, by its name. */
const messageExamples: Readonly<Record<MessageName, readonly object[]>> = {
  source_media_chunk: [{ source_media_chunk: { data: 'AAABAAIAAwA=' } }],
  end_of_utterance: [{ end_of_utterance: {} }],
  session_update: [
    { session_update: { id: '1', target_languages: ['es', 'fr'] } },
    { session_update: { glossary_id: 'a74d88fb-ed2a-4943-a664-a4512398b994', formality: null } },
  ],
  end_of_source_media: [{ end_of_source_media: {} }],
  source_transcript_update: [
    {
      source_transcript_update: {
        concluded: [{ language: 'en', text: 'Good morning.', start_time: 420, end_time: 1310 }],
        tentative: [{ language: 'en', ...tentative }],
      },
    },
    {
      source_transcript_update: {
        sequence: 1,
        concluded: [{ language: 'en', text: 'Good morning.', start_time: 420, end_time: 1310 }],
        tentative: [],
      },
    },
  ],
  target_transcript_update: [
    {
      target_transcript_update: {
        language: 'es',
        concluded: [{ text: 'Buenos días.', start_time: 420, end_time: 1310 }],
        tentative: [{ ...tentative, text: ' Cómo' }],
      },
    },
  ],
  target_media_chunk: [
    {
      target_media_chunk: {
        language: 'es',
        data: ['T2dnUwACAAA=', 'T2dnUwAAAAA='],
        duration: 120,
        text: 'Buenos días.',
        content_type: 'audio/ogg;codecs=opus',
        headers: 1,
      },
    },
    { target_media_chunk: { language: 'es', data: ['T2dnUwAAAAA='], duration: 100 } },
  ],
  end_of_source_transcript: [{ end_of_source_transcript: {} }],
  end_of_target_transcript: [{ end_of_target_transcript: { language: 'es' } }],
  end_of_target_media: [{ end_of_target_media: { language: 'es' } }],
  source_media_acknowledgement: [
    { source_media_acknowledgement: { received_audio_ms: 2600, received_audio_bytes: 83200 } },
  ],
  source_lag_update: [
    { source_lag_update: { lag_ms: 1800 } },
    { source_lag_update: { lag_ms: 0 } },
  ],
  session_updated: [
    { session_updated: { id: '1', start_time: 4200, target_languages: ['es', 'fr'] } },
  ],
  session_update_refused: [
    {
      session_update_refused: {
        id: '1',
        error_code: 400,
        reason_code: 4000001,
        error_message: 'At most 5 target languages are possible.',
      },
    },
  ],
  watch: [{ watch: { language: 'fr', calmness: 'settled' } }],
  room: [
    {
      room: {
        name: 'Main stage',
        state: 'live',
        languages: ['es', 'fr'],
        spoken_languages: ['es', 'fr'],
        source_language: 'en',
      },
    },
  ],
  history: [
    { history: { language: 'es', sequence: 1_795_535_202_643, replaces: true, lines: [line] } },
  ],
  captions: [
    {
      captions: {
        language: 'es',
        sequence: 1_795_535_202_643,
        lines: [line],
        tentative: '',
      },
    },
    { captions: { language: 'es', lines: [], tentative: 'Cómo' } },
  ],
  keep_alive: [{ keep_alive: {} }],
  end: [{ end: { message: 'The room has been deleted.' } }],
  end_of_stream: [{ end_of_stream: {} }],
  error: [
    {
      error: {
        request_type: 'source_media_chunk',
        error_code: 400,
        reason_code: 4000403,
        error_message: 'Audio format not supported.',
      },
    },
  ],
};
