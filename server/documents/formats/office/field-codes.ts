/** Fields of WordprocessingML (ISO/IEC 29500-1, 17.16): whose results are text of the document. */
import { DocumentError } from '../format.ts';

/**
 * Fields whose results are words of this document, written once more. Others are numbers, dates and
 * data that the program puts in anew, or names that are not to be translated.
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
  'INCLUDETEXT',
  'LINK',
  'AUTOTEXT',
  'AUTOTEXTLIST',
  'TITLE',
  'SUBJECT',
  'COMMENTS',
]);

/** Properties of the file that are translated as well, by the names that fields have for them. */
const TRANSLATED_PROPERTY = /^\s*(?:DOCPROPERTY|INFO)\s+"?(?:title|subject|comments)\b/i;

/** Whether the result of a field with this code is to be translated. */
export function hasTextResult(code: string): boolean {
  const name = /^\s*([A-Za-z]+)/.exec(code)?.[1]?.toUpperCase() ?? '';
  return WITH_TEXT.has(name) || TRANSLATED_PROPERTY.test(code);
}

/** Word itself nests about twenty. */
const MAX_DEPTH = 200;

/** A field that is not finished. */
export interface OpenField {
  code: string;
  isInCode: boolean;
  isTranslated: boolean;
}

/** The fields around a place of a story. They may begin in one paragraph and end in another. */
export class FieldNesting {
  readonly #open: OpenField[] = [];

  /** @throws DocumentError for fields in fields without end */
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

  /** A piece of the code of the innermost field; a field within gives its result to the code. */
  addCode(code: string): void {
    const field = this.#open.at(-1);
    // No honest code is longer; a hostile one must not grow without end.
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

  /** Whether text here is code or a result that is not translated. */
  get isFrozen(): boolean {
    return this.#open.some((field) => field.isInCode || !field.isTranslated);
  }
}
