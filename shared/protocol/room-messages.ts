/**
 * The messages of a reader's connection to a room, `GET /v1/rooms/{room_id}/live`, over a WebSocket
 * or as server-sent events. On the wire a message is an object with exactly one key, its name; in
 * code it is `{ type, … }`.
 */
import Type, { type Static } from 'typebox';
import { message, type Typed } from './messages.ts';

const time = (what: string) => Type.Integer({ minimum: 0, description: `${what}, ms since 1970.` });
const language = Type.String({
  description: 'One of the languages of the room, or `spoken` for the untranslated speech.',
});
const sequence = Type.Integer({
  minimum: 0,
  description:
    'Increases, with gaps, with every message that must not be lost. When ' +
    'reconnecting, send the last one received as `after`.',
});

export const RoomLine = Type.Object({
  line: Type.Integer({
    minimum: 1,
    description:
      'Number of the line. Lines are ordered by it; a line with the same number ' +
      'replaces the earlier one, and an empty text removes it.',
  }),
  text: Type.String({ description: 'A sentence, without surrounding spaces.' }),
  language: Type.String({ description: 'Language of the text.' }),
  start_time: time('When it began to be said'),
  end_time: time('When it had been said'),
  by: Type.String({ description: 'machine, or person if it was typed or corrected.' }),
});

/** Current state of the room. */
export const RoomState = message(
  'room',
  Type.Object({
    name: Type.String(),
    state: Type.String({ description: 'waiting, live or paused.' }),
    languages: Type.Array(Type.String(), {
      description: 'Languages available besides `spoken`.',
    }),
    spoken_languages: Type.Array(Type.String(), {
      description: 'Languages with a voice, in which lines are available as audio.',
    }),
    source_language: Type.Optional(Type.String({ description: 'Spoken language, if known.' })),
  }),
  'State of the room: the first message, and sent again after every change.',
);
export const RoomHistory = message(
  'history',
  Type.Object({
    language,
    sequence,
    replaces: Type.Boolean({
      description:
        'When true, these are all the lines to show: discard earlier lines and tentative text.',
    }),
    lines: Type.Array(RoomLine),
  }),
  'Earlier lines: sent after `room`, after `watch`, and to a reader that was too slow.',
);
export const RoomCaptions = message(
  'captions',
  Type.Object({
    language,
    sequence: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'As in `history`. When omitted, these lines do not advance the sequence: ' +
          'earlier lines could not be read yet and will follow as `history`.',
      }),
    ),
    lines: Type.Array(RoomLine, { description: 'Concluded lines.' }),
    tentative: Type.String({
      description: 'Text that may still change; replaces the previous tentative text.',
    }),
  }),
  'Live captions.',
);
export const RoomKeepAlive = message(
  'keep_alive',
  Type.Object({}),
  'Sent so that a message arrives at least every 15 s. A ' +
    'connection that is silent for longer is lost.',
);
export const RoomEnd = message(
  'end',
  Type.Object({ message: Type.String({ description: 'Reason of the end.' }) }),
  'The last message. The socket then closes with 4404 if the room was ' +
    'deleted, 4403 if the link expired or was revoked, or 4503 if the ' +
    'server stops, in which case the client should reconnect.',
);
export const RoomWatch = message(
  'watch',
  Type.Object({
    language: Type.Optional(language),
    calmness: Type.Optional(
      Type.String({ description: 'instant, or settled, which omits text that may still change.' }),
    ),
    after: Type.Optional(sequence),
  }),
  'The only message of a reader: changes the language or the calmness.',
);

export const roomServerMessages = [
  RoomState,
  RoomHistory,
  RoomCaptions,
  RoomKeepAlive,
  RoomEnd,
] as const;

export type RoomLine = Static<typeof RoomLine>;
export type RoomServerMessage = Typed<Static<(typeof roomServerMessages)[number]>>;
export type RoomMessageOf<Name extends RoomServerMessage['type']> = Extract<
  RoomServerMessage,
  { type: Name }
>;
export type RoomWatch = Static<typeof RoomWatch>['watch'];

export const calmnesses = ['instant', 'settled'] as const;
export type Calmness = (typeof calmnesses)[number];
