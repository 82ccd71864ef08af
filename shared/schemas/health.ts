/** `GET /healthz` and `GET /readyz`. */
import Type, { type Static } from 'typebox';

export const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('stopping')]),
  voice_sessions: Type.Integer({ description: 'Voice sessions that are connected or expected.' }),
  engines: Type.Object({
    recognition: Type.Array(Type.String()),
    translation: Type.Array(Type.String()),
    synthesis: Type.Array(Type.String()),
    problems: Type.Array(Type.String({ description: 'What is missing, and how to get it.' })),
  }),
});

export const Ready = Type.Object({ status: Type.Literal('ready') });

export type Health = Static<typeof Health>;
