/**
 * What a document format is: a file is opened, its text is handed out in segments, and the file is
 * written anew with translated ones. Formats run in a process of their own (`jobs/document-child.ts`), which
 * ends when it takes too long or too much memory, so they may block; they touch neither network nor
 * database. A new format is one file here, its entry in `index.ts`, and a sample for the conformance test.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { TextSegment } from '../../text/text-segment.ts';

/** A piece of a document's text that stands for itself: a paragraph, a cell, a subtitle. */
export interface DocumentBlock {
  /** The text with its inline formatting, fields, notes… as marks; a text without letters is not a block. */
  segment: TextSegment;
  /**
   * `paragraph`: sentences may be translated one by one. `unit`: one sentence or name, never cut.
   */
  kind: 'paragraph' | 'unit';
}

export interface OpenOptions {
  /** Of the text, where it is known. */
  source: LanguageTag | undefined;
  /** What it will be translated into. */
  target: LanguageTag;
  /** Name of the format that will be written; some are opened differently for it. */
  output: string;
  /** Most characters of the text, in Unicode code points: a document with more is refused early. */
  maxCharacters: number;
}

export interface OpenedDocument {
  /** In reading order. */
  readonly blocks: readonly DocumentBlock[];
  /** Unicode code points of the text; markup is not counted. */
  readonly characters: number;
  /**
   * The file with its blocks replaced, in their order; each has the marks of its source exactly once
   * and well nested. With the blocks as they were, text formats come back byte for byte. Called once.
   *
   * @param source language that was translated from
   * @throws DocumentError
   */
  write(
    translated: readonly TextSegment[],
    languages: { source: LanguageTag; target: LanguageTag },
  ): Promise<Uint8Array>;
}

export interface DocumentFormat {
  /**
   * @param file the whole file
   * @throws DocumentError for a file that is damaged, encrypted, hostile or too large
   */
  open(file: Uint8Array, options: OpenOptions): Promise<OpenedDocument>;
}

/** A file that cannot be translated, with a message for its owner that says what to do. */
export class DocumentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DocumentError';
  }
}

/**
 * Refuses a text that is too long; formats ask as soon as they know.
 *
 * @param characters Unicode code points
 * @throws DocumentError
 */
export function checkLength(characters: number, maxCharacters: number): void {
  if (characters <= maxCharacters) return;
  throw new DocumentError(
    `The document has more than ${maxCharacters} characters, the most of one. Divide it into smaller ones.`,
  );
}
