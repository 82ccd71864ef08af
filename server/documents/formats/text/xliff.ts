/**
 * XLIFF 2.x and 1.x: translates each segment without a translation. The rest of the file stays byte
 * for byte: sources, codes, notes, and additions by other programs.
 */
import { canonicalLanguage, textDirection, type LanguageTag } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import type { Span } from '../../../text/placeholders.ts';
import { hasLetters, plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, DocumentError, type DocumentBlock, type DocumentFormat } from '../format.ts';
import {
  ContentCollector,
  keptSegments,
  translationEvidence,
  type XliffTarget,
  version1,
  version2,
  type Dialect,
} from './xliff-content.ts';
import { type InlineContent, writeContent } from './xliff-inline.ts';
import { readXml, readXmlText, withAttributes, type XmlElement } from './xml-reading.ts';

/** Exchange files of translation programs: `.xlf`, `.xliff`. */
export const xliff: DocumentFormat = {
  async open(bytes, { target, maxCharacters }) {
    const { text: file, encode } = readXmlText(bytes);
    const outline = readUnits(file, target);
    const translatable = outline.units.flatMap(({ source, kept }) =>
      source.contents.filter((each) => hasLetters(each.segment) && !kept.has(each)),
    );
    return {
      characters: countCharacters(translatable, maxCharacters),
      declared: canonicalLanguage(outline.places[0]?.source?.value ?? ''),
      blocks: translatable.map(({ segment }): DocumentBlock => ({ segment, kind: 'paragraph' })),
      async write(translated, languages) {
        const answers = new Map(translatable.map((content, index) => [content, translated[index]]));
        return encode(writeTargets(file, outline, { answers, languages }));
      },
    };
  },
};

function countCharacters(contents: readonly InlineContent[], maxCharacters: number): number {
  let characters = 0;
  for (const { segment } of contents) characters += countCodePoints(plainText(segment));
  checkLength(characters, maxCharacters);
  return characters;
}

// Outline of a file: its untranslated segments, and the tags that declare languages.

/** A source whose target is to be written. */
interface XliffUnit {
  /** Start tag of the `segment` or `trans-unit`. */
  tag: Span;
  /** Whether the tag says if the former target is approved. */
  hasApproval: boolean;
  source: XliffSource;
  target: XliffTarget | undefined;
  /** Translated segments of the former target that stay, by their sources. */
  kept: ReadonlyMap<InlineContent, Span>;
}

interface XliffSource {
  /** Start tag of the `source`. */
  tag: Span;
  /** Blanks before the tag; an added target gets the same. */
  gap: string;
  /** Content of the `source` or `seg-source`, on which the target is based. */
  content: Span;
  /** Translatable parts of the content. */
  contents: readonly InlineContent[];
  /** Whether the content is that of a `seg-source`. */
  isSegmented: boolean;
  /** Offset at which a target is added. */
  end: number;
}

/** A start tag that declares languages or the direction of targets. */
interface LanguagePlace {
  tag: Span;
  /** Names and values of its language attributes. */
  source?: { name: string; value: string | undefined };
  target?: { name: string; value: string | undefined };
  /** Value of `trgDir`. */
  direction?: string | undefined;
  /** Whether this is a `file`, which gets a direction if it declares none. */
  isFile: boolean;
}

interface XliffOutline {
  dialect: Dialect;
  version: string;
  places: readonly LanguagePlace[];
  units: readonly XliffUnit[];
}

/** An open element. */
interface Frame {
  name: string;
  isTranslatable: boolean;
  isPreserved: boolean;
}

/** A `segment` or `trans-unit` whose end has not been reached. */
interface Draft {
  tag: Span;
  element: XmlElement;
  depth: number;
  isTranslatable: boolean;
  source?: XliffSource;
  target?: XliffTarget;
  /** The `mid` of segments that Trados has locked. */
  locked: Set<string | undefined>;
}

const CORE = /^(?:$|urn:oasis:names:tc:xliff:document:)/;
/** Name for elements of foreign namespaces. */
const UNKNOWN = '';
/** An element within a source; the collector tracks its details. */
const INLINE: Frame = { name: UNKNOWN, isTranslatable: true, isPreserved: false };

/**
 * @param target target language; existing targets in it are left alone
 * @throws DocumentError for a file that is not XLIFF, or not well-formed
 */
function readUnits(file: string, target: LanguageTag): XliffOutline {
  return new UnitReader(file, target).read();
}

class UnitReader {
  readonly #file: string;
  readonly #wanted: LanguageTag;
  readonly #frames: Frame[] = [];
  readonly #places: LanguagePlace[] = [];
  readonly #units: XliffUnit[] = [];
  #dialect: Dialect = version2;
  #version = '';
  /** Language of targets, as declared by the file. */
  #targetLanguage: string | undefined;
  #draft: Draft | undefined;
  /** Set while within a source; `depth` is that of the source element itself. */
  #collecting: { collector: ContentCollector; depth: number; tag: Span; name: string } | undefined;

  constructor(file: string, wanted: LanguageTag) {
    this.#file = file;
    this.#wanted = wanted;
  }

  read(): XliffOutline {
    readXml(this.#file, {
      text: (span, isData) => this.#collecting?.collector.text(span, isData),
      open: (element, span, isEmpty) => this.#open(element, span, isEmpty),
      close: (span) => this.#close(span),
    });
    return {
      dialect: this.#dialect,
      version: this.#version,
      places: this.#places,
      units: this.#units,
    };
  }

  #open(element: XmlElement, span: Span, isEmpty: boolean): void {
    if (this.#collecting !== undefined) {
      this.#collecting.collector.open(element, span, isEmpty);
      if (!isEmpty) this.#frames.push(INLINE);
      return;
    }
    const parent = this.#frames.at(-1);
    const frame = frameOf(element, parent);
    if (parent === undefined) this.#begin(element, span);
    else this.#visit({ element, frame, span, isEmpty });
    if (!isEmpty) this.#frames.push(frame);
  }

  #close(span: Span): void {
    this.#frames.pop();
    const depth = this.#frames.length;
    if (this.#collecting !== undefined && depth > this.#collecting.depth) {
      this.#collecting.collector.close(span);
    } else if (this.#collecting !== undefined) {
      this.#endContent(span);
    } else if (this.#draft?.target?.end === 0 && depth === this.#draft.depth + 1) {
      this.#draft.target.content.end = span.start;
      this.#draft.target.end = span.end;
    } else if (depth === this.#draft?.depth) {
      this.#endDraft(this.#draft);
    }
  }

  /** Handles the root element. */
  #begin(element: XmlElement, tag: Span): void {
    const version = element.attribute('version') ?? '';
    if (element.name !== 'xliff' || !CORE.test(element.uri)) throw notXliff();
    if (/^1\.[0-2]$/.test(version)) this.#dialect = version1;
    else if (!/^2\.\d$/.test(version)) throw unknownVersion();
    this.#version = version;
    if (this.#dialect.version === 2) this.#addPlace(element, tag);
  }

  #visit(visit: { element: XmlElement; frame: Frame; span: Span; isEmpty: boolean }): void {
    const { element, frame, span, isEmpty } = visit;
    const { name } = frame;
    const draft = this.#draft;
    if (draft === undefined) {
      if (name === 'file' || name === 'group' || name === 'unit') this.#addPlace(element, span);
      if (name !== this.#dialect.segment || isEmpty || isLocked(element)) return;
      const { isTranslatable } = frame;
      const depth = this.#frames.length;
      this.#draft = { tag: span, element, depth, isTranslatable, locked: new Set() };
    } else if (name === UNKNOWN && element.name === 'seg' && isLocked(element)) {
      draft.locked.add(element.attribute('id'));
    } else if (this.#frames.length !== draft.depth + 1) {
      return;
    } else if (name === 'source' || name === 'seg-source') {
      this.#beginContent(draft, visit, name === 'seg-source');
    } else if (name === 'target' && draft.target === undefined) {
      const content = { start: span.end, end: span.end };
      draft.target = { tag: span, element, content, end: isEmpty ? span.end : 0 };
      if (draft.source?.isSegmented === true) this.#beginContent(draft, visit, true);
    }
  }

  #beginContent(
    draft: Draft,
    { frame, span, isEmpty }: { frame: Frame; span: Span; isEmpty: boolean },
    isSegmented: boolean,
  ): void {
    if (isEmpty) return;
    const collector = new ContentCollector({
      file: this.#file,
      dialect: this.#dialect,
      start: span.end,
      isPreserved: frame.isPreserved,
      isTranslatable: draft.isTranslatable,
      isSegmented,
    });
    const depth = this.#frames.length;
    this.#collecting = { collector, depth, tag: span, name: frame.name };
  }

  #endContent(endTag: Span): void {
    const collecting = this.#collecting;
    this.#collecting = undefined;
    if (this.#draft === undefined || collecting === undefined) return;
    const { source, target } = this.#draft;
    const { tag, name } = collecting;
    const content = { start: tag.end, end: endTag.start };
    const contents = collecting.collector.end(endTag.start);
    if (name === 'target') {
      if (target !== undefined) Object.assign(target, { content, contents, end: endTag.end });
      return;
    }
    this.#draft.source = {
      tag: source?.tag ?? tag,
      gap: source?.gap ?? blanksBefore(this.#file, tag.start),
      content,
      contents,
      isSegmented: name === 'seg-source',
      end: endTag.end,
    };
  }

  #endDraft({ tag, element, isTranslatable, source, target, locked }: Draft): void {
    this.#draft = undefined;
    if (source === undefined || source.content.end === source.content.start) return;
    const language = target?.element.attribute('xml:lang') ?? this.#targetLanguage;
    const isForeign = language !== undefined && !isSameLanguage(language, this.#wanted);
    // Untranslatable text is the same in every language.
    if (!isTranslatable && (target === undefined || !isForeign)) return;
    const question = { file: this.#file, unit: element, source: source.content };
    const evidence = target && !isForeign ? translationEvidence(target, question) : undefined;
    // A state applies to all segments.
    if (evidence === 'state') return;
    const kept = keptSegments(source.contents, target?.contents, { locked, isDone: !!evidence });
    if (kept === undefined) return;
    const hasApproval = element.attribute('approved') !== undefined;
    this.#units.push({ tag, hasApproval, source, target, kept });
  }

  #addPlace({ name, attribute }: XmlElement, tag: Span): void {
    const isFirst = this.#dialect.version === 1;
    const [source, target] = isFirst
      ? ['source-language', 'target-language']
      : ['srcLang', 'trgLang'];
    if (name === (isFirst ? 'file' : 'xliff')) {
      this.#targetLanguage = attribute(target);
      this.#places.push({
        tag,
        isFile: false,
        source: { name: source, value: attribute(source) },
        target: { name: target, value: attribute(target) },
      });
    } else if (!isFirst) {
      const direction = attribute('trgDir');
      const isFile = name === 'file';
      if (isFile || direction !== undefined) this.#places.push({ tag, isFile, direction });
    }
  }
}

function frameOf(element: XmlElement, parent: Frame | undefined): Frame {
  const translate = element.attribute('translate');
  const space = element.attribute('xml:space');
  return {
    name: CORE.test(element.uri) ? element.name : UNKNOWN,
    isTranslatable: translate === undefined ? (parent?.isTranslatable ?? true) : translate !== 'no',
    isPreserved: space === undefined ? (parent?.isPreserved ?? false) : space === 'preserve',
  };
}

/** Tests for a segment that memoQ, Phrase or Trados has locked. */
function isLocked({ attribute }: XmlElement): boolean {
  const marks = [attribute('mq:locked'), attribute('m:locked'), attribute('locked')];
  return marks.some((mark) => mark === 'true' || mark === 'locked');
}

function blanksBefore(file: string, end: number): string {
  let start = end;
  while (start > 0 && /\s/.test(file.charAt(start - 1))) start -= 1;
  return file.slice(start, end);
}

function notXliff(): DocumentError {
  return new DocumentError(
    'This is no XLIFF file: its first element is not <xliff>. Send it with the file extension of what it is.',
  );
}

function unknownVersion(): DocumentError {
  return new DocumentError(
    'This version of XLIFF is not supported. Export the file as XLIFF 2.1, 2.0 or 1.2.',
  );
}

/**
 * Whether text in one language tag serves a request for the other. Scripts and regions count only
 * if both tags have one.
 */
function isSameLanguage(one: string, other: LanguageTag): boolean {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first === undefined || second === undefined) return false;
  const fits = (a?: string, b?: string) => a === undefined || b === undefined || a === b;
  return (
    first.language === second.language &&
    fits(first.script, second.script) &&
    fits(first.region, second.region)
  );
}

function partsOf(tag: string): Intl.Locale | undefined {
  const canonical = canonicalLanguage(tag);
  return canonical === undefined ? undefined : new Intl.Locale(canonical);
}

// Writing of targets and of language declarations.

interface XliffTranslation {
  answers: ReadonlyMap<InlineContent, TextSegment | undefined>;
  languages: { source: LanguageTag; target: LanguageTag };
}

/** Namespace prefix of the `source` element. */
const PREFIX = /^<((?:[^\s:>/]+:)?)source/;
const SPACE = /\sxml:space\s*=\s*["'](\w+)["']/;
/** Marks of machine translation in XLIFF 1.1 and later. */
const MADE_BY_PROGRAM = { state: 'translated', 'state-qualifier': 'mt-suggestion' };

/** Returns the file with its targets. */
function writeTargets(
  file: string,
  outline: XliffOutline,
  { answers, languages }: XliffTranslation,
): string {
  const parts: string[] = [];
  let at = 0;
  const replace = ({ start, end }: Span, text: string): void => {
    parts.push(file.slice(at, start), text);
    at = end;
  };
  const items = [...outline.places, ...outline.units].sort((a, b) => a.tag.start - b.tag.start);
  for (const item of items) {
    if ('isFile' in item) {
      replace(item.tag, languageTag(file, item, languages));
      continue;
    }
    replace(item.tag, unitTag(file, item, outline));
    const start = targetTag(file, item, { outline, language: languages.target });
    const content = targetContent(file, item, answers);
    const end = `</${prefixOf(file, item)}target>`;
    const { source, target } = item;
    if (target === undefined) replace({ start: source.end, end: source.end }, source.gap);
    replace({ start: target?.tag.start ?? at, end: target?.end ?? at }, start + content + end);
  }
  parts.push(file.slice(at));
  return parts.join('');
}

/** Writes languages and direction where the file declares none, or others. */
function languageTag(
  file: string,
  { tag, source, target, direction, isFile }: LanguagePlace,
  languages: XliffTranslation['languages'],
): string {
  const changes: Record<string, string> = {};
  if (source !== undefined && (source.value ?? '') === '') changes[source.name] = languages.source;
  if (target !== undefined && !isSameLanguage(target.value ?? '', languages.target)) {
    changes[target.name] = languages.target;
  }
  const wanted = textDirection(languages.target);
  const isUnsaid = direction === undefined && isFile && wanted === 'rtl';
  const isOther = direction !== undefined && direction !== 'auto' && direction !== wanted;
  if (isUnsaid || isOther) changes['trgDir'] = wanted;
  return withAttributes(file.slice(tag.start, tag.end), changes);
}

/** Resets approval and substate, as they apply to the former target. */
function unitTag(file: string, { tag, hasApproval }: XliffUnit, { dialect }: XliffOutline): string {
  const startTag = file.slice(tag.start, tag.end);
  if (dialect.version === 2) {
    return withAttributes(startTag, { state: 'translated', subState: undefined });
  }
  return hasApproval ? withAttributes(startTag, { approved: 'no' }) : startTag;
}

function targetTag(
  file: string,
  unit: XliffUnit,
  { outline, language }: { outline: XliffOutline; language: LanguageTag },
): string {
  const { source, target } = unit;
  const space = SPACE.exec(file.slice(source.tag.start, source.tag.end))?.[1];
  const attributes = {
    ...(space !== undefined && { 'xml:space': space }),
    ...(outline.dialect.version === 1 && outline.version !== '1.0' && MADE_BY_PROGRAM),
    ...(target?.element.attribute('xml:lang') !== undefined && { 'xml:lang': language }),
  };
  const startTag =
    target === undefined
      ? `<${prefixOf(file, unit)}target>`
      : file.slice(target.tag.start, target.tag.end).replace(/\s*\/>$/, '>');
  return withAttributes(startTag, attributes);
}

function prefixOf(file: string, { source: { tag } }: XliffUnit): string {
  return PREFIX.exec(file.slice(tag.start, tag.end))?.[1] ?? '';
}

/** Returns the content of the source with its segments translated. */
function targetContent(
  file: string,
  { source: { content, contents }, kept }: XliffUnit,
  answers: XliffTranslation['answers'],
): string {
  let xml = '';
  let at = content.start;
  for (const each of contents) {
    const answer = answers.get(each);
    const former = kept.get(each);
    if (former !== undefined) {
      xml += file.slice(at, each.hole.start) + file.slice(former.start, former.end);
      at = each.hole.end;
    }
    if (answer === undefined) continue;
    xml += file.slice(at, each.start) + writeContent(file, each, answer);
    at = each.end;
  }
  return xml + file.slice(at, content.end);
}
