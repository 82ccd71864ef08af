/** The body of every error response. */
import Type from 'typebox';

export const Problem = Type.Object({
  message: Type.String({ description: 'What went wrong, and how to remedy it.' }),
  detail: Type.Optional(Type.String({ description: 'Position of the error in the input.' })),
});

/** The error responses of a route. */
export const problems = { '4xx': Problem, '5xx': Problem };
