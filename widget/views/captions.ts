/** Captions of one language: their markup, their style and the way they scroll. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  baseLanguage,
  languageSpelling,
  textDirection,
  type LanguageTag,
} from '../../shared/language.ts';
import type { SpokenLines } from '../spoken-lines.ts';
import type { CaptionLine, CaptionTrack } from '../transcript-state.ts';
import { speechIcons } from './icons.ts';
import { glide } from './transcript-scroll.ts';

/** Lines the reader can scroll back to: some minutes of speech. */
const KEPT_LINES = 40;

/**
 * Returns the captions of one language: a name and a scrolling block of fixed height.
 *
 * @param lines lines of the track to show
 * @param spoken lines whose translated speech is playing
 * @param sound whether the language is spoken aloud; undefined when no speech is requested for it
 * @param onScroll called when the block is scrolled
 * @param original word that marks the spoken language
 * @param empty placeholder shown before the first line
 */
export function trackView({
  track,
  lines,
  spoken,
  sound,
  onScroll,
  original,
  empty,
}: {
  track: CaptionTrack;
  lines: readonly CaptionLine[];
  spoken: SpokenLines | undefined;
  sound: 'on' | 'off' | undefined;
  onScroll: (event: Event) => void;
  original: string;
  empty: TemplateResult | typeof nothing;
}): TemplateResult {
  const { kind, language } = track;
  const rows = lines.slice(-KEPT_LINES);
  const name = languageName(language);
  return html`<div
    part="track ${kind}"
    class="track ${kind}"
    role="group"
    aria-label=${name}
    dir=${textDirection(language)}
  >
    <div part="label" class="label" aria-hidden="true">
      <bdi lang=${language}>${name}</bdi>
      ${kind === 'source' ? html`<bdi class="original">${original}</bdi>` : nothing}
      ${sound === undefined ? nothing : speechIcons[sound]}
    </div>
    <div part="lines" class="lines" @scroll=${onScroll}>
      <div class="flow">
        ${
          rows.length === 0
            ? empty
            : repeat(
                rows,
                ({ id }) => id,
                (line) => lineView(line, isSpoken(line, spoken)),
              )
        }
      </div>
    </div>
  </div>`;
}

function isSpoken({ id }: CaptionLine, spoken: SpokenLines | undefined): boolean {
  return spoken !== undefined && id >= spoken.first && id <= spoken.last;
}

function lineView(
  { language, concluded, tentative }: CaptionLine,
  spoken: boolean,
): TemplateResult {
  // Blanks before the tentative text move to the concluded text, so that they are not underlined.
  const words = tentative.trimStart();
  const blank = tentative.slice(0, tentative.length - words.length);
  return html`<p
    part="caption ${spoken ? 'spoken' : ''}"
    class="caption ${spoken ? 'spoken' : ''}"
    lang=${language}
    dir=${textDirection(language)}
  >
    ${html`<span part="concluded">${concluded}${blank}</span>`}${
      words === ''
        ? nothing
        : html`<span part="tentative" class="tentative" aria-hidden="true">${words}</span>`
    }
  </p>`;
}

const names = new Map<LanguageTag, string>();

/**
 * Returns the language's name in itself ("Español", "Português (Brasil)"), in any spelling of its tag that the
 * server takes, or the tag if no name is known.
 */
export function languageName(language: LanguageTag): string {
  const known = names.get(language);
  if (known !== undefined) return known;
  const name = ownName(languageSpelling(language)) ?? language;
  names.set(language, name);
  return name;
}

function ownName(language: LanguageTag): string | undefined {
  try {
    const dialect = new Intl.DisplayNames(language, {
      type: 'language',
      languageDisplay: 'standard',
    });
    const [first = '', ...rest] = dialect.of(language) ?? language;
    return first.toLocaleUpperCase(baseLanguage(language)) + rest.join('');
  } catch {
    // It is no language.
    return undefined;
  }
}

/** Time an announced sentence stays in the live region, in ms, so that a reader does not meet it twice. */
const KEPT_MS = 20_000;

/**
 * Announces a completed sentence to screen readers: adds it to a hidden live region for 20 s. The visible
 * captions change too often to be a live region themselves.
 */
export function announce(
  region: Element,
  { language, text }: { language: LanguageTag; text: string },
): void {
  const paragraph = document.createElement('p');
  paragraph.lang = language;
  paragraph.dir = textDirection(language);
  paragraph.textContent = text;
  region.append(paragraph);
  setTimeout(() => paragraph.remove(), KEPT_MS);
}

/** Time after which a block that was scrolled back returns to the newest line, in ms. */
const RETURN_AFTER_MS = 15_000;

/** Position of a line in its block before an update. */
interface Place {
  readonly line: HTMLElement;
  /** Whether the reader has scrolled back to this line. */
  readonly isKept: boolean;
  /** Distance from the top of the line to the end of all lines, in px. */
  readonly distance: number;
}

/**
 * Scrolls the caption blocks. The newest line stays in view, and captions glide up by a line instead of
 * jumping when a new line begins. A block that the reader has scrolled back stays where it is. Measures
 * before and after each update.
 */
export class CaptionRoll {
  readonly #before = new Map<HTMLElement, Place>();
  /** When the reader last scrolled a block, and the scroll position this class last set. */
  readonly #scrolledAt = new WeakMap<HTMLElement, number>();
  readonly #movedTo = new WeakMap<HTMLElement, number>();

  /** Handles scroll events of a block, whether the reader or {@link play} caused them. */
  readonly onScroll = ({ currentTarget }: Event): void => {
    const block = currentTarget as HTMLElement;
    if (block.scrollTop === this.#movedTo.get(block)) return;
    this.#scrolledAt.set(block, performance.now());
  };

  /** Records the positions of the blocks. Call before the update. */
  remember(blocks: Iterable<HTMLElement>): void {
    this.#before.clear();
    for (const block of blocks) {
      const place = this.#isScrolledBack(block) ? firstInView(block) : lastLine(block);
      if (place !== undefined) this.#before.set(block, place);
    }
  }

  /** Moves the blocks to their new positions. Call after the update. */
  play(blocks: Iterable<HTMLElement>): void {
    for (const block of blocks) {
      const place = this.#before.get(block);
      // A line that the update removed counts as not moved.
      const risen = place?.line.isConnected ? distanceFromEnd(place.line) - place.distance : 0;
      if (place?.isKept === true) this.#move(block, block.scrollTop - risen);
      else {
        this.#move(block, 0);
        if (risen > 0) glide(block, risen);
      }
      // A scrollable block takes the keyboard focus, so that it can be scrolled without a wheel.
      if (block.scrollHeight > block.clientHeight + 1) block.tabIndex = 0;
      else block.removeAttribute('tabindex');
    }
    this.#before.clear();
  }

  #isScrolledBack(block: HTMLElement): boolean {
    const since = performance.now() - (this.#scrolledAt.get(block) ?? -Infinity);
    // The block is a reversed column: its end is at 0, and earlier lines have negative positions.
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

/**
 * Returns the distance from the top of a line to the end of its offset parent, ignoring transforms, in px.
 */
function distanceFromEnd(line: HTMLElement): number {
  // The offset parent is null once the element has left the page.
  const flow = line.offsetParent as HTMLElement | null;
  return (flow?.offsetHeight ?? 0) - line.offsetTop;
}

export const captionStyles = css`
  .tracks {
    display: grid;
    --_gap: clamp(1.5rem, 4cqi, 3rem);
    gap: clamp(1rem, 3cqi, 1.75rem) var(--_gap);
    padding: var(--vc-padding, clamp(1.125rem, 3.6cqi, 2.25rem));
    /* As many columns as have room, and no more than there are languages to fill them. */
    --_share: calc((100% - (var(--_targets, 1) - 1) * var(--_gap)) / var(--_targets, 1));
    grid-template-columns: repeat(
      auto-fit,
      minmax(min(100%, max(var(--vc-column-min, 26ch), var(--_share))), 1fr)
    );
    font-size: var(--_size);
  }
  /* Several languages share the room. */
  .tracks.many {
    --_size: calc(var(--vc-font-size, clamp(1.375rem, 1.05rem + 0.95cqi, 3rem)) * var(--_scale, 1));
  }
  .track {
    min-inline-size: 0;
    /* How many lines there are depends on how many letters fit into one. */
    container: track / inline-size;
  }
  .track.source {
    grid-column: 1 / -1;
    font-size: max(1.0625rem, 0.62em);
    color: var(--_source);
    padding-block-end: clamp(0.875rem, 2.4cqi, 1.5rem);
    border-block-end: 1px solid var(--_line);
  }
  /* On a wide screen the spoken words, too, use the room. */
  @container (min-width: 60rem) {
    .track.source {
      font-size: 0.7em;
    }
    .many .track.source {
      font-size: 0.9em;
    }
  }
  .track.source:last-child {
    font-size: 1em;
    color: var(--_ink);
    padding-block-end: 0;
    border: 0;
  }
  .label {
    display: flex;
    gap: 0.5em;
    align-items: baseline;
    margin-block-end: 0.375rem;
    font-size: clamp(0.875rem, 0.36em, 1.75rem);
    font-weight: 600;
    letter-spacing: 0.01em;
    color: var(--_accent);
  }
  .original {
    font-weight: 400;
    color: var(--_soft);
  }
  .lines {
    --_rows: var(--vc-lines, max(var(--_lines, 2), var(--_least, 1)));
    /* The end is where it begins to scroll from, and where it stays. */
    display: flex;
    flex-direction: column-reverse;
    overflow: hidden auto;
    overflow-anchor: none;
    scrollbar-width: none;
    line-height: var(--_leading);
    block-size: calc(var(--_rows) * var(--_leading) * 1em);
    max-inline-size: var(--vc-measure, 54ch);
    /* Any other setting re-breaks lines that are being read. */
    text-wrap: wrap;
    overflow-wrap: anywhere;
    font-weight: 450;
    contain: layout paint style;
  }
  /* Browsers round the height of a line in different ways; a whole number leaves them no choice. */
  @supports (line-height: round(up, 1em, 1px)) {
    .lines {
      --_line: round(up, calc(var(--_leading) * 1em), 1px);
      line-height: var(--_line);
      block-size: calc(var(--_rows) * var(--_line));
    }
  }
  .lines:focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 3px;
    border-radius: 0.25rem;
  }
  /* Where a line holds a few words only, as with large type on a phone, two are no sentence. */
  @container track (max-width: 12em) {
    .lines {
      --_least: 3;
    }
  }
  @container track (max-width: 10em) {
    .lines {
      --_least: 4;
    }
  }
  @container track (max-width: 7.5em) {
    .lines {
      --_least: 5;
    }
  }
  .flow {
    flex: none;
    position: relative;
  }
  /* The mark of what is being heard stands beside the text and moves none of it. */
  .lines {
    --_gutter: 0.75rem;
    margin-inline-start: calc(-1 * var(--_gutter));
    padding-inline-start: var(--_gutter);
    box-sizing: content-box;
  }
  .caption {
    position: relative;
  }
  .caption::before {
    content: '';
    position: absolute;
    inset-block: 0.16em;
    inset-inline-start: calc(-1 * var(--_gutter));
    inline-size: 3px;
    border-radius: 2px;
    background: var(--_accent);
    opacity: 0;
  }
  .caption.spoken::before {
    opacity: 1;
  }
  .label .icon {
    align-self: center;
    inline-size: 1.125rem;
    block-size: 1.125rem;
  }
  .track.source .lines {
    max-inline-size: var(--vc-source-measure, 62ch);
  }
  .empty {
    display: block;
    color: var(--_soft);
    font-size: max(1.125rem, 0.62em);
    line-height: 1.4;
    font-weight: 400;
  }
  @media (prefers-reduced-motion: no-preference) {
    .tentative {
      transition: color 120ms;
    }
    .caption::before {
      transition: opacity 160ms;
    }
  }
`;
