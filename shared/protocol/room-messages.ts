/**
 * The messages of a reader's connection to a room, `GET /v1/rooms/{room_id}/live`, over a WebSocket
 * or as server-sent events. On the wire a message is an object with exactly one key, its name; in
 * code it is `{ type, … }`.
 */
import Type, { type Static } from 'typebox';
import { message, type Typed } from './messages.ts';

const time = (what: string) => Type.Integer({ minimum: 0, description: `${what}, ms since 1970.` });
const language = Type.String({
  description: 'One of the languages of the room, or `spoken`: what is said itself.',
});
const sequence = Type.Integer({
  minimum: 0,
  description:
    'Grows with everything that must not be lost, with gaps. Say the last one you have as `after` when you come back.',
});

export const RoomLine = Type.Object({
  line: Type.Integer({
    minimum: 1,
    description:
      'Its number: lines are shown by it, and one that comes again replaces the one before. Empty text takes it away.',
  }),
  text: Type.String({ description: 'A sentence, without blanks around it.' }),
  language: Type.String({ description: 'Of the text.' }),
  start_time: time('When it began to be said'),
  end_time: time('When it had been said'),
  by: Type.String({ description: 'machine, or person: it was typed or corrected.' }),
});

/** Current state of the room. */
export const RoomState = message(
  'room',
  Type.Object({
    name: Type.String(),
    state: Type.String({ description: 'waiting, live or paused.' }),
    languages: Type.Array(Type.String(), {
      description: 'What it can be read in, besides `spoken`.',
    }),
    spoken_languages: Type.Array(Type.String(), {
      description: 'Of these languages there is a voice: lines can be had as audio.',
    }),
    source_language: Type.Optional(
      Type.String({ description: 'That is spoken, where it is known.' }),
    ),
  }),
  'The room: the first message, and again whenever something of it changes.',
);
export const RoomHistory = message(
  'history',
  Type.Object({
    language,
    sequence,
    replaces: Type.Boolean({
      description:
        'These are all lines to be shown: forget those you have, and what was tentative.',
    }),
    lines: Type.Array(RoomLine),
  }),
  'What was said: after `room`, after `watch`, and where a reader was too slow.',
);
export const RoomCaptions = message(
  'captions',
  Type.Object({
    language,
    sequence: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'As in `history`. Lines without it do not count: what was said before could not be read yet, and comes as `history` when it can be.',
      }),
    ),
    lines: Type.Array(RoomLine, { description: 'Concluded.' }),
    tentative: Type.String({
      description: 'What is being said and may still change; replaces the one before.',
    }),
  }),
  'What is being said.',
);
export const RoomKeepAlive = message(
  'keep_alive',
  Type.Object({}),
  'At least every 15 s. A connection that is silent for longer is lost.',
);
export const RoomEnd = message(
  'end',
  Type.Object({ message: Type.String({ description: 'Why.' }) }),
  'The last message; the socket then closes with 4404 where the room is gone, 4403 where the link has expired or was revoked, and 4503 where the server stops: connect again.',
);
export const RoomWatch = message(
  'watch',
  Type.Object({
    language: Type.Optional(language),
    calmness: Type.Optional(
      Type.String({ description: 'instant, or settled: nothing that may still change.' }),
    ),
    after: Type.Optional(sequence),
  }),
  'The only message of a reader: another language, or another calmness, from now on.',
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
