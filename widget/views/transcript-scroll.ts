/**
 * A scrolling block of lines that follows its end while lines are added, unless the reader has scrolled back.
 * Publishes the height of the block to its style as `--_height`, in px.
 */

/** Distance from the end within which the block counts as at its end, in px. */
const END_PX = 40;
/** Duration of the glide when a new line is added, in ms: visible, but no delay for the reader. */
const GLIDE_MS = 160;

/** A line and its top edge in the window before an update, in px. */
interface Place {
  line: Element;
  top: number;
}

export class TranscriptScroll {
  readonly #onChange: (isAtEnd: boolean) => void;
  #isAtEnd = true;
  #block: HTMLElement | undefined;
  #place: Place | undefined;
  #heightBefore = 0;
  /** Scroll position this class last set; a smaller position means that the reader has scrolled back. */
  #movedTo = 0;
  readonly #sizes = new ResizeObserver(() => {
    const block = this.#block;
    // Set through the object model: a style attribute would violate a strict content security policy.
    block?.style.setProperty('--_height', `${block.clientHeight}px`);
    if (this.#isAtEnd) this.#moveToEnd();
  });

  /** @param onChange called when the end of the block comes into view or leaves it */
  constructor(onChange: (isAtEnd: boolean) => void) {
    this.#onChange = onChange;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Follows a block, once it is rendered. Its only child holds the lines. */
  watch(block: HTMLElement): void {
    if (block === this.#block) return;
    this.#sizes.disconnect();
    this.#block = block;
    this.#sizes.observe(block);
    if (block.firstElementChild !== null) this.#sizes.observe(block.firstElementChild);
  }

  stop(): void {
    this.#sizes.disconnect();
    this.#block = undefined;
  }

  readonly onScroll = (): void => {
    const block = this.#block;
    if (block === undefined) return;
    if (distanceFromEnd(block) < END_PX) this.#set(true);
    // Added lines move the end away without any action of the reader, so only a move upwards counts.
    else if (block.scrollTop < this.#movedTo - 1) this.#set(false);
  };

  /** Records the position of the block. Call before the update. */
  remember(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.onScroll();
    this.#heightBefore = block.scrollHeight;
    this.#place = this.#isAtEnd ? undefined : firstInView(block);
  }

  /** Restores the position of the block, or follows its end. Call after the update. */
  restore(): void {
    const block = this.#block;
    if (block === undefined) return;
    if (!this.#isAtEnd) {
      const place = this.#place;
      if (place?.line.isConnected === true) {
        block.scrollTop += place.line.getBoundingClientRect().top - place.top;
      }
      return;
    }
    const from = block.scrollTop;
    this.#moveToEnd();
    const risen = block.scrollTop - from;
    if (risen !== 0 && Math.abs(risen) < block.clientHeight / 2 && this.#heightBefore > 0) {
      glide(block, risen);
    }
  }

  toEnd(): void {
    this.#set(true);
    this.#moveToEnd();
  }

  #moveToEnd(): void {
    const block = this.#block;
    if (block === undefined) return;
    block.scrollTop = block.scrollHeight;
    this.#movedTo = block.scrollTop;
  }

  #set(isAtEnd: boolean): void {
    if (isAtEnd === this.#isAtEnd) return;
    this.#isAtEnd = isAtEnd;
    this.#onChange(isAtEnd);
  }
}

function distanceFromEnd(block: HTMLElement): number {
  return block.scrollHeight - block.clientHeight - block.scrollTop;
}

/** Returns the first line in view. Binary search, because a block may hold thousands of lines. */
function firstInView(block: HTMLElement): Place | undefined {
  const lines = block.firstElementChild?.children;
  if (lines === undefined) return undefined;
  const { top } = block.getBoundingClientRect();
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.getBoundingClientRect().bottom ?? 0) > top) to = middle;
    else from = middle + 1;
  }
  const line = lines[from];
  return line && { line, top: line.getBoundingClientRect().top };
}

/**
 * Animates the lines of a block, its only child, to their new place, `risen` px above or below the old one; not
 * under `prefers-reduced-motion`.
 */
export function glide(block: HTMLElement, risen: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  block.firstElementChild?.animate(
    [{ transform: `translateY(${risen}px)` }, { transform: 'none' }],
    { duration: GLIDE_MS, easing: 'ease-out' },
  );
}
