/**
 * A block of lines that stays at its end while lines are added, unless its reader has scrolled back. Its style knows
 * how high it is, `--_height` in px.
 */

/** So near to the end counts as there, in px. */
const END_PX = 40;
/** How long lines take to make room for a new one, in ms: seen, but never waited for. */
const GLIDE_MS = 160;

/** What a block showed before an update: a line and where it stood in the window, in px. */
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
  /** Where we put it: a place before that is its reader's. */
  #movedTo = 0;
  readonly #sizes = new ResizeObserver(() => {
    const block = this.#block;
    // Through the object model: a style attribute would break a strict content security policy.
    block?.style.setProperty('--_height', `${block.clientHeight}px`);
    if (this.#isAtEnd) this.#moveToEnd();
  });

  /** @param onChange called when the end comes into view, or goes out of it */
  constructor(onChange: (isAtEnd: boolean) => void) {
    this.#onChange = onChange;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** The block, once it is there; its only child holds the lines. */
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
    // Lines that were added since have moved the end, and not the reader.
    else if (block.scrollTop < this.#movedTo - 1) this.#set(false);
  };

  /** Call before the update. */
  remember(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.onScroll();
    this.#heightBefore = block.scrollHeight;
    this.#place = this.#isAtEnd ? undefined : firstInView(block);
  }

  /** Call after the update. */
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

/** By halves: there may be thousands. */
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

/** Lines go up, or down, to where they are now. */
export function glide(block: HTMLElement, risen: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  block.firstElementChild?.animate(
    [{ transform: `translateY(${risen}px)` }, { transform: 'none' }],
    { duration: GLIDE_MS, easing: 'ease-out' },
  );
}
