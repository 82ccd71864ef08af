/**
 * How a realtime session is set up. Servers differ, and tell which they are with their first event:
 * OpenAI's interface of today, the one before it, and servers that know sessions of conversations
 * only, of which the transcripts of what was said are used. Pure.
 */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { RecogniserMessage } from './recogniser-socket.ts';

export interface RealtimeSession {
  model: string;
  /** Two letters; undefined: to be found out. */
  language: string | undefined;
  /** Words that are likely to be said. */
  prompt: string | undefined;
}

/** What sets a session up; its answer ends in `.updated`. */
export type SessionUpdate = RecogniserMessage & { type: string };

const created = Compile(
  Type.Object({
    type: Type.Union([
      Type.Literal('session.created'),
      Type.Literal('transcription_session.created'),
    ]),
    session: Type.Object({
      type: Type.Optional(Type.String()),
      audio: Type.Optional(Type.Object({})),
      input_audio_format: Type.Optional(Type.String()),
    }),
  }),
);

/** The update that fits a server's first event; undefined when that is no beginning of a session. */
export function sessionUpdate(
  first: RecogniserMessage,
  { model, language, prompt }: RealtimeSession,
): SessionUpdate | undefined {
  if (!created.Check(first)) return undefined;
  const transcription = {
    model,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
  };
  if (first.type === 'transcription_session.created') {
    return {
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: transcription,
        turn_detection: null,
      },
    };
  }
  const { audio, input_audio_format: format } = first.session;
  if (audio !== undefined || format === undefined) {
    const input = { format: { type: 'audio/pcm', rate: 24_000 }, transcription };
    return {
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { ...input, turn_detection: null } } },
    };
  }
  return {
    type: 'session.update',
    session: {
      // Speaches has pcm16 and refuses to be told so.
      ...(format !== 'pcm16' && { input_audio_format: 'pcm16' }),
      input_audio_transcription: transcription,
      turn_detection: null,
    },
  };
}
