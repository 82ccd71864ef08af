/**
 * Returns the click listener of a button that switches between two states: the second half of a double click
 * does not switch back.
 */
export function singlePress(press: () => void): (event: MouseEvent) => void {
  return ({ detail: clickCount }) => {
    if (clickCount < 2) press();
  };
}
