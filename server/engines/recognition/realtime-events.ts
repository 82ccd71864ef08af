/** What servers with OpenAI's realtime interface say, as far as it concerns transcripts. Pure. */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { RecogniserMessage } from './recogniser-socket.ts';
import { Setback } from './setback.ts';

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** The server has made an item of what was appended. */
export const committed = Compile(
  Type.Object({
    type: Type.Literal('input_audio_buffer.committed'),
    item_id: Type.String(),
  }),
);
/** More of the transcript of an item. */
export const delta = Compile(
  Type.Object({
    type: Type.Literal(`${TRANSCRIPTION}.delta`),
    item_id: Type.String(),
    delta: Type.String(),
  }),
);
/** All of the transcript of an item. */
export const completed = Compile(
  Type.Object({
    type: Type.Literal(`${TRANSCRIPTION}.completed`),
    item_id: Type.String(),
    transcript: Type.String(),
  }),
);
/** An item could not be transcribed. */
export const failed = Compile(
  Type.Object({ type: Type.Literal(`${TRANSCRIPTION}.failed`), item_id: Type.String() }),
);
const error = Compile(
  Type.Object({
    type: Type.Literal('error'),
    error: Type.Object({
      type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      code: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  }),
);

/** Errors that another connection meets as well. */
const LASTING = new Set([
  ...['invalid_api_key', 'insufficient_quota', 'model_not_found', 'invalid_model'],
  ...['authentication_error', 'permission_error'],
]);

/** @throws Setback when an event tells of an error */
export function throwError(event: RecogniserMessage, { isSetUp }: { isSetUp: boolean }): void {
  if (!error.Check(event)) return;
  const { type, code } = event.error;
  const name = code ?? type ?? '';
  // What is no code might tell of texts or keys.
  const fields = { code: /^\w{1,64}$/.test(name) ? name : 'error' };
  const isLasting = LASTING.has(code ?? '') || LASTING.has(type ?? '');
  if (isLasting || (isSetUp && type === 'invalid_request_error')) {
    const problem = 'refuses the session: check its address, model and key';
    throw new Setback(problem, { kind: 'refusal', fields });
  }
  throw new Setback('reports an error', { fields });
}
