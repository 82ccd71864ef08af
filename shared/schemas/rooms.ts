/** Rooms of events, `/v1/rooms`: an addition to the API of DeepL clients. */
import Type, { type Static } from 'typebox';

/** Maximum number of languages a room is translated into. */
export const MAX_ROOM_LANGUAGES = 30;
/** Longest retention of a transcript, in hours: a year. */
export const MAX_KEEP_HOURS = 8_760;
/** Longest typed caption, in Unicode code points. */
export const MAX_CAPTION_CHARACTERS = 2_000;
/** Maximum number of hidden words, and of replacements; maximum length of each, in code points. */
export const MAX_ROOM_WORDS = 500;
export const MAX_ROOM_WORD_CHARACTERS = 100;

const ownAddition =
  'Our own addition: in a room, an audience reads live captions ' +
  'of a voice session on phones and on screens.';

/** The track of the speech itself, in whatever language it is spoken. */
export const SPOKEN = 'spoken';

export const roomAccess = ['everyone', 'passcode', 'link'] as const;
export type RoomAccess = (typeof roomAccess)[number];
export const roomRoles = ['viewer', 'captioner', 'speaker'] as const;
/**
 * What the bearer of a link may do. Each role includes the previous ones: viewers read, captioners
 * also type and correct, speakers also speak and pause.
 */
export type RoomRole = (typeof roomRoles)[number];
export const transcriptFormats = ['txt', 'srt', 'vtt', 'json', 'docx'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

const Replacement = Type.Object({
  from: Type.String({ examples: ['Zembler'] }),
  to: Type.String({ examples: ['Zembla'] }),
});

/**
 * Settings of a new room; the descriptions state the defaults. `default` is not used, because
 * changes share these fields, and fields omitted from a change stay as they are.
 */
const wishes = {
  name: Type.String({ description: 'At most 1,024 bytes of UTF-8.', examples: ['Main stage'] }),
  languages: Type.Optional(
    Type.Array(Type.String(), {
      description: `Languages into which the room is translated, at most ${MAX_ROOM_LANGUAGES}.`,
      examples: [['es', 'fr']],
    }),
  ),
  always: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Subset of `languages` that is translated even without readers. ' +
        'The others are translated once they have a reader.',
    }),
  ),
  source_language: Type.Optional(
    Type.String({
      description: 'Main spoken language; a speaker may choose another.',
      examples: ['en'],
    }),
  ),
  access: Type.Optional(
    Type.String({
      description:
        `Who may read: ${roomAccess.join(', ')}. With everyone, the default, the address is ` +
        'enough; passcode requires the passcode of the room; link requires a signed link.',
      examples: ['passcode'],
    }),
  ),
  passcode: Type.Optional(
    Type.String({
      description: 'With access passcode: 4 to 64 characters. Generated when omitted.',
      examples: ['482913'],
    }),
  ),
  keep_hours: Type.Optional(
    Type.Number({
      description:
        `Retention of transcript lines in hours, at most ${MAX_KEEP_HOURS}. With 0, ` +
        'the default, no part of the transcript is written to disk.',
      examples: [48],
    }),
  ),
  glossary_id: Type.Optional(
    Type.String({ description: 'Glossary to apply to the translations.' }),
  ),
  formality: Type.Optional(
    Type.String({ description: 'default (also when omitted), formal, more, informal or less.' }),
  ),
  replacements: Type.Optional(
    Type.Array(Replacement, {
      description:
        'Corrections of words that the recogniser mishears, at most ' +
        `${MAX_ROOM_WORDS}; applied before translation.`,
    }),
  ),
  hidden_words: Type.Optional(
    Type.Array(Type.String(), {
      description: `Words that are replaced by ••• in every language, at most ${MAX_ROOM_WORDS}.`,
    }),
  ),
};

export const RoomCreation = Type.Object(wishes, { description: ownAddition });

const { name, ...others } = wishes;
const orNull = Object.fromEntries(
  (['source_language', 'glossary_id', 'formality'] as const).map((field) => [
    field,
    Type.Optional(Type.Union([others[field], Type.Null()])),
  ]),
) as Record<'source_language' | 'glossary_id' | 'formality', never>;

/**
 * Omitted fields stay as they are; null removes a source language, a glossary or a formality. A
 * change applies to everything said afterwards.
 */
export const RoomChange = Type.Object(
  {
    ...others,
    ...orNull,
    name: Type.Optional(name),
    paused: Type.Optional(
      Type.Boolean({
        description: 'Whether the room is paused. A paused room ignores everything that is said.',
      }),
    ),
  },
  { description: ownAddition },
);

const url = (description: string) => Type.String({ description });

export const RoomInfo = Type.Object(
  {
    room_id: Type.String({ examples: ['k7mq3xw9ab'] }),
    name,
    languages: Type.Array(Type.String()),
    always: Type.Array(Type.String()),
    source_language: Type.Optional(Type.String()),
    access: Type.String(),
    passcode: Type.Optional(Type.String()),
    keep_hours: Type.Number(),
    glossary_id: Type.Optional(Type.String()),
    formality: Type.Optional(Type.String()),
    replacements: Type.Array(Replacement),
    hidden_words: Type.Array(Type.String()),
    paused: Type.Boolean(),
    state: Type.String({
      description: 'live while a speaker is connected, paused, or waiting.',
      examples: ['live'],
    }),
    session_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The voice session whose speech the room shows.',
      }),
    ),
    viewers: Type.Record(Type.String(), Type.Integer(), {
      description: `Current number of readers by language; \`${SPOKEN}\` is the untranslated speech.`,
    }),
    viewer_url: Type.Optional(url('Link for readers.')),
    overlay_url: Type.Optional(url('Link for projectors and streaming software.')),
    speaker_url: Type.Optional(
      url('Link for speakers; its bearer may speak and may pause the room.'),
    ),
    captioner_url: Type.Optional(url('Link for captioners, who type and correct captions.')),
    creation_time: Type.String({ format: 'date-time' }),
  },
  { description: ownAddition },
);

/** The room as its speaker sees it. */
export const RoomDesk = Type.Object(
  {
    ...RoomInfo.properties,
    heard_languages: Type.Array(Type.String(), {
      description: 'Spoken languages that the running recognisers support.',
    }),
  },
  { description: ownAddition },
);

export const RoomList = Type.Object(
  { rooms: Type.Array(RoomInfo, { description: 'Oldest first.' }) },
  { description: ownAddition },
);

export const RoomPath = Type.Object({ room_id: Type.String() });

export const RoomLinkCreation = Type.Object(
  {
    role: Type.String({ description: `${roomRoles.join(', ')}.`, examples: ['viewer'] }),
    label: Type.Optional(
      Type.String({ description: 'Name of its recipient.', examples: ['Press'] }),
    ),
    expires_in_hours: Type.Optional(
      Type.Number({
        description: 'When omitted, the link is valid until it is revoked.',
        examples: [24],
      }),
    ),
  },
  { description: ownAddition },
);

export const RoomLink = Type.Object(
  {
    link_id: Type.String(),
    role: Type.String(),
    label: Type.String(),
    url: url('Admits its bearer until it expires or is revoked.'),
    expiry_time: Type.Optional(Type.String({ format: 'date-time' })),
    creation_time: Type.String({ format: 'date-time' }),
  },
  { description: ownAddition },
);

export const RoomLinkList = Type.Object({ links: Type.Array(RoomLink) });
export const RoomLinkPath = Type.Object({ room_id: Type.String(), link_id: Type.String() });

/** What anyone may know about a room before being admitted. */
export const RoomEntrance = Type.Object(
  {
    room_id: Type.String(),
    access: Type.String(),
    may_read: Type.Boolean({
      description: 'Whether the key of this request, if any, permits reading.',
    }),
    name: Type.Optional(
      Type.String({
        description: 'Omitted without permission to read if the room admits only signed links.',
      }),
    ),
    languages: Type.Optional(
      Type.Array(Type.String(), {
        description: `Languages available besides \`${SPOKEN}\`. Omitted without permission to read.`,
      }),
    ),
  },
  { description: ownAddition },
);
export const RoomPasscode = Type.Object({ passcode: Type.String() });
export const RoomEntry = Type.Object(
  {
    key: Type.String({
      description: 'Key to send as `key` in the query or as `Authorization: Room-Key …`.',
    }),
    expiry_time: Type.String({ format: 'date-time' }),
  },
  { description: ownAddition },
);

export const RoomPause = Type.Object({ paused: Type.Boolean() });

/** A caption that a person types, as a new line or a replacement. */
export const TypedCaption = Type.Object(
  {
    language: Type.Optional(
      Type.String({
        default: SPOKEN,
        description: `One of the room's languages, or \`${SPOKEN}\`, whose lines are translated into the others.`,
      }),
    ),
    text: Type.String({
      description: `At most ${MAX_CAPTION_CHARACTERS} characters; an empty text removes the line.`,
    }),
    source_language: Type.Optional(
      Type.String({
        description:
          `Language of a new \`${SPOKEN}\` line. Defaults to the room's main ` +
          'spoken language, or else to the language last spoken.',
      }),
    ),
    line: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The line to replace. When omitted, a new line is added.',
      }),
    ),
  },
  { description: ownAddition },
);

export const TranscriptQuery = Type.Object({
  language: Type.Optional(Type.String({ default: SPOKEN })),
  format: Type.Optional(
    Type.String({ default: 'json', description: `${transcriptFormats.join(', ')}.` }),
  ),
});

/** For the console: each language that can be recognised, and the languages it can be translated into. */
export const RoomLanguages = Type.Object({
  languages: Type.Array(
    Type.Object({
      source_language: Type.String(),
      target_languages: Type.Array(Type.String()),
    }),
  ),
});

export type RoomLanguages = Static<typeof RoomLanguages>;
export type RoomCreation = Static<typeof RoomCreation>;
export type RoomChange = Omit<
  Partial<RoomCreation>,
  'source_language' | 'glossary_id' | 'formality'
> & {
  source_language?: string | null;
  glossary_id?: string | null;
  formality?: string | null;
  paused?: boolean;
};
export type RoomInfo = Static<typeof RoomInfo>;
export type RoomDesk = Static<typeof RoomDesk>;
export type RoomLink = Static<typeof RoomLink>;
export type RoomLinkCreation = Static<typeof RoomLinkCreation>;
export type RoomEntrance = Static<typeof RoomEntrance>;
export type TypedCaption = Static<typeof TypedCaption>;
