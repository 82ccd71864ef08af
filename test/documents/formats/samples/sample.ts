/** A format's sample for the conformance suite. */
import type { OpenedDocument } from '../../../../server/documents/formats/format.ts';
import type { DocumentFormatName } from '../../../../server/documents/formats/index.ts';

export interface DocumentSample {
  format: DocumentFormatName;
  /** Builds a file of English text, with words in all places that the format has. */
  build(): Promise<Uint8Array>;
  /** Pieces of text that must be translatable; each is found within a block. */
  translatable: readonly string[];
  /** Pieces of text that must not be translatable. */
  untouched: readonly string[];
  /**
   * Returns comparable content that equal files share; by default their bytes. A document that is already
   * open is passed in.
   */
  content?: (file: Uint8Array, opened?: OpenedDocument) => Promise<unknown>;
  /** Whether a reopened translated file has the translation's words in the same order. */
  readsBack?: false;
  /** Returns a translated file with the translation as its source, for formats that keep both. */
  asSource?: (file: Uint8Array) => Uint8Array;
  /** Whether its texts have marks. */
  hasMarks?: false;
  /** Whether opening is so slow that few openings must do. */
  isSlow?: true;
  /** Whether its text is recognised, which takes longest: the format's own tests read what was translated. */
  isRecognised?: true;
  /** Whether any bytes form a file of the format. */
  takesAnything?: true;
}
