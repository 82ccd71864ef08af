/** How long captions take to make room for a new line, in ms: seen, but never waited for. */
const ROLL_MS = 160;
/** Readers who have scrolled back and then let go see the newest words again after this long, in ms. */
const RETURN_AFTER_MS = 15_000;

/** What a block showed before an update: a line and where it stood, in px. */
interface Place {
  readonly line: HTMLElement;
  /** Whether the reader has scrolled back to it. */
  readonly isKept: boolean;
  /** From its top to the end of all lines. */
  readonly distance: number;
}

/**
 * Moves the captions in their blocks, which scroll from the end: the newest line is in view, and
 * captions glide up by a line instead of jumping when it begins. What a reader has scrolled back to
 * stays where it is. Measures before and after an update; readers who asked for less motion get none.
 */
export class CaptionRoll {
  readonly #before = new Map<HTMLElement, Place>();
  /** When a reader last moved a block that is not at its end, and the place to which we did. */
  readonly #scrolledAt = new WeakMap<HTMLElement, number>();
  readonly #movedTo = new WeakMap<HTMLElement, number>();

  /** A block was scrolled, by its reader or by us. */
  readonly onScroll = ({ currentTarget }: Event): void => {
    const block = currentTarget as HTMLElement;
    if (block.scrollTop === this.#movedTo.get(block)) return;
    this.#scrolledAt.set(block, performance.now());
  };

  /** Call before the update. */
  remember(blocks: Iterable<HTMLElement>): void {
    this.#before.clear();
    for (const block of blocks) {
      const place = this.#isScrolledBack(block) ? firstInView(block) : lastLine(block);
      if (place !== undefined) this.#before.set(block, place);
    }
  }

  /** Call after the update. */
  play(blocks: Iterable<HTMLElement>): void {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const block of blocks) {
      const place = this.#before.get(block);
      // What has been removed has not moved.
      const risen = place?.line.isConnected ? distanceFromEnd(place.line) - place.distance : 0;
      if (place?.isKept === true) this.#move(block, block.scrollTop - risen);
      else {
        this.#move(block, 0);
        if (risen > 0 && !isStill) glide(block, risen);
      }
      // Whoever has no wheel scrolls by keyboard, where there is something to scroll.
      if (block.scrollHeight > block.clientHeight + 1) block.tabIndex = 0;
      else block.removeAttribute('tabindex');
    }
    this.#before.clear();
  }

  #isScrolledBack(block: HTMLElement): boolean {
    const since = performance.now() - (this.#scrolledAt.get(block) ?? -Infinity);
    // The end is at 0, and what came before has negative places.
    return block.scrollTop < -1 && since < RETURN_AFTER_MS;
  }

  #move(block: HTMLElement, to: number): void {
    if (block.scrollTop === to) return;
    block.scrollTop = to;
    this.#movedTo.set(block, block.scrollTop);
  }
}

function lastLine(block: HTMLElement): Place | undefined {
  const line = linesOf(block).at(-1);
  return line && { line, isKept: false, distance: distanceFromEnd(line) };
}

function firstInView(block: HTMLElement): Place | undefined {
  const { top } = block.getBoundingClientRect();
  const line = linesOf(block).find((each) => each.getBoundingClientRect().bottom > top);
  return line && { line, isKept: true, distance: distanceFromEnd(line) };
}

function linesOf(block: HTMLElement): HTMLElement[] {
  return [...block.querySelectorAll<HTMLElement>('.caption')];
}

function glide(block: HTMLElement, risen: number): void {
  block.firstElementChild?.animate(
    [{ transform: `translateY(${risen}px)` }, { transform: 'none' }],
    { duration: ROLL_MS, easing: 'ease-out' },
  );
}

/** From the top of a line to the end of all lines, their offset parent; transforms do not count. */
function distanceFromEnd(line: HTMLElement): number {
  return (line.offsetParent as HTMLElement).offsetHeight - line.offsetTop;
}
