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
  description: 'Includes its leading space, so that segments can simply be concatenated.',
});

const HeardWord = Type.Object({
  text: Type.String({ description: 'The word, without spaces.' }),
  start_time: startTime,
  end_time: endTime,
  confidence: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Confidence of the recogniser; omitted if it reports none.',
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
        'Words of concluded text, as far as the recogniser reports ' +
        'their times; present only with `word_details`.',
    }),
  ),
});
export const TargetSegment = Type.Object({ text, start_time: startTime, end_time: endTime });

const sequence = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Number of this message among those that must not be lost, from 1; present only with ' +
      '`acknowledgements`. When reconnecting, send the last one received.',
  }),
);
const updateId = Type.Optional(Type.String({ description: '`id` of the `session_update`.' }));
const languages = (description: string) => Type.Array(Type.String(), { description });
const End = Type.Object({ sequence });
const Empty = Type.Object({});
const concluded = 'Final text, sent once; it never changes.';
const tentative = 'Text that may still change; replaces the tentative list of the previous update.';

export const SourceMediaChunk = message(
  'source_media_chunk',
  Type.Object({ data: Bytes }),
  'A chunk of audio of at most 100 kB and 1 s; 50 to 250 ms are best.',
);
export const EndOfSourceMedia = message(
  'end_of_source_media',
  Empty,
  'No more audio follows: the server concludes its captions and ends the stream.',
);
export const EndOfUtterance = message(
  'end_of_utterance',
  Empty,
  'Our addition. Ends the current utterance, as when a push-to-talk button is ' +
    'released, and concludes it at once. More audio may follow.',
);
export const SessionUpdate = message(
  'session_update',
  VoiceSessionUpdate,
  'Our addition. Changes targets or terms, with the fields of the session ' +
    'request: omitted fields stay as they are, null restores the default. ' +
    'Answered by `session_updated` or `session_update_refused`.',
);
export const SourceTranscriptUpdate = message(
  'source_transcript_update',
  Type.Object({
    sequence,
    concluded: Type.Array(SourceSegment, { description: concluded }),
    tentative: Type.Array(SourceSegment, { description: tentative }),
  }),
  'Captions in the spoken language.',
);
export const TargetTranscriptUpdate = message(
  'target_transcript_update',
  Type.Object({
    sequence,
    language: Type.String({ description: 'The target language exactly as it was requested.' }),
    concluded: Type.Array(TargetSegment, { description: concluded }),
    tentative: Type.Array(TargetSegment, { description: tentative }),
  }),
  'Captions in one of the target languages.',
);
export const TargetMediaChunk = message(
  'target_media_chunk',
  Type.Object({
    sequence,
    language: Type.String({ description: 'The target language exactly as it was requested.' }),
    data: Type.Array(Bytes, {
      description:
        'Indivisible parts of one continuous stream: pages, clusters, packets or ' +
        'frames. All parts of a session, concatenated, form a valid file.',
    }),
    duration: Type.Number({ minimum: 0, description: 'Playing time of the parts, in ms.' }),
    text: Type.Optional(
      Type.String({ description: 'The spoken text; present in the first chunk of each segment.' }),
    ),
    content_type: Type.Optional(
      Type.String({ description: 'Format of the stream; present in its first chunk.' }),
    ),
    headers: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Number of leading parts of `data` that are headers; present in the first chunk.',
      }),
    ),
  }),
  'Translated speech in a target language.',
);
export const EndOfSourceTranscript = message(
  'end_of_source_transcript',
  End,
  'No further source_transcript_update follows.',
);
export const EndOfTargetTranscript = message(
  'end_of_target_transcript',
  Type.Object({ sequence, language: Type.String() }),
  'No further target_transcript_update for this language follows, unless a `session_update` ' +
    'adds it again, which `session_updated` announces. Sent once per target.',
);
export const EndOfTargetMedia = message(
  'end_of_target_media',
  Type.Object({ sequence, language: Type.String() }),
  'End of the speech in this language. Only a `session_update` can start ' +
    'more: a new stream with `content_type` in its first chunk.',
);
export const SourceMediaAcknowledgement = message(
  'source_media_acknowledgement',
  Type.Object({
    received_audio_ms: Type.Number({
      minimum: 0,
      description: 'Audio received in this session, in ms; for compressed audio, as decoded.',
    }),
    received_audio_bytes: Type.Integer({
      minimum: 0,
      description: 'Audio received, in bytes of `source_media_chunk.data`, exact for every format.',
    }),
  }),
  'Audio received so far. Sent to clients that requested `acknowledgements`, at most ' +
    'twice a second and, even if unchanged, at least every two seconds until all captions ' +
    'are complete. A connection that is silent for longer is lost.',
);
export const SourceLagUpdate = message(
  'source_lag_update',
  Type.Object({
    lag_ms: Type.Number({
      minimum: 0,
      description:
        'Audio received but not yet processed by the recogniser, in ms; 0 once it has caught up.',
    }),
  }),
  'The recogniser has fallen behind or has caught up. Sent ' +
    'to clients that requested `lag_updates`.',
);
export const SessionUpdated = message(
  'session_updated',
  Type.Object({
    sequence,
    id: updateId,
    start_time: Type.Integer({
      minimum: 0,
      description: 'Audio received when the update took effect, in ms since the first sample.',
    }),
    target_languages: languages(
      'All target languages from now on, including that of the translated speech.',
    ),
    target_media_languages: Type.Optional(languages('Language of the translated speech.')),
    glossary_id: Type.Optional(Type.String()),
    formality: Type.Optional(Type.String()),
    spoken_terms_id: Type.Optional(Type.String()),
  }),
  'Our addition. Values in force after a `session_update`, sent in order with the ' +
    'captions; also sent at the start to clients that requested `session_updates`.',
);
export const SessionUpdateRefused = message(
  'session_update_refused',
  Type.Object({
    sequence,
    id: updateId,
    error_code: Type.Integer({ description: 'Corresponding HTTP status.' }),
    reason_code: Type.Integer({ description: 'HTTP status × 10,000 + detail.' }),
    error_message: Type.String({ description: 'What is wrong, and which values are possible.' }),
  }),
  'Our addition. A `session_update` is refused; the session continues unchanged.',
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
    error_code: Type.Integer({ description: 'Corresponding HTTP status.' }),
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
