/**
 * The words of a Hunspell dictionary: stems, and the endings that they take. Read without its program,
 * which would look for suggestions for every word of another language.
 */

export interface HunspellWords {
  kind: 'hunspell';
  /** Of each stem, its hash times {@link MAX_FLAG_SETS} and the number of its flags, in order. */
  stems: Float64Array;
  flagSets: readonly (readonly string[])[];
  /** By what is appended, then by what is taken from the stem before: the flags that allow it. */
  endings: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  longestEnding: number;
  /** What stands before stems. */
  prefixes: readonly string[];
}

const MAX_FLAG_SETS = 65_536;
const PREFIX = /^PFX[ \t]+\S+[ \t]+0[ \t]+([^\s/\d]+)/gm;
const SUFFIX = /^SFX\s+(\S+)\s+(\S+)\s+([^\s/]+)(?:\/\S*)?/;

/** @param dictionary text of the `.dic` file, @param affixes of the `.aff` file */
export function readHunspell(dictionary: string, affixes: string): HunspellWords {
  const splitFlags = flagSplitter(affixes);
  const aliases = affixes.matchAll(/^AF[ \t]+(\S+)/gm);
  const aliased = [...aliases].slice(1).map(([, flags = '']) => flags);
  const numbers = new Map<string, number>();
  const hashes: number[] = [];
  let start = dictionary.indexOf('\n') + 1;
  while (start > 0 && start < dictionary.length) {
    const next = dictionary.indexOf('\n', start);
    const end = next < 0 ? dictionary.length : next;
    const [word, flags] = entryOf(dictionary.slice(start, end));
    let number = numbers.get(flags);
    if (number === undefined) numbers.set(flags, (number = numbers.size % MAX_FLAG_SETS));
    if (word !== '') hashes.push(hashOf(word.toLowerCase()) * MAX_FLAG_SETS + number);
    start = next + 1;
  }
  const endings = endingsIn(affixes);
  return {
    ...{ kind: 'hunspell', endings },
    prefixes: [...new Set([...affixes.matchAll(PREFIX)].map(([, prefix = '']) => prefix))],
    stems: Float64Array.from(hashes).sort(),
    flagSets: [...numbers.keys()].map((flags) => splitFlags(aliased[Number(flags) - 1] ?? flags)),
    longestEnding: Math.max(0, ...[...endings.keys()].map((ending) => ending.length)),
  };
}

/** `word/flags` with a description behind it. */
function entryOf(line: string): [word: string, flags: string] {
  const [entry = ''] = line.split(/[\t\r ]/, 1);
  const slash = entry.indexOf('/', 1);
  return slash < 0 ? [entry, ''] : [entry.slice(0, slash), entry.slice(slash + 1)];
}

function flagSplitter(affixes: string): (flags: string) => string[] {
  const kind = /^FLAG\s+(\S+)/m.exec(affixes)?.[1];
  if (kind === 'num') return (flags) => flags.split(',');
  if (kind === 'long') return (flags) => flags.match(/../gs) ?? [];
  return (flags) => Array.from(flags);
}

function endingsIn(affixes: string): Map<string, Map<string, string[]>> {
  const endings = new Map<string, Map<string, string[]>>();
  for (const line of affixes.split('\n')) {
    const [, flag, strip, append] = SUFFIX.exec(line) ?? [];
    // The line that begins a group has a number in place of an ending.
    if (flag === undefined || strip === undefined || append === undefined) continue;
    if (/^[1-9]\d*$/.test(append)) continue;
    const byStrip = endings.get(zeroless(append)) ?? new Map<string, string[]>();
    const flags = byStrip.get(zeroless(strip)) ?? [];
    if (!flags.includes(flag)) flags.push(flag);
    endings.set(zeroless(append), byStrip.set(zeroless(strip), flags));
  }
  return endings;
}

/** Nothing is written as 0. */
function zeroless(part: string): string {
  return part === '0' ? '' : part;
}

/** Whether a word in lower case is in the dictionary, with an ending or without. */
export function isInHunspell(words: HunspellWords, word: string): boolean {
  if (flagsOf(words, word).length > 0) return true;
  for (let length = 0; length <= Math.min(words.longestEnding, word.length - 1); length++) {
    const rules = words.endings.get(word.slice(word.length - length));
    for (const [strip, allowing] of rules ?? []) {
      const found = flagsOf(words, word.slice(0, word.length - length) + strip);
      if (found.some((flags) => flags.some((flag) => allowing.includes(flag)))) return true;
    }
  }
  return false;
}

/** The flags of each entry of a stem. */
function flagsOf({ stems, flagSets }: HunspellWords, stem: string): (readonly string[])[] {
  const hash = hashOf(stem) * MAX_FLAG_SETS;
  let low = 0;
  let high = stems.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stems[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  const found: (readonly string[])[] = [];
  for (; (stems[low] ?? Infinity) < hash + MAX_FLAG_SETS; low++)
    found.push(flagSets[(stems[low] ?? 0) - hash] ?? []);
  return found;
}

/** 32 bits: of a hundred thousand words, one in 40,000 is taken for one that it is not. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
