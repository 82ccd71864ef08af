/** Key code of a key that an input method takes. */
const TAKEN = 229;

/**
 * Whether a key belongs to an input method that composes a word, as in Japanese. Safari sends the Enter that ends a
 * composition after its end, and tells it only by its code.
 */
// oxlint-disable-next-line typescript/no-deprecated -- Safari has nothing else
export function isComposed({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === TAKEN;
}
