/**
 * Interface of a document format: opens a file, hands out its text in segments, and writes the file
 * anew with translated segments. Formats run in a process of their own (`jobs/document-child.ts`),
 * which is killed when it exceeds its limit of time or memory, so they may block. They touch
 * neither network nor database. A new format is one file here, its entry in `index.ts`, and a
 * sample for the conformance test.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { TextSegment } from '../../text/text-segment.ts';

/** A self-contained piece of a document's text: a paragraph, a cell, a subtitle. */
export interface DocumentBlock {
  /** The text, with inline formatting, fields and notes as marks. A text without letters is not a block. */
  segment: TextSegment;
  /** `paragraph`: its sentences may be translated one by one. `unit`: one sentence or name, never cut. */
  kind: 'paragraph' | 'unit';
}

export interface OpenOptions {
  /** Language of the text, where known. */
  source: LanguageTag | undefined;
  target: LanguageTag;
  /** Name of the output format; some formats are opened differently for different outputs. */
  output: string;
  /** Maximum Unicode code points of the text; a document with more is refused early. */
  maxCharacters: number;
}

export interface OpenedDocument {
  /** In reading order. */
  readonly blocks: readonly DocumentBlock[];
  /** Unicode code points of the text, without markup. */
  readonly characters: number;
  /** Language that the file declares for its text. */
  readonly declared?: LanguageTag | undefined;
  /**
   * Writes the file with its blocks replaced, in their order. Each translated block has the marks
   * of its source exactly once and well nested. With unchanged blocks, text formats reproduce the
   * file byte for byte. Called at most once.
   *
   * @param languages.source language of the source text
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

/** A file that cannot be translated, with a message that tells its owner what to do. */
export class DocumentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DocumentError';
  }
}

/**
 * Refuses a text that is too long; formats call it as soon as they know the length.
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
