/** Whether a word is in a dictionary: in one that Apertium has compiled, or in one of Hunspell. */

// Apertium's (`*.automorf.bin`): a network of letters that is walked with a word to see whether it
// ends anywhere.

/** The network: the transitions of a state stand together, those that read nothing have letter 0. */
export interface AnalyserWords {
  kind: 'analyser';
  initial: number;
  /** Where the transitions of a state begin; one more than there are states. */
  first: Uint32Array;
  letters: Uint16Array;
  targets: Uint32Array;
  /** 1 for states in which a word may end. */
  finals: Uint8Array;
}

/** Words and numbers with blanks and marks are in sections of their own. */
const WORDS_SECTION = 'main@standard';
/** No word takes so many steps: networks with circles would take for ever. */
const MAX_STEPS = 4_000;

/** @returns undefined for a file of another make */
export function readAnalyser(file: Uint8Array): AnalyserWords | undefined {
  const reader = new Reader(file);
  if (!reader.skipHeader('LTTB')) return undefined;
  for (let letters = reader.number(); letters > 0; letters--) reader.number();
  const tags = reader.number();
  for (let i = 0; i < tags; i++) reader.text();
  // Of each pair of symbols, the one that is read; below 0 it is a tag.
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

/** Names are words here, however they are written. */
function lowerCase(codePoint: number): number {
  return String.fromCodePoint(codePoint).toLowerCase().charCodeAt(0);
}

/** Whether a word in lower case is in the network. */
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

/** Reads numbers of one to four bytes; the two highest bits of the first say how many. */
class Reader {
  readonly #file: Uint8Array;
  #at = 0;
  /** What the header that was read last says of the format: 0 is the plain one. */
  features = 0;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  /** @returns whether there was such a header */
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

  /** A number of which the lower bits stand by themselves where it has too many. */
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

// The words of a Hunspell dictionary: stems, and the endings that they take. Read without its
// program, which would look for suggestions for every word of another language.

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

/** What begins with a capital is a name or an abbreviation (`Fri`, `Morgen`), but where nouns do. */
const NAME = /^\p{Lu}/u;

/**
 * @param dictionary text of the `.dic` file
 * @param affixes of the `.aff` file
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
  const found: (readonly string[])[] = [];
  for (let at = firstFrom(stems, hash); (stems[at] ?? Infinity) < hash + MAX_FLAG_SETS; at++)
    found.push(flagSets[(stems[at] ?? 0) - hash] ?? []);
  return found;
}

// Lists of words in little memory: sorted numbers, of which the highest bits are a word's hash.

/** 32 bits: of a hundred thousand words, one in 40,000 is taken for one that it is not. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Where the first of sorted numbers stands that is not below another; their count where all are. */
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
