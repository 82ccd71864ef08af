/** Collects the content of a source element from the events of the parser. */
import { readContent, type InlineContent, type ContentToken } from './xliff-inline.ts';
import { hasLetters, plainText } from '../../../text/text-segment.ts';
import type { Span } from '../../../text/placeholders.ts';
import type { XmlElement } from './xml-reading.ts';

interface CollectorOptions {
  file: string;
  dialect: Dialect;
  /** Offset of the content. */
  start: number;
  isPreserved: boolean;
  isTranslatable: boolean;
  /** Whether only `<mrk mtype="seg">` elements contain text, as in a `seg-source`. */
  isSegmented: boolean;
}

interface OpenElement {
  /** Undefined for a segment of a `seg-source`. */
  kind: CodeKind | undefined;
  start: number;
}

/** Receives everything between the start tag of a source and its end tag. */
export class ContentCollector {
  readonly #options: CollectorOptions;
  readonly #found: InlineContent[] = [];
  readonly #open: OpenElement[] = [];
  readonly #translates: boolean[];
  /** Keys of open `sm` markers that determine whether text is translated up to their partner. */
  readonly #markers: string[] = [];
  #tokens: ContentToken[] = [];
  #holeStart: number;
  #isInSegment: boolean;
  #mid: string | undefined;
  /** Nesting depth within an element whose content is not part of the text. */
  #opaqueDepth = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#translates = [options.isTranslatable];
    this.#holeStart = options.start;
    this.#isInSegment = !options.isSegmented;
  }

  text(span: Span, isData: boolean): void {
    if (this.#opaqueDepth > 0) return;
    const isProtected = this.#translates.at(-1) === false;
    this.#add({ role: isData ? 'data' : 'text', ...span, ...(isProtected && { isProtected }) });
  }

  /** @param isEmpty whether the element has no end tag */
  open(element: InlineElement, span: Span, isEmpty: boolean): void {
    if (this.#opaqueDepth > 0) {
      if (!isEmpty) this.#opaqueDepth += 1;
      return;
    }
    const kind = this.#options.dialect.codeKind(element);
    if (isEmpty) {
      this.#addCode(kind, span);
    } else if (!this.#isInSegment && isSegmentMark(element)) {
      this.#isInSegment = true;
      this.#mid = element.attribute('mid');
      this.#holeStart = span.end;
      this.#open.push({ kind: undefined, start: span.start });
    } else {
      this.#open.push({ kind, start: span.start });
      if (kind.role === 'opaque') this.#opaqueDepth = 1;
      else this.#begin(kind, span);
    }
  }

  close(span: Span): void {
    if (this.#opaqueDepth > 1) {
      this.#opaqueDepth -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element?.kind?.role === 'opaque') {
      this.#opaqueDepth = 0;
      this.#addCode(element.kind, { start: element.start, end: span.end });
    } else if (element?.kind === undefined) {
      this.#finish(span.start);
      this.#isInSegment = false;
    } else {
      this.#translates.pop();
      this.#add({ role: 'close', ...span });
    }
  }

  /** Returns the segments, in order; several if the source is segmented itself. */
  end(endsAt: number): InlineContent[] {
    if (!this.#options.isSegmented) this.#finish(endsAt);
    return this.#found;
  }

  #begin({ translate }: CodeKind, span: Span): void {
    this.#add({ role: 'open', ...span });
    this.#translates.push(translate ?? this.#translates.at(-1) ?? true);
  }

  #addCode({ place, key, isFixed, translate }: CodeKind, { start, end }: Span): void {
    const fixed = isFixed === true && { isFixed };
    this.#add({ role: place, start, end, ...(key !== undefined && { key }), ...fixed });
    if (key === undefined) return;
    if (place === 'start' && translate !== undefined) {
      this.#translates.push(translate);
      this.#markers.push(key);
    } else if (place === 'end' && this.#markers.at(-1) === key) {
      this.#translates.pop();
      this.#markers.pop();
    }
  }

  #add(token: ContentToken): void {
    if (this.#isInSegment) this.#tokens.push(token);
  }

  #finish(end: number): void {
    const { file, isPreserved } = this.#options;
    const hole = { start: this.#holeStart, end };
    this.#found.push(readContent(file, this.#tokens, { hole, mid: this.#mid, isPreserved }));
    this.#tokens = [];
  }
}

// Detection of targets that are already translated.

export interface XliffTarget {
  /** Its start tag. */
  tag: Span;
  element: XmlElement;
  /** Between its tags. */
  content: Span;
  /** Its segments, if the source has segments. */
  contents?: readonly InlineContent[];
  /** Offset after its end tag. */
  end: number;
}

const DONE = /^(?:translated|reviewed|final|signed-off|needs-(?:adaptation|l10n|review-.+))$/;
const NOT_DONE = /^(?:initial|new|needs-translation)$/;
const TAGS = /<[^>]*>/g;

/**
 * Returns what shows that a target is already translated: its state, or its text, which has no state
 * and differs from the source; undefined when nothing does.
 *
 * @param question.unit the `segment`, which has the state in XLIFF 2, or the `trans-unit`
 * @param question.source content of the source
 */
export function translationEvidence(
  { element, content }: XliffTarget,
  { file, unit, source }: { file: string; unit: XmlElement; source: Span },
): 'state' | 'text' | undefined {
  const text = textOf(file, content);
  if (text === '') return undefined;
  if (unit.attribute('approved') === 'yes') return 'state';
  const state = unit.attribute('state') ?? element.attribute('state') ?? '';
  if (DONE.test(state)) return 'state';
  return !NOT_DONE.test(state) && text !== textOf(file, source) ? 'text' : undefined;
}

function textOf(file: string, { start, end }: Span): string {
  return file.slice(start, end).replaceAll(TAGS, '').trim();
}

/**
 * Returns the segments of a target that stay, by their sources; undefined when all of them do, and
 * when the target is translated and has no segments.
 *
 * @param options.locked the `mid` of segments that stay whatever they hold
 * @param options.isDone whether the target's texts are translations where they differ from the source
 */
export function keptSegments(
  sources: readonly InlineContent[],
  targets: readonly InlineContent[] = [],
  { locked, isDone }: { locked: ReadonlySet<string | undefined>; isDone: boolean },
): ReadonlyMap<InlineContent, Span> | undefined {
  const kept = new Map<InlineContent, Span>();
  if (targets.length === 0 && isDone) return undefined;
  const translations = new Map(targets.map((each) => [each.mid, each]));
  for (const each of sources) {
    const nothing = { start: each.hole.start, end: each.hole.start };
    const { segment = [], hole = nothing } = translations.get(each.mid) ?? {};
    const text = plainText(segment).trim();
    const isTranslated = isDone && text !== '' && text !== plainText(each.segment).trim();
    if (isTranslated || locked.has(each.mid)) kept.set(each, hole);
  }
  if (kept.size === 0) return kept;
  return sources.every((each) => kept.has(each) || !hasLetters(each.segment)) ? undefined : kept;
}

function isSegmentMark({ name, attribute }: InlineElement): boolean {
  return name === 'mrk' && attribute('mtype') === 'seg';
}

// Codes of XLIFF 1.x and 2.x: which enclose text, and which form pairs.

/** An element within a source. */
interface InlineElement {
  name: string;
  attribute: (name: string) => string | undefined;
}

/** Role of an element within a source. */
interface CodeKind {
  /** `element` encloses text; `opaque` has content that is not part of the text. */
  role: 'element' | 'opaque';
  /** Role of the token for an element that does not enclose text; `start` and `end` have a key. */
  place: Extract<ContentToken['role'], 'lone' | 'start' | 'end'>;
  key?: string;
  isFixed?: boolean;
  /** Whether the enclosed text, or the text up to the partner, is to be translated. */
  translate?: boolean;
}

export interface Dialect {
  version: 1 | 2;
  /** Element that contains a source and its target. */
  segment: 'trans-unit' | 'segment';
  codeKind(element: InlineElement): CodeKind;
}

const LONE: CodeKind = { role: 'opaque', place: 'lone' };

/** Inline elements of XLIFF 2.0, §4.2.2 and §4.2.3. */
export const version2: Dialect = {
  version: 2,
  segment: 'segment',
  codeKind({ name, attribute }) {
    const translate = yesOrNo(attribute('translate'));
    const isFixed = (attribute('canReorder') ?? 'yes') !== 'yes';
    switch (name) {
      case 'pc':
      case 'mrk':
        return { role: 'element', place: 'lone', ...translate };
      case 'sc':
        return { role: 'opaque', place: 'start', key: `c${attribute('id')}`, isFixed };
      case 'ec':
        return { role: 'opaque', place: 'end', key: `c${attribute('startRef')}`, isFixed };
      case 'sm':
        return { role: 'opaque', place: 'start', key: `m${attribute('id')}`, ...translate };
      case 'em':
        return { role: 'opaque', place: 'end', key: `m${attribute('startRef')}` };
      default:
        return isFixed ? { ...LONE, isFixed } : LONE;
    }
  },
};

/** Inline elements of XLIFF 1.2, §2.3; those of 1.0 and 1.1 are the same. */
export const version1: Dialect = {
  version: 1,
  segment: 'trans-unit',
  codeKind({ name, attribute }) {
    const key = attribute('rid') ?? attribute('id') ?? '';
    switch (name) {
      case 'g':
        return { role: 'element', place: 'lone' };
      case 'mrk':
        return {
          role: 'element',
          place: 'lone',
          ...(attribute('mtype') === 'protected' && { translate: false }),
        };
      case 'bx':
      case 'bpt':
        return { role: 'opaque', place: 'start', key: `${name === 'bx' ? 'x' : 'pt'}${key}` };
      case 'ex':
      case 'ept':
        return { role: 'opaque', place: 'end', key: `${name === 'ex' ? 'x' : 'pt'}${key}` };
      default:
        return LONE;
    }
  },
};

function yesOrNo(value: string | undefined): { translate?: boolean } {
  return value === undefined ? {} : { translate: value !== 'no' };
}
