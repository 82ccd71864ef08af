/** Word lookup in a dictionary compiled by Apertium or in a Hunspell dictionary. */

// Apertium's format (`*.automorf.bin`): a letter transducer, which is traversed with a word to see whether it
// reaches a final state.

/** The transducer. The transitions of a state are contiguous; those that consume no input have letter 0. */
export interface AnalyserWords {
  kind: 'analyser';
  initial: number;
  /** Index of the first transition of each state, with one additional entry at the end. */
  first: Uint32Array;
  letters: Uint16Array;
  targets: Uint32Array;
  /** 1 for states in which a word may end. */
  finals: Uint8Array;
}

/** Words and numbers with blanks and punctuation are in other sections. */
const WORDS_SECTION = 'main@standard';
/** Limit of steps per word, since a transducer may contain cycles. */
const MAX_STEPS = 4_000;

/** @returns undefined for a file in another format */
export function readAnalyser(file: Uint8Array): AnalyserWords | undefined {
  const reader = new Reader(file);
  if (!reader.skipHeader('LTTB')) return undefined;
  for (let letters = reader.number(); letters > 0; letters--) reader.number();
  const tags = reader.number();
  for (let i = 0; i < tags; i++) reader.text();
  // The input symbol of each pair; negative for tags.
  const pairs = Array.from({ length: reader.number() }, () => {
    const read = reader.number() - tags;
    reader.number();
    return read;
  });
  for (let sections = reader.number(); sections > 0; sections--) {
    const isWords = reader.text() === WORDS_SECTION;
    const network = readNetwork(reader, pairs);
    if (isWords) return network;
  }
  return undefined;
}

function readNetwork(reader: Reader, pairs: readonly number[]): AnalyserWords {
  const hasWeights = reader.skipHeader('LTTD') && reader.features !== 0;
  const skipWeight = () => {
    // Mantissa and exponent.
    for (let left = hasWeights ? 2 : 0; left > 0; left--) reader.skipLongNumber();
  };
  const initial = reader.number();
  const ends = Array.from({ length: reader.number() }, () => {
    const step = reader.number();
    skipWeight();
    return step;
  });
  const states = reader.number();
  const finals = new Uint8Array(states);
  let end = 0;
  for (const step of ends) finals[(end += step)] = 1;
  const first = new Uint32Array(states + 1);
  const letters: number[] = [];
  const targets: number[] = [];
  for (let state = 0; state < states; state++) {
    first[state] = letters.length;
    let pair = 0;
    for (let left = reader.number(); left > 0; left--) {
      pair += reader.number();
      const target = (state + reader.number()) % states;
      skipWeight();
      const read = pairs[pair] ?? -1;
      if (read < 0) continue;
      letters.push(lowerCase(read));
      targets.push(target);
    }
  }
  first[states] = letters.length;
  return {
    kind: 'analyser',
    initial,
    first,
    finals,
    letters: Uint16Array.from(letters),
    targets: Uint32Array.from(targets),
  };
}

/** Names match in any capitalisation. */
function lowerCase(codePoint: number): number {
  return String.fromCodePoint(codePoint).toLowerCase().charCodeAt(0);
}

/** Whether the transducer accepts a lower-case word. */
export function isInAnalyser(network: AnalyserWords, word: string): boolean {
  const { first, letters, targets, finals } = network;
  let steps = 0;
  const walk = (state: number, at: number): boolean => {
    if (at === word.length && finals[state] === 1) return true;
    if (++steps > MAX_STEPS) return false;
    const wanted = word.charCodeAt(at);
    for (let i = first[state] ?? 0; i < (first[state + 1] ?? 0); i++) {
      const letter = letters[i];
      if (letter === 0 && walk(targets[i] ?? 0, at)) return true;
      if (letter === wanted && walk(targets[i] ?? 0, at + 1)) return true;
    }
    return false;
  };
  return walk(network.initial, 0);
}

/**
 * Reads numbers of one to four bytes; the two highest bits of the first byte give the number of further
 * bytes.
 */
class Reader {
  readonly #file: Uint8Array;
  #at = 0;
  /** Format features from the last header; 0 is the plain format. */
  features = 0;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  /** @returns whether the file has such a header at this position */
  skipHeader(mark: string): boolean {
    const found = String.fromCharCode(...this.#file.subarray(this.#at, this.#at + mark.length));
    if (found !== mark) return false;
    this.#at += mark.length;
    this.features = Math.max(...this.#file.subarray(this.#at, this.#at + 8));
    this.#at += 8;
    return true;
  }

  /** @throws RangeError at the end of the file */
  number(): number {
    const head = this.#byte();
    let value = head & 0x3f;
    for (let more = head >> 6; more > 0; more--) value = value * 256 + this.#byte();
    return value;
  }

  /** Skips a number whose lower bits are stored separately when it is large. */
  skipLongNumber(): void {
    if ((this.number() & 0x04000000) !== 0) this.number();
  }

  text(): string {
    return String.fromCodePoint(...Array.from({ length: this.number() }, () => this.number()));
  }

  #byte(): number {
    const byte = this.#file[this.#at++];
    if (byte === undefined) throw new RangeError('The file ends too early.');
    return byte;
  }
}

// Hunspell's format: stems and the endings they take. Read directly, because the hunspell program would
// search for suggestions for every foreign word.

export interface HunspellWords {
  kind: 'hunspell';
  /** Sorted entries, one per stem: its hash times {@link MAX_FLAG_SETS}, plus the index of its flags. */
  stems: Float64Array;
  flagSets: readonly (readonly string[])[];
  /** Flags that permit an ending, by the text appended and then by the text stripped from the stem. */
  endings: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  longestEnding: number;
  /** Prefixes of stems. */
  prefixes: readonly string[];
}

const MAX_FLAG_SETS = 65_536;
const PREFIX = /^PFX[ \t]+\S+[ \t]+0[ \t]+([^\s/\d]+)/gm;
const SUFFIX = /^SFX\s+(\S+)\s+(\S+)\s+([^\s/]+)(?:\/\S*)?/;

/**
 * A capitalised entry is a name or an abbreviation (`Fri`, `Morgen`), except in languages that capitalise
 * nouns.
 */
const NAME = /^\p{Lu}/u;

/**
 * Reads a Hunspell dictionary.
 *
 * @param dictionary text of the `.dic` file
 * @param affixes text of the `.aff` file
 * @param options.hasNames whether names count as words: in German they look like nouns
 */
export function readHunspell(
  dictionary: string,
  affixes: string,
  { hasNames = true }: { hasNames?: boolean } = {},
): HunspellWords {
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
    const isWord = word !== '' && (hasNames || !NAME.test(word));
    if (isWord) hashes.push(hashOf(word.toLowerCase()) * MAX_FLAG_SETS + number);
    start = next + 1;
  }
  const endings = endingsIn(affixes);
  return {
    kind: 'hunspell',
    endings,
    prefixes: [...new Set([...affixes.matchAll(PREFIX)].map(([, prefix = '']) => prefix))],
    stems: Float64Array.from(hashes).sort(),
    flagSets: [...numbers.keys()].map((flags) => splitFlags(aliased[Number(flags) - 1] ?? flags)),
    longestEnding: Math.max(0, ...[...endings.keys()].map((ending) => ending.length)),
  };
}

/** Parses `word/flags` with an optional description after it. */
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
    // The header line of a group has a number in place of an ending.
    if (flag === undefined || strip === undefined || append === undefined) continue;
    if (/^[1-9]\d*$/.test(append)) continue;
    const byStrip = endings.get(zeroless(append)) ?? new Map<string, string[]>();
    const flags = byStrip.get(zeroless(strip)) ?? [];
    if (!flags.includes(flag)) flags.push(flag);
    endings.set(zeroless(append), byStrip.set(zeroless(strip), flags));
  }
  return endings;
}

/** Returns the empty string for `0`, which Hunspell writes for it. */
function zeroless(part: string): string {
  return part === '0' ? '' : part;
}

/** Whether the dictionary contains a lower-case word, with or without an ending. */
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

/** Returns the flags of each entry of a stem. */
function flagsOf({ stems, flagSets }: HunspellWords, stem: string): (readonly string[])[] {
  const hash = hashOf(stem) * MAX_FLAG_SETS;
  const found: (readonly string[])[] = [];
  for (let at = firstFrom(stems, hash); (stems[at] ?? Infinity) < hash + MAX_FLAG_SETS; at++)
    found.push(flagSets[(stems[at] ?? 0) - hash] ?? []);
  return found;
}

// Compact word lists: sorted numbers whose highest bits are a word's hash.

/**
 * Returns a 32-bit hash: in a list of a hundred thousand words, one unknown word in 40,000 is mistaken for a
 * listed one.
 */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/**
 * Binary search: returns the index of the first number that is at least `least`; the length when there is
 * none.
 */
export function firstFrom(sorted: Float64Array | Uint32Array, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
