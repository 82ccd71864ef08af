/**
 * A streaming reader of TMX 1.4, and of 1.1 to 1.3, which are subsets. Inline codes (`bpt`, `ept`, `ph`,
 * `it`) become marks, and `hi` becomes a pair of marks around its text. The contents of codes, including
 * `sub`, are dropped, as they are not for people. Nothing external is fetched, and entities declared in a
 * file are refused.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';
import {
  badFile,
  isOrVaries,
  MAX_STRETCH,
  MAX_TEXT_LENGTH,
  memoryLanguage,
  PARAMETER_NAMES,
  unitOf,
  type GivenLanguages,
  type MemoryReader,
  type ReadUnit,
} from './memory-unit.ts';

/** Maximum nesting of elements: deeper than in any tool's units. */
const MAX_DEPTH = 64;
/** Maximum number of marks in a text; more cannot be formatting. */
const MAX_MARKS = 250;
/** Maximum number of distinct marks in a unit, over all its texts. */
const MAX_MARK_IDS = 10_000;
/** Maximum length of a mark's number (`i`, `x`); longer ones are ignored. */
const MAX_MARK_NUMBER = 16;
/** Maximum number of languages of a unit: more than any memory accepts. */
const MAX_LANGUAGES = 250;
/** Elements whose content is code. */
const CODES = new Set(['bpt', 'ept', 'ph', 'it', 'ut']);

/** @param given its source language takes precedence over the file header's */
export function createTmxReader(given: GivenLanguages): MemoryReader {
  const reader = new TmxReader(given);
  return {
    write: (text) => reader.write(text),
    end: () => reader.end(),
    sourceLanguage: () => reader.source,
  };
}

class TmxReader {
  source: LanguageTag | undefined;
  readonly #parser = new SaxesParser({ position: true });
  readonly #only: LanguageTag | undefined;
  /** What the importing client calls the source language. */
  readonly #sourceName: string;
  #units: ReadUnit[] = [];
  #depth = 0;
  #sinceEvent = 0;
  #isTmx = false;
  /** The texts of the current unit. */
  #texts = new Map<LanguageTag, TextSegment>();
  #language: LanguageTag | undefined;
  #markIds = new Map<string, number>();
  #segment: SegmentBuilder | undefined;

  constructor({ source, target, named = PARAMETER_NAMES }: GivenLanguages) {
    this.source = source;
    this.#only = target;
    this.#sourceName = named.source;
    this.#parser.on('error', (cause) => {
      throw badFile('The file is not well-formed XML.', this.#parser.line, cause);
    });
    this.#parser.on('doctype', (text) => {
      this.#sinceEvent = 0;
      if (!text.includes('[')) return;
      throw badFile('The document type of the file declares something, which is not accepted.');
    });
    // Without namespaces, attributes are strings.
    this.#parser.on('opentag', (tag) => this.#open(tag as SaxesTagPlain));
    this.#parser.on('closetag', ({ name }) => this.#close(name));
    this.#parser.on('text', (text) => this.#addText(text));
    this.#parser.on('cdata', (text) => this.#addText(text));
    for (const event of ['comment', 'processinginstruction'] as const) {
      this.#parser.on(event, () => (this.#sinceEvent = 0));
    }
  }

  write(text: string): ReadUnit[] {
    this.#sinceEvent += text.length;
    this.#parser.write(text);
    if (this.#sinceEvent > MAX_STRETCH) {
      throw badFile('A text of the file is too long.', this.#parser.line);
    }
    return this.#take();
  }

  end(): ReadUnit[] {
    this.#parser.close();
    if (!this.#isTmx) throw notTmx();
    return this.#take();
  }

  #take(): ReadUnit[] {
    const units = this.#units;
    this.#units = [];
    return units;
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    this.#sinceEvent = 0;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw badFile('The elements of the file are nested too deeply.');
    if (this.#depth === 1) {
      if (name !== 'tmx') throw notTmx();
      this.#isTmx = true;
    }
    if (this.#segment !== undefined) this.#segment.open(name, attributes);
    else if (name === 'header') this.#readHeader(attributes['srclang']);
    else if (name === 'tu') this.#begin();
    else if (name === 'tuv') {
      this.#language = memoryLanguage(attributes['xml:lang'] ?? attributes['lang'] ?? '');
    } else if (name === 'seg') this.#segment = new SegmentBuilder(this.#markIds);
  }

  #close(name: string): void {
    this.#sinceEvent = 0;
    this.#depth -= 1;
    if (this.#segment !== undefined && name !== 'seg') this.#segment.close(name);
    else if (name === 'seg') {
      const segment = this.#segment?.finished();
      if (this.#language !== undefined && segment !== undefined) {
        this.#keep(this.#language, segment);
      }
      this.#segment = undefined;
    } else if (name === 'tu') this.#finish();
  }

  #keep(language: LanguageTag, segment: TextSegment): void {
    if (this.#texts.size >= MAX_LANGUAGES && !this.#texts.has(language)) {
      throw badFile('A unit of the file has too many languages.', this.#parser.line);
    }
    // Of several variants, those that nobody has translated are empty.
    if (this.#texts.has(language) && plainText(segment).trim() === '') return;
    this.#texts.set(language, segment);
  }

  #addText(text: string): void {
    this.#sinceEvent = 0;
    this.#segment?.addText(text);
  }

  #readHeader(language = ''): void {
    if (this.source !== undefined) return;
    const found = memoryLanguage(language);
    if (found !== undefined) this.source = baseLanguage(found);
  }

  #begin(): void {
    this.#texts = new Map();
    this.#markIds = new Map();
    this.#language = undefined;
  }

  #finish(): void {
    const source = this.source;
    if (source === undefined) {
      throw badFile(
        `The header of the file does not tell its source language (srclang): name it as ${this.#sourceName}.`,
      );
    }
    const own = [...this.#texts].find(
      ([language, text]) => baseLanguage(language) === source && plainText(text).trim() !== '',
    );
    const only = this.#only;
    const targets = [...this.#texts].filter(
      ([language]) => only === undefined || isOrVaries(language, only),
    );
    this.#units.push(...unitOf(own?.[1], source, new Map(targets)));
    this.#begin();
  }
}

/** Builds the segment of a `seg` element; a segment that exceeds any limit is dropped. */
class SegmentBuilder {
  #parts: (string | Mark)[] = [];
  /** Ids of marks, by what identifies a mark across all languages of the unit. */
  readonly #ids: Map<string, number>;
  readonly #open: { name: string; id: number | undefined }[] = [];
  #codes = 0;
  #marks = 0;
  #length = 0;
  #isTooMuch = false;

  constructor(ids: Map<string, number>) {
    this.#ids = ids;
  }

  addText(text: string): void {
    if (this.#codes > 0 || text === '' || this.#isTooMuch) return;
    this.#length += text.length;
    if (this.#length > MAX_TEXT_LENGTH) this.#giveUp();
    else this.#parts.push(text);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const isMark = this.#codes === 0 && (name === 'hi' || CODES.has(name));
    const id = isMark ? this.#openMark(name, attributes) : undefined;
    this.#open.push({ name, id });
    if (CODES.has(name)) this.#codes += 1;
  }

  close(name: string): void {
    const opened = this.#open.pop();
    if (CODES.has(name)) this.#codes -= 1;
    if (name === 'hi' && opened?.id !== undefined && !this.#isTooMuch) {
      this.#parts.push({ mark: 'close', id: opened.id });
    }
  }

  /**
   * Returns the segment: undefined if it exceeded a limit, without marks if these are not properly nested.
   */
  finished(): TextSegment | undefined {
    if (this.#isTooMuch) return undefined;
    if (isNested(this.#parts)) return this.#parts;
    return this.#parts.filter((part) => typeof part === 'string');
  }

  #openMark(name: string, attributes: Readonly<Record<string, string>>): number | undefined {
    if (this.#isTooMuch) return undefined;
    this.#marks += 1;
    if (this.#marks > MAX_MARKS || this.#ids.size >= MAX_MARK_IDS) {
      this.#giveUp();
      return undefined;
    }
    const id = this.#idOf(name, attributes);
    const mark = name === 'hi' || name === 'bpt' ? 'open' : name === 'ept' ? 'close' : 'lone';
    this.#parts.push({ mark, id });
    return id;
  }

  /** Frees what has been collected: the file may continue for hundreds of megabytes. */
  #giveUp(): void {
    this.#isTooMuch = true;
    this.#parts = [];
  }

  /**
   * Returns the id of a mark: `bpt` and its `ept` share an `i`; other marks have the same `x` in all
   * languages, or else are numbered in order.
   */
  #idOf(name: string, attributes: Readonly<Record<string, string>>): number {
    const kind = name === 'ept' ? 'bpt' : name;
    const [i = '', x = `+${this.#marks}`] = [attributes['i'], attributes['x']].map((number) =>
      number === undefined || number.length > MAX_MARK_NUMBER ? undefined : number,
    );
    const key = kind === 'bpt' ? `bpt ${i}` : `${kind} ${x}`;
    const id = this.#ids.get(key) ?? this.#ids.size + 1;
    this.#ids.set(key, id);
    return id;
  }
}

function isNested(parts: TextSegment): boolean {
  const seen = new Set<number>();
  const open: number[] = [];
  for (const part of parts) {
    if (typeof part === 'string') continue;
    if (part.mark === 'close') {
      if (open.pop() !== part.id) return false;
      continue;
    }
    if (seen.has(part.id)) return false;
    seen.add(part.id);
    if (part.mark === 'open') open.push(part.id);
  }
  return open.length === 0;
}

function notTmx() {
  return badFile('The file is not TMX: its outermost element must be <tmx>.');
}
