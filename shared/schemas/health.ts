/** `GET /healthz` and `GET /readyz`. */
import Type, { type Static } from 'typebox';

export const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('stopping')]),
  voice_sessions: Type.Integer({
    description: 'Voice sessions that are connected or awaiting their connection.',
  }),
  engines: Type.Object({
    recognition: Type.Array(Type.String()),
    translation: Type.Array(Type.String()),
    synthesis: Type.Array(Type.String()),
    problems: Type.Array(Type.String({ description: 'What is missing, and how to install it.' })),
  }),
});

/** Load of the recognisers on this machine. */
export const Hearing = Type.Object({
  takes_sessions: Type.Boolean({
    description:
      'False while a new voice session would be answered with 429, or with 503 because no recogniser starts.',
  }),
  load: Type.Number({
    description:
      'Processor load of the recognisers, relative to the share of this machine that they may use.',
  }),
  late_sessions: Type.Integer({
    description: 'Voice sessions whose recognition lags behind their audio.',
  }),
});

export const Ready = Type.Object({ status: Type.Literal('ready'), voice: Hearing });

export type Health = Static<typeof Health>;
export type Hearing = Static<typeof Hearing>;
