/** Converts translated tokens back to a segment: finds where each inline element now starts and ends. */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import type { MarkedElement, MarkedText, Token } from './marked-text.ts';

/** First and last token of an element; an element without remaining words has no span. */
interface Span {
  first: number;
  last: number;
}

/**
 * Assembles a translation. Every element occurs exactly once, around its words as far as it can stay
 * contiguous and nested as in the source. An element without remaining words is placed in proportion to its
 * source position.
 */
export function putMarksBack(tokens: readonly Token[], text: MarkedText): TextSegment {
  const spans = findSpans(tokens, text);
  return new SegmentWriter(tokens, text, spans).write();
}

/**
 * Assigns words to elements that have lost theirs: the words at the same relative position, or else the
 * nearest free word. A link around no text could not be followed.
 */
export function restoreWordBlanks(tokens: readonly Token[], text: MarkedText): Token[] {
  const { elements } = text;
  const kept = new Set(tokens.flatMap((token) => (token.kind === 'word' ? token.elements : [])));
  if (kept.size === elements.length) return [...tokens];
  const restored = [...tokens];
  /** For each element, the number of elements before it that have kept words. */
  const keptBefore = [0];
  for (const number of elements.keys()) {
    keptBefore.push((keptBefore[number] ?? 0) + (kept.has(number) ? 1 : 0));
  }
  const middles = middlesOf(tokens, text.length);
  for (const [number, { from, to, last, parent }] of elements.entries()) {
    if (keptBefore[last + 1] !== keptBefore[number]) continue;
    const around = parent < 0 ? undefined : parent;
    const isFree = ({ place }: Middle): boolean => {
      const token = restored[place];
      return token?.kind === 'word' && token.elements.length < 2 && token.elements[0] === around;
    };
    for (const { place } of wordsAt({ from, to, middles, isFree })) {
      const token = restored[place];
      if (token?.kind === 'word') restored[place] = { ...token, elements: [number] };
    }
  }
  return restored;
}

/** A word, and the projected source position of its middle, in letters and digits. */
interface Middle {
  place: number;
  middle: number;
}

/** Maximum distance of a nearby word, in words. */
const REACH_WORDS = 16;

/** Returns the free words between two source positions, or else the nearest one. */
function wordsAt({
  from,
  to,
  middles,
  isFree,
}: {
  from: number;
  to: number;
  middles: readonly Middle[];
  isFree: (word: Middle) => boolean;
}): Middle[] {
  const own: Middle[] = [];
  const firstFrom = (start: number): number =>
    firstOf(middles.length, (at) => (middles[at]?.middle ?? 0) >= start);
  for (let at = firstFrom(from); (middles[at]?.middle ?? Infinity) <= to; at += 1) {
    const word = middles[at];
    if (word !== undefined && isFree(word)) own.push(word);
  }
  const wanted = (from + to) / 2;
  const right = firstFrom(wanted);
  for (let step = 0; own.length === 0 && step < REACH_WORDS; step += 1) {
    const near = [middles[right - 1 - step], middles[right + step]].filter(
      (word): word is Middle => word !== undefined && isFree(word),
    );
    const distance = ({ middle }: Middle): number => Math.abs(middle - wanted);
    own.push(...near.sort((one, other) => distance(one) - distance(other)).slice(0, 1));
  }
  return own;
}

/** Binary search: returns the first index for which the predicate holds; `count` when it holds for none. */
function firstOf(count: number, isBehind: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const at = (low + high) >> 1;
    if (isBehind(at)) high = at;
    else low = at + 1;
  }
  return low;
}

function middlesOf(tokens: readonly Token[], length: number): Middle[] {
  const total = sum(tokens.map(weightOf));
  let before = 0;
  return tokens.flatMap((token, place) => {
    const weight = weightOf(token);
    const middle = ((before + weight / 2) / total) * length;
    before += weight;
    return token.kind === 'word' && /[\p{L}\p{N}]/u.test(token.text) ? [{ place, middle }] : [];
  });
}

function weightOf(token: Token): number {
  return token.kind === 'word' ? token.text.length : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Returns spans by element number. Parents come first, so that a child stays within its parent. */
function findSpans(tokens: readonly Token[], text: MarkedText): (Span | undefined)[] {
  const { elements } = text;
  const spans: (Span | undefined)[] = [];
  const all = { first: 0, last: tokens.length - 1 };
  const children = childrenOf(elements);
  placeChildren(children.get(-1) ?? [], { tokens, text, spans, within: all });
  for (let parent = 0; parent < elements.length; parent++) {
    const within = spans[parent];
    const own = children.get(parent);
    if (within !== undefined && own !== undefined) {
      placeChildren(own, { tokens, text, spans, within });
    }
  }
  return spans;
}

function childrenOf(elements: readonly MarkedElement[]): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const [number, { parent }] of elements.entries()) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [number]);
    else siblings.push(number);
  }
  return children;
}

interface Placing {
  tokens: readonly Token[];
  text: MarkedText;
  spans: (Span | undefined)[];
  within: Span;
}

/** Gives each child the run with most of its words that contains no word of a sibling. */
function placeChildren(children: readonly number[], placing: Placing): void {
  const { tokens, spans, within } = placing;
  const owners = findOwners(children, placing);
  const weights = new Map<number, number>();
  let owner: number | undefined;
  let run: Span = within;
  let weight = 0;
  for (let i = within.first; i <= within.last; i++) {
    const next = owners[i - within.first];
    if (next === undefined) continue;
    if (next !== owner) {
      run = { first: i, last: i };
      weight = 0;
      owner = next;
    }
    run.last = i;
    const token = tokens[i];
    if (token !== undefined) weight += weightOf(token);
    if (weight > (weights.get(next) ?? 0)) {
      weights.set(next, weight);
      spans[next] = run;
    }
  }
  widenSpans(children, placing);
}

/**
 * Returns the child to which each token of the span belongs. A word merged from words of two children goes to
 * the child with fewer words of its own.
 */
function findOwners(
  children: readonly number[],
  { tokens, text: { elements }, within }: Placing,
): (number | undefined)[] {
  const childWith = (element: number): number | undefined => {
    const behind = firstOf(children.length, (at) => (children[at] ?? 0) > element);
    const child = children[behind - 1];
    return child === undefined || element > (elements[child]?.last ?? child) ? undefined : child;
  };
  const counts = new Map<number, number>();
  const undecided: { at: number; candidates: number[] }[] = [];
  const owners: (number | undefined)[] = [];
  for (let i = within.first; i <= within.last; i++) {
    const token = tokens[i];
    if (token?.kind !== 'word' || token.elements.length === 0) continue;
    const found = token.elements.flatMap((each) => childWith(each) ?? []);
    const candidates = found.length > 1 ? [...new Set(found)].sort((one, two) => one - two) : found;
    const [only] = candidates;
    if (only === undefined) continue;
    if (candidates.length > 1) undecided.push({ at: i - within.first, candidates });
    else {
      owners[i - within.first] = only;
      counts.set(only, (counts.get(only) ?? 0) + 1);
    }
  }
  for (const { at, candidates } of undecided) {
    const count = (child: number) => counts.get(child) ?? 0;
    const neediest = candidates.reduce((one, other) => (count(other) < count(one) ? other : one));
    owners[at] = neediest;
    counts.set(neediest, count(neediest) + 1);
  }
  return owners;
}

/**
 * Widens elements by adjacent tokens that belong to them: their atoms, and symbols such as quotation marks,
 * which no dictionary carries along.
 */
function widenSpans(children: readonly number[], placing: Placing): void {
  const { text, spans, within } = placing;
  const placed = children
    .flatMap((child) => spans[child] ?? [])
    .sort((one, other) => one.first - other.first);
  const next = new Map(placed.map((span, i) => [span, placed[i + 1]?.first ?? within.last + 1]));
  const previous = new Map(placed.map((span, i) => [span, placed[i - 1]]));
  for (const child of children) {
    const span = spans[child];
    const element = text.elements[child];
    if (span === undefined || element === undefined) continue;
    const start = (previous.get(span)?.last ?? within.first - 1) + 1;
    const end = (next.get(span) ?? span.last + 1) - 1;
    span.first = widen(span.first, { limit: start, symbols: element.leading, child, placing });
    span.last = widen(span.last, { limit: end, symbols: element.trailing, child, placing });
  }
}

/** Moves one end of a span outwards, token by token, up to a limit. */
function widen(
  from: number,
  options: { limit: number; symbols: string; child: number; placing: Placing },
): number {
  const { limit, symbols, child, placing } = options;
  const { tokens, text } = placing;
  const step = limit < from ? -1 : 1;
  const due = Array.from(symbols);
  if (step > 0) due.reverse();
  let reached = from;
  for (let at = from; at !== limit;) {
    at += step;
    const token = tokens[at];
    if (token?.kind === 'blank') continue;
    if (token?.kind === 'atom') {
      const parent = text.atoms[token.atom]?.parent ?? -1;
      if (parent < child || parent > (text.elements[child]?.last ?? child)) break;
    } else if (token === undefined || token.elements.length > 0 || token.text !== due.at(-1)) break;
    else if (Math.abs(at - reached) > 1) break;
    else due.pop();
    reached = at;
  }
  return reached;
}

/** A part without a place in the answer: a lost element with its content, or a lost atom. */
interface Stray {
  parent: number;
  parts: TextSegment;
}

class SegmentWriter {
  readonly #tokens: readonly Token[];
  readonly #text: MarkedText;
  readonly #spans: readonly (Span | undefined)[];
  /** Number of the innermost element around each token, -1 if none. */
  readonly #innermost: Int32Array;
  /** Cumulative weight before each token, and of all tokens at the end. */
  readonly #weights: Float64Array;
  readonly #atomsWithin = new Map<number, (string | Mark)[]>();
  readonly #parts: (string | Mark)[] = [];
  /** Strays by the token they follow, -1 for the start. */
  readonly #strays = new Map<number, Stray[]>();
  readonly #open: number[] = [];
  /** Tokens to leave out. */
  readonly #surplus = new Set<number>();

  constructor(tokens: readonly Token[], text: MarkedText, spans: readonly (Span | undefined)[]) {
    this.#tokens = tokens;
    this.#text = text;
    this.#spans = spans;
    this.#innermost = new Int32Array(tokens.length).fill(-1);
    for (const [number, span] of spans.entries()) {
      if (span !== undefined) this.#innermost.fill(number, span.first, span.last + 1);
    }
    this.#weights = new Float64Array(tokens.length + 1);
    for (const [i, token] of tokens.entries()) {
      this.#weights[i + 1] = (this.#weights[i] ?? 0) + weightOf(token);
    }
    for (const { parent, parts } of text.atoms) {
      const within = this.#atomsWithin.get(parent);
      if (within === undefined) this.#atomsWithin.set(parent, [...parts]);
      else for (const part of parts) within.push(part);
    }
  }

  write(): TextSegment {
    this.#findLostElements();
    const inPlace = this.#findAtomsInPlace();
    const starts = this.#starts();
    this.#addAfter(-1);
    for (const [i, token] of this.#tokens.entries()) {
      for (const number of starts.get(i) ?? []) {
        this.#parts.push({ mark: 'open', id: this.#text.elements[number]?.id ?? 0 });
        this.#open.push(number);
        this.#addStrays(i - 1);
      }
      if (token.kind !== 'atom') this.#addText(this.#surplus.has(i) ? '' : token.text);
      else if (inPlace.has(i)) this.#addAll(this.#text.atoms[token.atom]?.parts ?? []);
      this.#addAfter(i);
    }
    return this.#parts;
  }

  /** Returns elements by the token they start with, parents first. */
  #starts(): Map<number, number[]> {
    const starts = new Map<number, number[]>();
    for (const [number, span] of this.#spans.entries()) {
      if (span === undefined) continue;
      const others = starts.get(span.first);
      if (others === undefined) starts.set(span.first, [number]);
      else others.push(number);
    }
    return starts;
  }

  #addText(text: string): void {
    const last = this.#parts.length - 1;
    const before = this.#parts[last];
    if (typeof before === 'string') this.#parts[last] = before + text;
    else this.#parts.push(text);
  }

  #addAll(parts: TextSegment): void {
    for (const part of parts) {
      if (typeof part === 'string') this.#addText(part);
      else this.#parts.push(part);
    }
  }

  /** Closes the elements that end with a token; strays go inside the element they belong to. */
  #addAfter(at: number): void {
    this.#addStrays(at);
    for (;;) {
      const number = this.#open.at(-1);
      if (number === undefined || this.#spans[number]?.last !== at) return;
      this.#open.pop();
      this.#parts.push({ mark: 'close', id: this.#text.elements[number]?.id ?? 0 });
      this.#addStrays(at);
    }
  }

  #addStrays(at: number): void {
    const around = this.#open.at(-1) ?? -1;
    for (const { parent, parts } of this.#strays.get(at) ?? []) {
      if (parent === around) this.#addAll(parts);
    }
  }

  #findLostElements(): void {
    for (const [number, { parent, from }] of this.#text.elements.entries()) {
      const isOutermost = parent < 0 || this.#spans[parent] !== undefined;
      if (this.#spans[number] !== undefined || !isOutermost) continue;
      const at = this.#placeInProportion(parent, from);
      this.#addStray({ parent, parts: this.#emptied(number) }, at);
    }
  }

  /** Returns the tokens of the atoms within their parent and no other element; other atoms become strays. */
  #findAtomsInPlace(): Set<number> {
    const { elements, atoms } = this.#text;
    const inPlace = new Set<number>();
    const places = new Map<number, number>();
    for (const [i, token] of this.#tokens.entries()) {
      if (token.kind === 'atom' && !places.has(token.atom)) places.set(token.atom, i);
    }
    for (const [number, { parent, parts, from }] of atoms.entries()) {
      // Atoms of lost elements are placed together with these.
      if (parent >= 0 && this.#spans[parent] === undefined) continue;
      const at = places.get(number);
      if (at === undefined) {
        this.#addStray({ parent, parts }, this.#placeInProportion(parent, from));
        continue;
      }
      let inner = this.#innermost[at] ?? -1;
      if (inner === parent) {
        inPlace.add(at);
        continue;
      }
      while (inner >= 0 && elements[inner]?.parent !== parent)
        inner = elements[inner]?.parent ?? -1;
      const obstacle = this.#spans[inner];
      // One of the blanks around the atom moves with it.
      const isApart = this.#isSpace(at - 1) && this.#isSpace(at + 1);
      if (isApart) this.#surplus.add(at + 1);
      const moved = isApart ? [' ', ...parts] : parts;
      this.#addStray({ parent, parts: moved }, obstacle?.last ?? this.#nearestIn(parent, at));
    }
    return inPlace;
  }

  /** Line breaks and other fixed blanks stay where they are. */
  #isSpace(at: number): boolean {
    const token = this.#tokens[at];
    return token?.kind === 'blank' && token.text === ' ';
  }

  #nearestIn(parent: number, at: number): number {
    const span = this.#spans[parent];
    return span === undefined ? at : at < span.first ? span.first - 1 : span.last;
  }

  /** Returns an element and its descendants, all without words. */
  #emptied(number: number): TextSegment {
    const { elements } = this.#text;
    const parts: (string | Mark)[] = [];
    const open: number[] = [];
    const close = () => parts.push({ mark: 'close', id: elements[open.pop() ?? 0]?.id ?? 0 });
    const last = elements[number]?.last ?? number;
    for (let i = number; i <= last; i++) {
      while (open.length > 0 && elements[i]?.parent !== open.at(-1)) close();
      parts.push({ mark: 'open', id: elements[i]?.id ?? 0 });
      open.push(i);
      for (const part of this.#atomsWithin.get(i) ?? []) parts.push(part);
    }
    while (open.length > 0) close();
    return parts;
  }

  #addStray(stray: Stray, at: number): void {
    const others = this.#strays.get(at);
    if (others === undefined) this.#strays.set(at, [stray]);
    else others.push(stray);
  }

  /** Returns the token after which a stray belongs, outside of neighbouring elements. */
  #placeInProportion(parent: number, from: number): number {
    const { elements, length } = this.#text;
    const source = elements[parent] ?? { from: 0, to: length };
    const span = this.#spans[parent] ?? { first: 0, last: this.#tokens.length - 1 };
    const share = (from - source.from) / Math.max(source.to - source.from, 1);
    const weightTo = (at: number): number => this.#weights[at] ?? 0;
    const before = weightTo(span.first);
    const wanted = before + share * (weightTo(span.last + 1) - before) + 0.5;
    const count = span.last + 1 - span.first;
    let at = span.first + firstOf(count, (i) => weightTo(span.first + i + 1) > wanted) - 1;
    while (at >= span.first && weightTo(at) === weightTo(at + 1)) at -= 1;
    let around = this.#innermost[at] ?? -1;
    while (around >= 0 && elements[around]?.parent !== parent) {
      around = elements[around]?.parent ?? -1;
    }
    return Math.max(at, this.#spans[around]?.last ?? at);
  }
}
