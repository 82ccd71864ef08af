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
    description: `Format of the audio, one channel: ${sourceMediaTypes.join(', ')}. Blanks after ";" do not matter.`,
    examples: ['audio/pcm;encoding=s16le;rate=16000'],
  }),
  message_format: Type.Optional(
    Type.String({
      default: 'json',
      description: 'json (text frames, base64) or msgpack (binary frames).',
    }),
  ),
  source_language: Type.Optional(
    Type.String({ description: 'Language that is spoken.', examples: ['en'] }),
  ),
  source_language_mode: Type.Optional(
    Type.String({
      default: 'auto',
      description: 'auto takes source_language as a hint, fixed as mandatory.',
    }),
  ),
  target_languages: Type.Optional(
    Type.Array(Type.String(), {
      default: [],
      description: `Languages to translate into, at most ${MAX_TARGET_LANGUAGES}; none for a transcript only.`,
      examples: [['es', 'fr']],
    }),
  ),
  target_media_languages: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Language to speak, at most one; it becomes a target language as well.',
    }),
  ),
  target_media_content_type: Type.Optional(
    Type.String({
      description: `Format of the speech, ${defaultTargetMediaType} by default: ${targetMediaTypes.join(', ')}.`,
    }),
  ),
  target_media_voice: Type.Optional(
    Type.String({ description: 'male or female; by default whatever suits the language.' }),
  ),
  spoken_terms_id: Type.Optional(
    Type.String({ description: 'A list of spoken terms: words that are likely to be said.' }),
  ),
  glossary_id: Type.Optional(Type.String({ description: 'A glossary the translations obey.' })),
  formality: Type.Optional(
    Type.String({ default: 'default', description: 'default, formal, more, informal or less.' }),
  ),
  caption_mode: Type.Optional(
    Type.String({
      default: 'balanced',
      description:
        'Our addition. instant shows every word at once, balanced what is unlikely to change, settled nothing that can change.',
    }),
  ),
  acknowledgements: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. Numbers the messages that must not be lost and tells how much audio has arrived, so that nothing is lost or doubled when a connection drops.',
    }),
  ),
  word_details: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. Concluded segments of what was said tell the times of their words and how sure the recogniser is of each, as far as it does.',
    }),
  ),
  lag_updates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Our addition. Tells when the recogniser falls behind the audio.',
    }),
  ),
  room_id: Type.Optional(
    Type.String({
      description:
        'Our addition. A room of your account in which others read along, whatever the targets of the session.',
    }),
  ),
  session_updates: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Our addition. `session_updated` tells at once what is in force, so that a client knows that `session_update` is understood here.',
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
    Type.String({ maxLength: 64, description: 'Your name for it; the answer carries it.' }),
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
    description: 'Where to open the WebSocket, as `{streaming_url}?token={token}`.',
  }),
  token: Type.String({ description: 'Good for one connection, within a short time.' }),
  session_id: Type.String({ format: 'uuid' }),
});

/** `GET /v3/voice/realtime`. */
export const VoiceReconnection = Type.Object({
  token: Type.String({ description: 'The latest token of the session, used or not.' }),
  last_sequence: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Our addition: `sequence` of the last message you have, 0 for none. What came after it is sent again.',
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
    Type.Number({ description: 'Audio that has arrived in this session, in ms.' }),
  ),
  received_audio_bytes: Type.Optional(
    Type.Integer({ description: 'The same in bytes: go on with the byte after them.' }),
  ),
});

export type VoiceReconnectedSession = Static<typeof VoiceReconnectedSession>;
export type VoiceSessionUpdate = Static<typeof VoiceSessionUpdate>;
export type VoiceSessionRequest = Static<typeof VoiceSessionRequest>;
export type RequestedVoiceSession = Static<typeof RequestedVoiceSession>;
