/** `POST /v3/voice/realtime`. */
import Type, { type Static } from 'typebox';
import { sourceMediaTypes } from '../media-type.ts';

/** Path of the voice socket. */
export const VOICE_CONNECT_PATH = '/v3/voice/realtime/connect';

/** Languages the contract knows as spoken ones; which of them work depends on the running engines. */
export const voiceSourceLanguages =
  'ar bg bn cs da de el en es et fi fr ga he hr hu id it ja ko lt lv mt nb nl pl pt ro ru sk sl sv th tl tr uk vi zh'.split(
    ' ',
  );

/** Most target languages of a session. */
export const MAX_TARGET_LANGUAGES = 5;

/**
 * Enumerations are told in descriptions and checked by the service, whose messages say what is
 * possible with the engines that are running.
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
    Type.Array(Type.String(), { description: 'Languages to speak, at most one.' }),
  ),
  target_media_content_type: Type.Optional(Type.String()),
  target_media_voice: Type.Optional(Type.String()),
  spoken_terms_id: Type.Optional(Type.String()),
  glossary_id: Type.Optional(Type.String()),
  formality: Type.Optional(Type.String({ default: 'default' })),
});

export const VoiceSession = Type.Object({
  streaming_url: Type.String({
    description: 'Where to open the WebSocket, as `{streaming_url}?token={token}`.',
  }),
  token: Type.String({ description: 'Good for one connection, within a short time.' }),
  session_id: Type.String({ format: 'uuid' }),
});

export type VoiceSessionRequest = Static<typeof VoiceSessionRequest>;
export type VoiceSession = Static<typeof VoiceSession>;
