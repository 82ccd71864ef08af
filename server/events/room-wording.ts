/** Wording of a room: corrects misheard words and hides unwanted ones. */
import { isDeepStrictEqual } from 'node:util';
import type { RoomWishes } from './store.ts';

/** Applies the replacements and hidden words of a room to a text. */
export interface RoomWording {
  /** Corrects and hides words in spoken text, before it is translated. */
  spoken(text: string): string;
  /** Hides words in translated text. */
  translated(text: string): string;
}

const HIDDEN = '•••';

type Words = Pick<RoomWishes, 'replacements' | 'hiddenWords'>;

/** Words match regardless of case, and only whole words, in scripts that separate words by spaces. */
export function createRoomWording({ replacements, hiddenWords }: Words): RoomWording {
  const misheard = wordTree(replacements.map(({ from, to }) => [from, to]));
  const hidden = wordTree(hiddenWords.map((word) => [word, HIDDEN]));
  const translated = (text: string) => replaceWords(text, hidden);
  return { spoken: (text) => translated(replaceWords(text, misheard)), translated };
}

export function hasSameWords(one: Words, other: Words): boolean {
  return (
    isDeepStrictEqual(one.replacements, other.replacements) &&
    isDeepStrictEqual(one.hiddenWords, other.hiddenWords)
  );
}

/**
 * A node of the word tree: the letters that may follow. However many words there are, matching at one
 * position of a text looks at no more letters than the longest word has.
 */
interface Branch {
  next: Map<string, Branch>;
  /** Set if a word ends here. */
  word: { isWhole: boolean; by: string } | undefined;
}

function wordTree(words: readonly [word: string, by: string][]): Branch {
  const root: Branch = { next: new Map(), word: undefined };
  for (const [word, by] of words) {
    let branch = root;
    for (const letter of word.replace(/\s+/g, ' ')) {
      const name = caseless(letter);
      let next = branch.next.get(name);
      if (next === undefined) branch.next.set(name, (next = { next: new Map(), word: undefined }));
      branch = next;
    }
    const last = Array.from(word).at(-1) ?? '';
    branch.word = { isWhole: isLetter(last) && !isUnspaced(word), by };
  }
  return root;
}

/** Replaces words; of several that match at one position, the longest wins. */
function replaceWords(text: string, tree: Branch): string {
  if (tree.next.size === 0) return text;
  const letters = Array.from(text.normalize('NFC'));
  const names = letters.map(nameOf);
  let replaced = '';
  let isShorter = false;
  for (let at = 0; at < letters.length;) {
    const found = longestWord(names, at, tree);
    replaced += found?.by ?? letters[at] ?? '';
    at = found?.end ?? at + 1;
    if (found?.by !== '') continue;
    isShorter = true;
    // When a word is removed, one of the spaces around it goes as well.
    if (/(?:^|\s)$/.test(replaced) && /\s/.test(letters[at] ?? '')) at += 1;
  }
  return isShorter ? replaced.trim() : replaced;
}

function longestWord(
  names: readonly string[],
  start: number,
  tree: Branch,
): { end: number; by: string } | undefined {
  const first = names[start] ?? '';
  let branch = tree.next.get(first);
  if (branch === undefined) return undefined;
  if (isLetter(first) && !isUnspaced(first) && isLetter(names[start - 1] ?? '')) return undefined;
  let longest: { end: number; by: string } | undefined;
  for (let end = start; branch !== undefined;) {
    // A run of spaces counts as one.
    if (names[end] === ' ') while (names[end + 1] === ' ') end += 1;
    end += 1;
    const after = names[end] ?? '';
    const { word, next }: Branch = branch;
    if (word !== undefined && !(word.isWhole && isLetter(after))) longest = { end, by: word.by };
    branch = next.get(after);
  }
  return longest;
}

const isLetter = (letter: string) => /^[\p{L}\p{M}\p{N}]/u.test(letter);
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const isUnspaced = (word: string) => UNSPACED.test(word);
const nameOf = (letter: string) => (/^\s/.test(letter) ? ' ' : caseless(letter));

const caselessly = new Intl.Collator('en', { sensitivity: 'accent' });

/**
 * Folds case: one letter for all that differ in case alone (`σ` and `ς`). A letter without such a partner
 * (`ı`) stays.
 */
function caseless(letter: string): string {
  const small = letter.toLowerCase();
  const common = letter.toUpperCase().toLowerCase();
  return common !== small && caselessly.compare(letter, common) === 0 ? common : small;
}
