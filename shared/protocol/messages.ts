/**
 * The messages of the voice socket, as schemas. The TypeScript types, the AsyncAPI document and the
 * tests derive from them. On the wire a message is an object with exactly one key, its name; in
 * code it is `{ type, … }`, and only the codec converts between the two.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { VoiceSessionUpdate } from '../schemas/voice-session.ts';

/** Binary data: base64 text in JSON frames, raw bytes in MessagePack frames, a Uint8Array in code. */
const Bytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  contentEncoding: 'base64',
  description: 'base64 text in JSON frames, raw bytes in MessagePack frames',
});

/** Makes the schema of a message: an object with one key, its name. */
export function message<Name extends string, Payload extends TSchema>(
  name: Name,
  payload: Payload,
  description: string,
) {
  const properties = { [name]: payload } as Record<Name, Payload>;
  const options = { title: name, description };
  return Object.assign(Type.Object(properties, options), options);
}

const startTime = Type.Integer({ minimum: 0, description: 'ms since the first sample' });
const endTime = Type.Integer({ minimum: 0, description: 'ms since the first sample' });
const text = Type.String({
  description: 'Carries its own leading blank: plain concatenation of segments reads right.',
});

const HeardWord = Type.Object({
  text: Type.String({ description: 'Without blanks.' }),
  start_time: startTime,
  end_time: endTime,
  confidence: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure the recogniser is; left out where it does not say.',
    }),
  ),
});

export const SourceSegment = Type.Object({
  language: Type.String(),
  text,
  start_time: startTime,
  end_time: endTime,
  words: Type.Optional(
    Type.Array(HeardWord, {
      description:
        'Only with `word_details`, of concluded text: its words, as far as the recogniser tells their times.',
    }),
  ),
});
export const TargetSegment = Type.Object({ text, start_time: startTime, end_time: endTime });

const sequence = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Only with `acknowledgements`: the number of this message among those that must not be lost, from 1. Say the last one you have when you reconnect.',
  }),
);
const updateId = Type.Optional(Type.String({ description: 'As the `session_update` had it.' }));
const languages = (description: string) => Type.Array(Type.String(), { description });
const End = Type.Object({ sequence });
const Empty = Type.Object({});
const concluded = 'Final text, sent once; it never changes.';
const tentative = 'Text that may still change; replaces the tentative list of the update before.';

export const SourceMediaChunk = message(
  'source_media_chunk',
  Type.Object({ data: Bytes }),
  'A piece of audio: at most 100 kB and 1 s; 50 to 250 ms are best.',
);
export const EndOfSourceMedia = message(
  'end_of_source_media',
  Empty,
  'No more audio follows: the server concludes what it has heard and ends the stream.',
);
export const EndOfUtterance = message(
  'end_of_utterance',
  Empty,
  'Our addition. What was said up to here is over, as when a button to talk is let go: it is concluded at once. More audio may follow.',
);
export const SessionUpdate = message(
  'session_update',
  VoiceSessionUpdate,
  'Our addition. Other targets or terms from now on, in the words of the session request: what is left out stays, null takes it away. Answered by `session_updated` or `session_update_refused`.',
);
export const SourceTranscriptUpdate = message(
  'source_transcript_update',
  Type.Object({
    sequence,
    concluded: Type.Array(SourceSegment, { description: concluded }),
    tentative: Type.Array(SourceSegment, { description: tentative }),
  }),
  'What was said.',
);
export const TargetTranscriptUpdate = message(
  'target_transcript_update',
  Type.Object({
    sequence,
    language: Type.String({ description: 'The target language exactly as it was requested.' }),
    concluded: Type.Array(TargetSegment, { description: concluded }),
    tentative: Type.Array(TargetSegment, { description: tentative }),
  }),
  'What was said, in one of the target languages.',
);
export const TargetMediaChunk = message(
  'target_media_chunk',
  Type.Object({
    sequence,
    language: Type.String({ description: 'The target language exactly as it was requested.' }),
    data: Type.Array(Bytes, {
      description:
        'Pieces of one continuous stream that must not be cut: pages, clusters, packets or frames. Joined, all pieces of a session are a valid file.',
    }),
    duration: Type.Number({ minimum: 0, description: 'How long the pieces play, in ms.' }),
    text: Type.Optional(
      Type.String({ description: 'What is spoken; in the first chunk of each segment.' }),
    ),
    content_type: Type.Optional(
      Type.String({ description: 'Format of the stream; in its first chunk.' }),
    ),
    headers: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How many pieces at the start of `data` are headers; in the first chunk.',
      }),
    ),
  }),
  'What was said, spoken in a target language.',
);
export const EndOfSourceTranscript = message(
  'end_of_source_transcript',
  End,
  'No further source_transcript_update follows.',
);
export const EndOfTargetTranscript = message(
  'end_of_target_transcript',
  Type.Object({ sequence, language: Type.String() }),
  'No further target_transcript_update for this language follows, unless a `session_update` brings it back: then `session_updated` comes between. Once per target.',
);
export const EndOfTargetMedia = message(
  'end_of_target_media',
  Type.Object({ sequence, language: Type.String() }),
  'The speech in this language is over. Only after a `session_update` may there be more: a stream of its own, `content_type` in its first chunk.',
);
export const SourceMediaAcknowledgement = message(
  'source_media_acknowledgement',
  Type.Object({
    received_audio_ms: Type.Number({
      minimum: 0,
      description: 'Audio that has arrived in this session, in ms; for compressed audio, decoded.',
    }),
    received_audio_bytes: Type.Integer({
      minimum: 0,
      description: 'The same in bytes of `source_media_chunk.data`, exact for every format.',
    }),
  }),
  'How much audio has arrived. Sent to clients that asked for `acknowledgements`: at most twice a second, and at least every two seconds until everything has been said, be it the same again. A connection that is silent for longer is lost.',
);
export const SourceLagUpdate = message(
  'source_lag_update',
  Type.Object({
    lag_ms: Type.Number({
      minimum: 0,
      description: 'Audio that has arrived and was not heard yet, in ms; 0 once it has caught up.',
    }),
  }),
  'The recogniser has fallen behind, or has caught up. Sent to clients that asked for `lag_updates`.',
);
export const SessionUpdated = message(
  'session_updated',
  Type.Object({
    sequence,
    id: updateId,
    start_time: Type.Integer({
      minimum: 0,
      description: 'Audio that had arrived when it was taken, in ms since the first sample.',
    }),
    target_languages: languages('Every language that is told from now on, the spoken one too.'),
    target_media_languages: Type.Optional(languages('The language that is spoken.')),
    glossary_id: Type.Optional(Type.String()),
    formality: Type.Optional(Type.String()),
    spoken_terms_id: Type.Optional(Type.String()),
  }),
  'Our addition. What is in force, after each `session_update`, in its place among the captions; at once for clients that asked for `session_updates`.',
);
export const SessionUpdateRefused = message(
  'session_update_refused',
  Type.Object({
    sequence,
    id: updateId,
    error_code: Type.Integer({ description: 'HTTP status that fits the refusal.' }),
    reason_code: Type.Integer({ description: 'HTTP status × 10,000 + detail.' }),
    error_message: Type.String({ description: 'What is wrong, and what is possible.' }),
  }),
  'Our addition. A `session_update` cannot be served: the session goes on as it was.',
);
export const EndOfStream = message(
  'end_of_stream',
  End,
  'The last message; the socket then closes with 1000.',
);
export const ErrorMessage = message(
  'error',
  Type.Object({
    request_type: Type.String({ description: 'The message or step that failed.' }),
    error_code: Type.Integer({ description: 'HTTP status that fits the failure.' }),
    reason_code: Type.Integer({ description: 'HTTP status × 10,000 + detail.' }),
    error_message: Type.String(),
  }),
  'The session has failed; the socket closes with 4000 + error_code.',
);

export const clientMessages = [
  SourceMediaChunk,
  EndOfUtterance,
  SessionUpdate,
  EndOfSourceMedia,
] as const;
export const serverMessages = [
  SourceTranscriptUpdate,
  TargetTranscriptUpdate,
  TargetMediaChunk,
  EndOfSourceTranscript,
  EndOfTargetTranscript,
  EndOfTargetMedia,
  SourceMediaAcknowledgement,
  SourceLagUpdate,
  SessionUpdated,
  SessionUpdateRefused,
  EndOfStream,
  ErrorMessage,
] as const;

/** Converts `{ name: { … } }` to `{ type: 'name', … }`. */
export type Typed<Wire> = Wire extends unknown
  ? { [Name in keyof Wire]: { type: Name } & Wire[Name] }[keyof Wire]
  : never;

export type SourceSegment = Static<typeof SourceSegment>;
export type TargetSegment = Static<typeof TargetSegment>;
/** A server message in its wire form. */
export type ServerFrame = Static<(typeof serverMessages)[number]>;
export type ServerMessage = Typed<ServerFrame>;
/** The server message of a given name. */
export type MessageOf<Name extends ServerMessage['type']> = Extract<ServerMessage, { type: Name }>;

type Control = { type: 'end_of_utterance' } | { type: 'end_of_source_media' };
type MediaChunk = { type: 'source_media_chunk'; data: Uint8Array };
export type ClientMessage =
  | Control
  | MediaChunk
  | { type: 'session_update'; update: VoiceSessionUpdate };
/** A decoded client message; the receiver must validate the content of an update. */
export type ReceivedMessage =
  | Control
  | MediaChunk
  | { type: 'session_update'; update: Readonly<Record<string, unknown>> };

/** Encoding of messages: JSON in text frames or MessagePack in binary frames. */
export type MessageFormat = 'json' | 'msgpack';
