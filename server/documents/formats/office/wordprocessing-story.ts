/** Reads the paragraphs of a WordprocessingML story, in order, into pieces. */
import type { Division } from '../../../text/text-segment.ts';
import { DocumentError } from '../format.ts';
import type { Enclosure, Piece } from './paragraph-pieces.ts';
import { type FormatRules, runFormat } from './paragraph.ts';
import { isOn } from './wordprocessing-properties.ts';
import {
  attribute,
  childOf,
  elementsOf,
  endTag,
  serialise,
  startTag,
  textOf,
  type XmlElement,
} from './xml-element.ts';

// Fields of WordprocessingML (ISO/IEC 29500-1, 17.16): determines which results are text to be translated.

/**
 * Fields whose results repeat text of this document. Results of other fields are numbers, dates and
 * data that the program computes anew, or names that must not be translated.
 */
const WITH_TEXT = new Set([
  'HYPERLINK',
  'TOC',
  'INDEX',
  'TOA',
  'REF',
  'STYLEREF',
  'QUOTE',
  'FORMTEXT',
  // LibreOffice writes its input fields and controls so.
  'FILLIN',
  'INCLUDETEXT',
  'LINK',
  'AUTOTEXT',
  'AUTOTEXTLIST',
  'TITLE',
  'SUBJECT',
  'COMMENTS',
]);

/** Fields for file properties that are translated as well. */
const TRANSLATED_PROPERTY = /^\s*(?:DOCPROPERTY|INFO)\s+"?(?:title|subject|comments)\b/i;

/** Whether the result of a field with this code is to be translated. */
function hasTextResult(code: string): boolean {
  const name = /^\s*([A-Za-z]+)/.exec(code)?.[1]?.toUpperCase() ?? '';
  return WITH_TEXT.has(name) || TRANSLATED_PROPERTY.test(code);
}

/** Maximum nesting of fields; Word itself nests about twenty. */
const MAX_DEPTH = 200;

/** A field whose end has not been reached. */
interface OpenField {
  code: string;
  isInCode: boolean;
  isTranslated: boolean;
}

/**
 * The fields around the current position in a story. A field may begin in one paragraph and end in another.
 */
class FieldNesting {
  readonly #open: OpenField[] = [];

  /** @throws DocumentError for fields that are nested too deeply */
  begin(): OpenField {
    if (this.#open.length >= MAX_DEPTH) {
      throw new DocumentError(
        'The file is nested too deeply to be translated. Save it anew and try again.',
      );
    }
    const field: OpenField = { code: '', isInCode: true, isTranslated: false };
    this.#open.push(field);
    return field;
  }

  /** Appends to the code of the innermost field; the result of a nested field becomes part of the code. */
  addCode(code: string): void {
    const field = this.#open.at(-1);
    // No legitimate code is longer; a hostile one must not grow without bound.
    if (field?.isInCode === true && field.code.length < 4096) field.code += code;
  }

  separate(): void {
    const field = this.#open.at(-1);
    if (field === undefined) return;
    field.isInCode = false;
    field.isTranslated = hasTextResult(field.code);
  }

  end(): OpenField | undefined {
    return this.#open.pop();
  }

  /** Whether text at this position is code, or a result that is not translated. */
  get isFrozen(): boolean {
    return this.#open.some((field) => field.isInCode || !field.isTranslated);
  }
}

const rules: FormatRules = {
  ignoredElements: new Set(['w:lang', 'w:noProof', 'w:rPrChange', 'w:webHidden', 'w:ins', 'w:del']),
  ignoredAttributes: new Set(),
  showsBlanks: (properties) =>
    ['w:u', 'w:strike', 'w:dstrike', 'w:highlight', 'w:shd', 'w:bdr'].some((name) =>
      isOn(childOf(properties, name)),
    ),
};

/** Properties of the elements around the text, which are written with them, or dropped with a smart tag. */
const PROPERTIES = new Set(['w:pPr', 'w:smartTagPr', 'w:customXmlPr', 'w:fldData']);
/** Elements that lose their meaning once the text changes. */
const DROPPED = new Set(['w:proofErr', 'w:lastRenderedPageBreak', 'w:softHyphen', 'w:delText']);
const ENCLOSING = new Set(['w:hyperlink', 'w:customXml', 'w:bdo', 'w:dir']);
/** Fonts whose letters are pictures. */
const SYMBOL_FONT = /^(?:symbol|wingdings.*|webdings|zapf ?dingbats|marlett|mt extra|opensymbol)$/i;

/** Elements that end ranges, by the elements that start them. */
const RANGE_ENDS: Record<string, string> = {
  'w:bookmarkStart': 'w:bookmarkEnd',
  'w:commentRangeStart': 'w:commentRangeEnd',
  'w:permStart': 'w:permEnd',
};
const RANGE_STARTS = new Map(Object.entries(RANGE_ENDS).map(([start, end]) => [end, start]));

/** The start of a field or range whose end has not been reached. */
interface Beginning {
  field: OpenField | undefined;
  /** Key of a range: `w:bookmarkStart 7`; empty for fields. */
  range: string;
  /** Index of its piece. */
  index: number;
  /** The enclosing element; a field or range that ends in another element cannot become an enclosure. */
  within: XmlElement;
  /** Word's bookmark of the last edit, which is of no use in a translation. */
  isDispensable?: boolean;
}

/** Reader of one story: the body of a part, or a text box. */
export class WordprocessingStory {
  readonly #fields = new FieldNesting();
  #pieces: Piece[] = [];
  #beginnings: Beginning[] = [];

  /** Returns the pieces of the next paragraph; its tracked changes must have been accepted. */
  readonly read = (paragraph: XmlElement): Piece[] => {
    this.#pieces = [];
    this.#beginnings = [];
    this.#content(paragraph, paragraph);
    return this.#pieces;
  };

  #content(element: XmlElement, within: XmlElement): void {
    for (const child of elementsOf(element)) this.#child(child, within);
  }

  #child(child: XmlElement, within: XmlElement): void {
    if (PROPERTIES.has(child.name) || DROPPED.has(child.name)) return;
    if (child.name === 'w:r') this.#run(child, within);
    else if (child.name === 'w:smartTag') this.#content(child, within);
    else if (child.name === 'w:sdt') this.#control(child);
    else if (child.name === 'mc:AlternateContent') this.#alternatives(child);
    else if (child.name === 'w:fldSimple') this.#simpleField(child);
    else if (ENCLOSING.has(child.name)) {
      this.#enclosed(child, child, {
        open: () => startTag(child) + own(child, ['w:customXmlPr']),
        close: () => endTag(child),
      });
    } else this.#range(child, within);
  }

  #enclosed(element: XmlElement, content: XmlElement, enclosure: Enclosure): void {
    this.#pieces.push({ kind: 'open', enclosure });
    this.#content(content, element);
    this.#pieces.push({ kind: 'close', enclosure });
  }

  #control(control: XmlElement): void {
    const content = childOf(control, 'w:sdtContent');
    if (content === undefined || choiceOf(control) !== undefined) {
      this.#lone(() => serialise(control));
      return;
    }
    this.#enclosed(control, content, {
      open: () => startTag(control) + own(control, ['w:sdtPr', 'w:sdtEndPr']) + startTag(content),
      close: () => endTag(content) + endTag(control),
    });
  }

  /**
   * Reads alternatives for new and old programs. If the first is plain text, its translation is
   * written into both; otherwise they stay as they are.
   */
  #alternatives(element: XmlElement): void {
    const [choice, fallback, ...more] = elementsOf(element);
    const isPlain = choice?.name === 'mc:Choice' && more.length === 0 && isRunText(choice);
    if (!isPlain || (fallback !== undefined && fallback.name !== 'mc:Fallback')) {
      this.#lone(() => serialise(element));
      return;
    }
    this.#enclosed(choice, choice, {
      open: () => startTag(element) + startTag(choice),
      close: (content) =>
        endTag(choice) +
        (fallback === undefined ? '' : startTag(fallback) + content + endTag(fallback)) +
        endTag(element),
    });
  }

  #simpleField(field: XmlElement): void {
    if (!hasTextResult(attribute(field, 'instr') ?? '')) {
      this.#lone(() => serialise(field));
      return;
    }
    this.#enclosed(field, field, {
      open: () => startTag(field) + own(field, ['w:fldData']),
      close: () => endTag(field),
    });
  }

  #lone(xml: () => string, divides?: Division, keepsOrder = false): void {
    this.#pieces.push({ kind: 'lone', xml, divides, keepsOrder });
  }

  #run(run: XmlElement, within: XmlElement): void {
    const properties = childOf(run, 'w:rPr');
    const format = runFormat(properties, rules);
    const isSymbol = isSymbolFont(properties);
    for (const child of elementsOf(run)) {
      if (child === properties || DROPPED.has(child.name)) continue;
      const xml = (): string => serialise(runOf(run, properties, child));
      if (child.name === 'w:ruby') this.#ruby(child, within, xml);
      else if (child.name === 'w:fldChar') this.#fieldCharacter(child, within, xml);
      else if (child.name === 'w:t' || child.name === 'w:noBreakHyphen') {
        const text = child.name === 'w:t' ? textOfRun(child) : '\u2011';
        if (this.#fields.isFrozen || isSymbol) this.#lone(xml);
        else this.#pieces.push({ kind: 'text', text, format });
      } else {
        if (child.name === 'w:instrText') this.#fields.addCode(textOf(child));
        this.#lone(xml, divisionAt(child));
      }
    }
  }

  /**
   * Reads a ruby: its base is translated, its phonetic guide is dropped, as it belongs to the source text.
   */
  #ruby(ruby: XmlElement, within: XmlElement, xml: () => string): void {
    const base = childOf(ruby, 'w:rubyBase');
    if (base === undefined) this.#lone(xml);
    else this.#content(base, within);
  }

  #fieldCharacter(character: XmlElement, within: XmlElement, xml: () => string): void {
    const type = attribute(character, 'fldCharType');
    if (type === 'begin') {
      const field = this.#fields.begin();
      this.#beginnings.push({ field, range: '', index: this.#pieces.length, within });
      this.#lone(xml, undefined, true);
      return;
    }
    this.#lone(xml, undefined, true);
    if (type === 'separate') {
      this.#fields.separate();
      const beginning = this.#beginnings.findLast(({ field }) => field !== undefined);
      if (beginning?.within === within) this.#collapse(beginning.index);
    } else if (type === 'end') {
      this.#endField(this.#fields.end(), within);
    }
  }

  /**
   * Makes a field an enclosure of its result, or one piece if the result is not translated. A field
   * that began elsewhere becomes neither.
   */
  #endField(field: OpenField | undefined, within: XmlElement): void {
    if (field === undefined) return;
    const at = this.#beginnings.findLastIndex((beginning) => beginning.field === field);
    const beginning = this.#beginnings[at];
    if (beginning === undefined) return;
    this.#beginnings.length = at;
    if (beginning.within !== within) return;
    if (field.isTranslated) this.#enclose(beginning.index);
    else this.#collapse(beginning.index);
  }

  /** Makes a bookmark or another range that begins and ends in this element an enclosure. */
  #range(element: XmlElement, within: XmlElement): void {
    const isStart = element.name in RANGE_ENDS;
    const start = isStart ? element.name : RANGE_STARTS.get(element.name);
    const range = `${start ?? ''} ${attribute(element, 'id') ?? ''}`;
    if (isStart) {
      const isDispensable = attribute(element, 'name') === '_GoBack';
      const index = this.#pieces.length;
      this.#beginnings.push({ field: undefined, range, index, within, isDispensable });
    }
    this.#lone(() => serialise(element), undefined, start !== undefined);
    if (isStart || start === undefined) return;
    const at = this.#beginnings.findLastIndex((beginning) => beginning.range === range);
    const beginning = this.#beginnings[at];
    if (beginning?.within !== within) return;
    const above = this.#beginnings.splice(at).slice(1);
    // Fields take precedence over ranges: a range that crosses a field does not become an enclosure.
    const fields = above.filter(({ field }) => field !== undefined);
    for (const field of fields) this.#beginnings.push(field);
    if (fields.length > 0) return;
    if (beginning.isDispensable === true) {
      this.#pieces.pop();
      this.#pieces.splice(beginning.index, 1);
    } else {
      this.#enclose(beginning.index);
    }
  }

  /** Makes an enclosure of the pieces from an index to the last. */
  #enclose(from: number): void {
    const [first, last] = [this.#pieces[from], this.#pieces.at(-1)];
    if (first?.kind !== 'lone' || last?.kind !== 'lone') return;
    const enclosure: Enclosure = { open: first.xml, close: last.xml };
    this.#pieces[from] = { kind: 'open', enclosure };
    this.#pieces[this.#pieces.length - 1] = { kind: 'close', enclosure };
  }

  /** Makes one piece of the pieces from an index to the last. */
  #collapse(from: number): void {
    const pieces = this.#pieces.splice(from);
    while ((this.#beginnings.at(-1)?.index ?? from) > from) this.#beginnings.pop();
    const xml = (): string => xmlOfPieces(pieces);
    this.#lone(xml, undefined, true);
  }
}

/**
 * Returns the content of a control with a list. It is a text of its own, so that it becomes what its entry in
 * the list does, whatever the sentence around it is.
 */
export function choiceOf(control: XmlElement): XmlElement | undefined {
  const properties = control.name === 'w:sdt' ? childOf(control, 'w:sdtPr') : undefined;
  const hasList = properties?.children.some(
    (child) => typeof child !== 'string' && /^w:(?:dropDownList|comboBox)$/.test(child.name),
  );
  return hasList === true ? childOf(control, 'w:sdtContent') : undefined;
}

/** Joins the XML of pieces. None of them is text, as text within a frozen field is a lone piece. */
function xmlOfPieces(pieces: readonly Piece[]): string {
  const around: string[] = [];
  let xml = '';
  for (const piece of pieces) {
    if (piece.kind === 'lone') xml += piece.xml();
    else if (piece.kind === 'open') {
      around.push(xml + piece.enclosure.open());
      xml = '';
    } else if (piece.kind === 'close') {
      xml = (around.pop() ?? '') + xml + piece.enclosure.close(xml);
    }
  }
  return around.join('') + xml;
}

/** Elements that prevent a text from being repeated in the fallback for old programs. */
const NOT_RUN_TEXT = new Set(['w:drawing', 'w:pict', 'w:object']);

/** Whether an element consists of text in runs, without anything that old programs do not know. */
function isRunText(element: XmlElement): boolean {
  const isKnown = ({ children }: XmlElement): boolean =>
    children.every(
      (child) =>
        typeof child === 'string' ||
        child.name === 'w:rPr' ||
        (child.name.startsWith('w:') && !NOT_RUN_TEXT.has(child.name) && isKnown(child)),
    );
  const hasText = ({ children }: XmlElement): boolean =>
    children.some((child) => typeof child !== 'string' && (child.name === 'w:t' || hasText(child)));
  return hasText(element) && isKnown(element);
}

/** Returns the XML of an element's children with the given names. */
function own(element: XmlElement, names: readonly string[]): string {
  return elementsOf(element)
    .filter(({ name }) => names.includes(name))
    .map(serialise)
    .join('');
}

function runOf(run: XmlElement, properties: XmlElement | undefined, child: XmlElement): XmlElement {
  return {
    name: run.name,
    tag: run.tag,
    children: properties === undefined ? [child] : [properties, child],
  };
}

/**
 * Returns the text of a `w:t`. Blanks at its ends count only with `xml:space="preserve"`. Line ends and
 * tabs count as blanks; a no-break or ideographic space is text, as XML does not regard it as white space.
 */
function textOfRun(text: XmlElement): string {
  const value = textOf(text).replace(/[\t\n\r]/g, ' ');
  return attribute(text, 'xml:space') === 'preserve' ? value : value.replace(/^ +|(?<! ) +$/g, '');
}

/** Returns how an element of a run divides its text; a new line may go on with the sentence, a new page may not. */
function divisionAt(element: XmlElement): Division | undefined {
  if (element.name === 'w:cr') return 'line';
  if (element.name !== 'w:br') return /^w:p?tab$/.test(element.name) ? 'gap' : undefined;
  return /^(?:page|column)$/.test(attribute(element, 'type') ?? '') ? 'gap' : 'line';
}

function isSymbolFont(properties: XmlElement | undefined): boolean {
  const fonts = properties && childOf(properties, 'w:rFonts');
  return fonts !== undefined && SYMBOL_FONT.test(attribute(fonts, 'ascii') ?? '');
}
