/** What the conformance suite needs to know of a format. */
import type { OpenedDocument } from '../../../../server/documents/formats/format.ts';
import type { DocumentFormatName } from '../../../../server/documents/formats/index.ts';

export interface DocumentSample {
  format: DocumentFormatName;
  /** A file of English text, with words at all places where the format has any. */
  build(): Promise<Uint8Array>;
  /** Pieces of text that must be handed out; each is found within a block. */
  translatable: readonly string[];
  /** Pieces of text that must not be handed out. */
  untouched: readonly string[];
  /**
   * What files that are the same have in common: anything that can be compared; else their bytes. What was
   * opened already is at hand.
   */
  content?: (file: Uint8Array, opened?: OpenedDocument) => Promise<unknown>;
  /** Whether a translated file, opened again, has the words of the translation in the same order. */
  readsBack?: false;
  /** A translated file as one whose text is the translation, where it keeps the source as well. */
  asSource?: (file: Uint8Array) => Uint8Array;
  /** A letter that recognition of text reads well; put before words that are translated. */
  mark?: string;
  /** Whether each opening takes so long that a few must do. */
  isSlow?: true;
  /** Whether any bytes at all make a file of the format. */
  takesAnything?: true;
}
