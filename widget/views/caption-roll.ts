/** How long captions take to make room for a new line, in ms: seen, but never waited for. */
const ROLL_MS = 160;

/**
 * Lets captions glide up by a line instead of jumping when a new one begins. Measures before and
 * after an update; readers who asked for less motion get none.
 */
export class CaptionRoll {
  /** The lowest line of each block with its distance from the block's end, in px. */
  readonly #before = new Map<HTMLElement, { line: HTMLElement; distance: number }>();

  /** Call before the update. */
  remember(blocks: Iterable<HTMLElement>): void {
    this.#before.clear();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const block of blocks) {
      const line = block.lastElementChild;
      if (line instanceof HTMLElement) {
        this.#before.set(block, { line, distance: distanceFromEnd(block, line) });
      }
    }
  }

  /** Call after the update. */
  play(): void {
    for (const [block, { line, distance }] of this.#before) {
      const rise = line.isConnected ? distanceFromEnd(block, line) - distance : 0;
      if (rise <= 0) continue;
      block.animate([{ transform: `translateY(${rise}px)` }, { transform: 'none' }], {
        duration: ROLL_MS,
        easing: 'ease-out',
      });
    }
    this.#before.clear();
  }
}

/** From the top of a line to the end of its block, which is its offset parent; transforms do not count. */
function distanceFromEnd(block: HTMLElement, line: HTMLElement): number {
  return block.offsetHeight - line.offsetTop;
}
