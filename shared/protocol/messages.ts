/**
 * Everything that crosses the voice socket, as schemas: TypeScript types, the AsyncAPI document and
 * the tests all come from here. Each message is an object with exactly one key, its name.
 */
import Type, { type Static, type TSchema } from 'typebox';

/** Binary data: base64 text in JSON frames, raw bytes in MessagePack frames, a Uint8Array in our code. */
const Bytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  contentEncoding: 'base64',
  description: 'base64 text in JSON frames, raw bytes in MessagePack frames',
});

function message<Name extends string, Payload extends TSchema>(
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

export const SourceSegment = Type.Object({
  language: Type.String(),
  text,
  start_time: startTime,
  end_time: endTime,
});
export const TargetSegment = Type.Object({ text, start_time: startTime, end_time: endTime });

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
export const SourceTranscriptUpdate = message(
  'source_transcript_update',
  Type.Object({
    concluded: Type.Array(SourceSegment, { description: concluded }),
    tentative: Type.Array(SourceSegment, { description: tentative }),
  }),
  'What was said.',
);
export const TargetTranscriptUpdate = message(
  'target_transcript_update',
  Type.Object({
    language: Type.String({ description: 'The target language exactly as it was requested.' }),
    concluded: Type.Array(TargetSegment, { description: concluded }),
    tentative: Type.Array(TargetSegment, { description: tentative }),
  }),
  'What was said, in one of the target languages.',
);
export const EndOfSourceTranscript = message(
  'end_of_source_transcript',
  Empty,
  'No further source_transcript_update follows.',
);
export const EndOfTargetTranscript = message(
  'end_of_target_transcript',
  Type.Object({ language: Type.String() }),
  'No further target_transcript_update for this language follows; once per target.',
);
export const EndOfStream = message(
  'end_of_stream',
  Empty,
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

export const clientMessages = [SourceMediaChunk, EndOfSourceMedia] as const;
export const serverMessages = [
  SourceTranscriptUpdate,
  TargetTranscriptUpdate,
  EndOfSourceTranscript,
  EndOfTargetTranscript,
  EndOfStream,
  ErrorMessage,
] as const;

export type SourceSegment = Static<typeof SourceSegment>;
export type TargetSegment = Static<typeof TargetSegment>;
export type SourceTranscriptUpdate = Static<typeof SourceTranscriptUpdate>;
export type TargetTranscriptUpdate = Static<typeof TargetTranscriptUpdate>;
export type ClientMessage = Static<(typeof clientMessages)[number]>;
export type ServerMessage = Static<(typeof serverMessages)[number]>;

/** How messages are written: JSON in text frames or MessagePack in binary frames. */
export type MessageFormat = 'json' | 'msgpack';
