/**
 * The words of a compiled dictionary of Apertium (`*.automorf.bin`): a network of letters that is
 * walked with a word to see whether it ends anywhere.
 */

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
    ...{ kind: 'analyser', initial, first, finals },
    ...{ letters: Uint16Array.from(letters), targets: Uint32Array.from(targets) },
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
