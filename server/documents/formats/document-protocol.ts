/** What a document process is asked and what it answers; one question at a time. */
import type { DocumentFormatName } from '../../../shared/document-formats.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Uncontained } from '../../process/index.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import type { DocumentSentence } from './document-sentences.ts';
import type { OpenOptions } from './format.ts';

/** What is sent of an opened document: bounded, however large it is. */
export interface DocumentSummary {
  /** Unicode code points of the text; markup is not counted. */
  characters: number;
  /** Enough of the text to know its language by; empty when there is none. */
  sample: readonly TextSegment[];
}

export type DocumentQuestion =
  | { kind: 'open'; format: DocumentFormatName; file: Uint8Array; options: OpenOptions }
  /** Of a document that is open. */
  | { kind: 'sentences'; language: LanguageTag }
  | {
      kind: 'write';
      /** By the keys of the sentences, which are cut as in `languages.source`. */
      translations: ReadonlyMap<string, TextSegment>;
      languages: { source: LanguageTag; target: LanguageTag };
    };

export type DocumentAnswer =
  | ({ kind: 'opened' } & DocumentSummary)
  | { kind: 'sentences'; different: readonly DocumentSentence[] }
  | { kind: 'written'; file: Uint8Array }
  /** A DocumentError, with its message. */
  | { kind: 'refused'; message: string }
  /** Any other error. Its message may quote the document, so only its kind and place are sent. */
  | { kind: 'failed'; name: string; frames: string[] };

/** How a document process is started: the arguments after the module. */
export interface DocumentChildArguments {
  /** Undefined when it is contained: its files are in memory then. */
  uncontained?: Uncontained;
}
