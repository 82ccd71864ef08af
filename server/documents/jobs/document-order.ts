/** What a document is to become: made when it is uploaded, read by the worker that translates it. */
import {
  documentFormat,
  type DocumentFormatName,
  MINIMUM_BILLED_CHARACTERS,
} from '../../../shared/document-formats.ts';
import type { Wishes } from '../../translation/wishes.ts';

/** An order that has been checked; plain data, kept as JSON. */
export interface DocumentWish extends Wishes {
  input: DocumentFormatName;
  output: DocumentFormatName;
  /** Most characters of the text, by the plan of the account. */
  maxCharacters: number;
  /** Whether the target is in beta and costs nothing. */
  isFree: boolean;
}

/** What a document costs, in Unicode code points. */
export function billedCharacters(wish: DocumentWish, characters: number): number {
  const { billing } = documentFormat(wish.input);
  if (wish.isFree || billing === 'free') return 0;
  return billing === 'minimum' ? Math.max(MINIMUM_BILLED_CHARACTERS, characters) : characters;
}
