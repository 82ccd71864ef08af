/** The body of every error response. */
import Type from 'typebox';

export const Problem = Type.Object({
  message: Type.String({ description: 'What went wrong and what to do.' }),
  detail: Type.Optional(Type.String({ description: 'Where in the input it is.' })),
});
