/** A line of text as it was read from a page. */
import type { PageCharacter } from './page-characters.ts';
import type { Box, TextStyle } from './page-model.ts';

/** A character within a line. */
export interface LineCharacter {
  character: PageCharacter;
  hasSpaceBefore: boolean;
  /** Whether the file itself has a blank before it. */
  hasBlankBefore: boolean;
  position: TextStyle['position'];
}

/** A line, or the part of it that is within one column or cell. */
export interface ReadLine {
  characters: LineCharacter[];
  box: Box;
  baseline: number;
  /** Of its ordinary characters. */
  sizePoints: number;
  rotation: number;
  isRightToLeft: boolean;
  /** Whether it goes on beside the initial of the line above. */
  isBesideInitial?: boolean;
  /** Which of the page's characters is its first: the order of the file. */
  order: number;
}

/** A gap that parts words though the file has no blank, in ems: typesetters go down to a sixth. */
export const WORD_GAP_EMS = 0.15;
