/** Makes the terms of a session likelier than the words they sound like. */

/** What prefers some tokens to others. */
export interface TermBias {
  /**
   * The token that terms make the likeliest; undefined when they change nothing.
   *
   * @param values how likely the model takes each token to come next, as logits
   * @param tokens what was written before it
   */
  prefer(values: Float32Array, tokens: readonly number[]): number | undefined;
}

export function createTermBias(
  _spokenTerms: readonly string[],
  _pieces: readonly Buffer[],
): TermBias | undefined {
  return undefined;
}
