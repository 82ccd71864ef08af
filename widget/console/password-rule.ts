/** What can be said about a new password before the server is asked, which has the last word. */

const MIN_LENGTH = 12;

export const PASSWORD_RULE = `At least ${MIN_LENGTH} characters. A few words that do not belong together are good.`;

/** What is wrong with a new password, if it can be told here. */
export function passwordProblem(password: string, repeated: string): string | undefined {
  if (password.length < MIN_LENGTH) return `Take at least ${MIN_LENGTH} characters.`;
  if (password !== repeated) return 'The two are not the same.';
  return undefined;
}
