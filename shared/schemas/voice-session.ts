/** `POST /v3/voice/realtime`. */
import Type, { type Static, type TSchema } from 'typebox';
import { sourceMediaTypes } from '../media-type.ts';
import { defaultTargetMediaType, targetMediaTypes } from '../target-media-type.ts';

/** Path of the voice socket. */
export const VOICE_CONNECT_PATH = '/v3/voice/realtime/connect';

/** Source languages of the API; which of them work depends on the running engines. */
export const voiceSourceLanguages =
  'ar bg bn cs da de el en es et fi fr ga he hr hu id it ja ko lt lv mt nb nl pl pt ro ru sk sl sv th tl tr uk vi zh'.split(
    ' ',
  );

/** Languages of synthesised speech in the API; which of them work depends on the running engines. */
export const voiceMediaLanguages =
  'ar bg cs da de el en en-GB en-US es fi fr hu id it ja ko nb nl pl pt pt-BR pt-PT ro ru sk sv tr uk vi zh zh-HANS zh-HANT'.split(
    ' ',
  );

/** Maximum number of target languages of a session. */
export const MAX_TARGET_LANGUAGES = 5;

/**
 * The descriptions list the allowed values; the service checks them, because its messages name
 * those that the running engines support.
 */
export const VoiceSessionRequest = Type.Object({
  source_media_content_type: Type.String({
    description:
      'Format of the single-channel audio: ' +
      `${sourceMediaTypes.join(', ')}. Spaces after ";" are ` +
      'ignored.',
    examples: ['audio/pcm;encoding=s16le;rate=16000'],
  }),
  message_format: Type.Optional(
    Type.String({
      default: 'json',
      description: 'json (text frames, base64) or msgpack (binary frames).',
    }),
  ),
  source_language: Type.Optional(
    Type.String({ description: 'Spoken language.', examples: ['en'] }),
  ),
  source_language_mode: Type.Optional(
    Type.String({
      default: 'auto',
      description: 'auto treats source_language as a hint, fixed as mandatory.',
    }),
  ),
  target_languages: Type.Optional(
    Type.Array(Type.String(), {
      default: [],
      description: `Languages to translate into, at most ${MAX_TARGET_LANGUAGES}; empty for a transcript only.`,
      examples: [['es', 'fr']],
    }),
  ),
  target_media_languages: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Language of the translated speech, at most one; it also becomes a target language.',
    }),
  ),
  target_media_content_type: Type.Optional(
    Type.String({
      description:
        'Format of the translated speech, by default ' +
        `${defaultTargetMediaType}: ${targetMediaTypes.join(', ')}.`,
    }),
  ),
  target_media_voice: Type.Optional(
    Type.String({ description: 'male or female; the default depends on the language.' }),
  ),
  spoken_terms_id: Type.Optional(
    Type.String({ description: 'List of spoken terms: words that the recogniser should expect.' }),
  ),
  glossary_id: Type.Optional(
    Type.String({ description: 'Glossary to apply to the translations.' }),
  ),
  formality: Type.Optional(
    Type.String({ default: 'default', description: 'default, formal, more, informal or less.' }),
  ),
  caption_mode: Type.Optional(
    Type.String({
      default: 'balanced',
      description:
        'Our addition. instant shows every recognised word at once, balanced only words that ' +
        'are unlikely to change, settled only words that can no longer change.',
    }),
  ),
  acknowledgements: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. Numbers the messages that must not be lost and acknowledges ' +
        'received audio, so that a dropped connection loses and repeats nothing.',
    }),
  ),
  word_details: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. Adds the times of words and their confidence to concluded ' +
        'source segments, as far as the recogniser provides them.',
    }),
  ),
  lag_updates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Our addition. Reports when the recogniser falls behind the audio.',
    }),
  ),
  room_id: Type.Optional(
    Type.String({
      description:
        'Our addition. Room of your account that shows the captions of this session to its ' +
        'readers, in the languages of the room rather than the targets of the session.',
    }),
  ),
  session_updates: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. Sends `session_updated` with the values in force at the start, ' +
        'which tells the client that the server supports `session_update`.',
    }),
  ),
});

/** Fields of a request that a running session can change. */
export const changeableFields = [
  'target_languages',
  'target_media_languages',
  'target_media_content_type',
  'target_media_voice',
  'glossary_id',
  'formality',
  'spoken_terms_id',
] as const;

const { properties: requested } = VoiceSessionRequest;

/** `session_update`: omitted fields stay as they are, null restores the default of a request (RFC 7396). */
export const VoiceSessionUpdate = Type.Object({
  id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Identifier chosen by the client; the answer repeats it.',
    }),
  ),
  target_languages: orNull(requested.target_languages),
  target_media_languages: orNull(requested.target_media_languages),
  target_media_content_type: orNull(requested.target_media_content_type),
  target_media_voice: orNull(requested.target_media_voice),
  glossary_id: orNull(requested.glossary_id),
  formality: orNull(requested.formality),
  spoken_terms_id: orNull(requested.spoken_terms_id),
});

function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** The response of `POST /v3/voice/realtime`: where to connect to the requested session. */
export const RequestedVoiceSession = Type.Object({
  streaming_url: Type.String({
    description: 'Address of the WebSocket, to be opened as `{streaming_url}?token={token}`.',
  }),
  token: Type.String({ description: 'Valid for one connection and a short time.' }),
  session_id: Type.String({ format: 'uuid' }),
});

/** `GET /v3/voice/realtime`. */
export const VoiceReconnection = Type.Object({
  token: Type.String({ description: 'The latest token of the session, used or not.' }),
  last_sequence: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Our addition. `sequence` of the last message received, 0 ' +
        'for none. All later messages are sent again.',
    }),
  ),
});

/**
 * The response of `GET /v3/voice/realtime`; includes the received audio for clients that requested
 * acknowledgements.
 */
export const VoiceReconnectedSession = Type.Object({
  ...RequestedVoiceSession.properties,
  received_audio_ms: Type.Optional(
    Type.Number({ description: 'Audio received in this session, in ms.' }),
  ),
  received_audio_bytes: Type.Optional(
    Type.Integer({
      description: 'Audio received in this session, in bytes; continue with the next byte.',
    }),
  ),
});

export type VoiceReconnectedSession = Static<typeof VoiceReconnectedSession>;
export type VoiceSessionUpdate = Static<typeof VoiceSessionUpdate>;
export type VoiceSessionRequest = Static<typeof VoiceSessionRequest>;
export type RequestedVoiceSession = Static<typeof RequestedVoiceSession>;
