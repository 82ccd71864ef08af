/**
 * A dictionary made ready for searching: its entries as one text, their places in arrays of numbers,
 * and hash tables over them. It takes little more memory than its text, and how long a search takes
 * does not depend on how many entries there are.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { writtenLines, startWorkSlices, type WorkSlices } from './entries.ts';
import { createUnitReader, joinHash, type TextUnits, type UnitReader } from './text-units.ts';
import type { DictionaryInfo, GlossaryStore } from '../store.ts';

/** An entry whose source phrase stands in a text, but for capitals. */
export interface FoundEntry {
  /** UTF-16 position where the occurrence ends. */
  end: number;
  source: string;
  target: string;
}

/** What is searched: a text in units, from one of them on. */
interface SearchPlace {
  text: string;
  units: TextUnits;
  /** Number of the unit at which an occurrence must begin. */
  first: number;
}

/** A dictionary that can be searched. */
export interface TermTable {
  readonly sourceLang: LanguageTag;
  readonly targetLang: LanguageTag;
  /** Memory it takes, in bytes, about. */
  readonly sizeBytes: number;
  /**
   * Entries whose phrases begin at a place, shorter ones first. Their capitals may differ from the
   * text's: whoever asks decides whether that will do.
   */
  entriesAt(place: SearchPlace): readonly FoundEntry[];
}

/**
 * Makes a dictionary searchable, giving way to other work every few milliseconds.
 *
 * @param entries checked `source<TAB>target` lines
 */
export async function buildTermTable(
  entries: string,
  { sourceLang, targetLang }: { sourceLang: LanguageTag; targetLang: LanguageTag },
): Promise<TermTable> {
  const reader = createUnitReader(sourceLang);
  const slices = startWorkSlices();
  const read = await readEntries(entries, reader, slices);
  const beginnings = await hashSet(read.beginnings, slices);
  const phrases = await phraseSlots(read.hashes, slices);
  const starts = read.starts.finish();
  const hashes = read.hashes.finish();
  const dictionary = { entries, starts, hashes, phrases, reader };
  const tables = [starts, hashes, phrases, beginnings];
  return {
    sourceLang,
    targetLang,
    sizeBytes: tables.reduce((sum, { byteLength }) => sum + byteLength, 2 * entries.length),
    entriesAt(place) {
      const { text, units, first } = place;
      const start = units.starts[first] ?? 0;
      let found = NONE;
      // The blank before an occurrence is no part of it.
      let hash = joinHash(0, units.hashes[first] ?? 0, false);
      let beginning = 0;
      for (let unit = first; ;) {
        const end = units.ends[unit] ?? 0;
        found = lookUp(dictionary, found, text, start, end, hash);
        if (isHangul(text, end - 1)) {
          found = lookUpStems(dictionary, found, { ...place, unit, beginning });
        }
        unit += 1;
        if (unit >= units.count || !hasHash(beginnings, hash)) return found;
        beginning = hash;
        hash = joinHash(hash, units.hashes[unit] ?? 0, units.spaced[unit] ?? false);
      }
    },
  };
}

interface ReadEntries {
  /** UTF-16 position of every entry. */
  starts: NumberList;
  /** Hash of every source phrase. */
  hashes: NumberList;
  /** Hashes of what phrases of several units begin with. */
  beginnings: NumberList;
}

async function readEntries(
  entries: string,
  reader: UnitReader,
  slices: WorkSlices,
): Promise<ReadEntries> {
  const read = {
    starts: new NumberList(),
    hashes: new NumberList(),
    beginnings: new NumberList(),
  };
  for (const { start, tab } of writtenLines(entries)) {
    if (slices.over()) await slices.next();
    const units = reader.read(entries, start, tab);
    let hash = 0;
    for (let unit = 0; unit < units.count; unit += 1) {
      if (unit > 0) read.beginnings.push(hash);
      hash = joinHash(hash, units.hashes[unit] ?? 0, units.spaced[unit] ?? false);
    }
    read.starts.push(start);
    read.hashes.push(hash);
  }
  return read;
}

async function hashSet(hashes: NumberList, slices: WorkSlices): Promise<Uint32Array> {
  const slots = emptySlots(hashes.length);
  for (let index = 0; index < hashes.length; index += 1) {
    if (slices.over()) await slices.next();
    addHash(slots, hashes.at(index));
  }
  return slots;
}

/** Slots that hold the numbers of entries, from 1, each found by the hash of its source phrase. */
async function phraseSlots(hashes: NumberList, slices: WorkSlices): Promise<Uint32Array> {
  const slots = emptySlots(hashes.length);
  for (let index = 0; index < hashes.length; index += 1) {
    if (slices.over()) await slices.next();
    let slot = slotOf(slots, hashes.at(index));
    while (slots[slot] !== 0) slot = nextSlot(slots, slot);
    slots[slot] = index + 1;
  }
  return slots;
}

interface Dictionary {
  entries: string;
  starts: Uint32Array;
  hashes: Uint32Array;
  phrases: Uint32Array;
  reader: UnitReader;
}

/** Nearly every search ends with it; so it is not made anew. */
const NONE: readonly FoundEntry[] = [];

/** Adds the entries that have this hash and this key, in the order of the dictionary. */
function lookUp(
  { entries, starts, hashes, phrases, reader }: Dictionary,
  found: readonly FoundEntry[],
  text: string,
  start: number,
  end: number,
  hash: number,
): readonly FoundEntry[] {
  let key: string | undefined;
  for (let slot = slotOf(phrases, hash); ; slot = nextSlot(phrases, slot)) {
    const number = phrases[slot] ?? 0;
    if (number === 0) return found;
    if (hashes[number - 1] !== hash >>> 0) continue;
    const lineStart = starts[number - 1] ?? 0;
    const tab = entries.indexOf('\t', lineStart);
    const source = entries.slice(lineStart, tab);
    key ??= reader.key(text.slice(start, end));
    if (reader.key(source) !== key) continue;
    const lineEnd = entries.indexOf('\n', tab);
    const target = entries.slice(tab + 1, lineEnd < 0 ? entries.length : lineEnd);
    found = [...found, { end, source, target }];
  }
}

/**
 * Particles that Korean writes onto the end of a noun: `데이터를` is `데이터` with one. Where both a
 * word and its stem are entries the word wins, for it is longer.
 */
const PARTICLES =
  '은 는 이 가 을 를 의 에 도 만 와 과 로 으로 나 이나 에서 에게 께서 까지 부터 보다 처럼 라도'.split(
    ' ',
  );
const HANGUL = /\p{sc=Hangul}/u;

function isHangul(text: string, position: number): boolean {
  return text.charCodeAt(position) >= 0x1100 && HANGUL.test(text.charAt(position));
}

/** Adds the entries whose last word stands in the text with a particle. */
function lookUpStems(
  dictionary: Dictionary,
  found: readonly FoundEntry[],
  { text, units, first, unit, beginning }: SearchPlace & { unit: number; beginning: number },
): readonly FoundEntry[] {
  const end = units.ends[unit] ?? 0;
  const unitStart = units.starts[unit] ?? 0;
  const start = units.starts[first] ?? 0;
  const isSpaced = unit > first && (units.spaced[unit] ?? false);
  for (const particle of PARTICLES) {
    const stemEnd = end - particle.length;
    if (stemEnd <= unitStart || !text.startsWith(particle, stemEnd)) continue;
    const hash = joinHash(beginning, dictionary.reader.hashOf(text, unitStart, stemEnd), isSpaced);
    found = lookUp(dictionary, found, text, start, stemEnd, hash);
  }
  return found;
}

// Sets and lists of numbers that stay small and fast however many there are.

/** A list of 32-bit numbers that grows by copying, which is quick. */
class NumberList {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** The numbers in an array that is no longer than they are. */
  finish(): Uint32Array {
    return this.#values.slice(0, this.#length);
  }
}

/**
 * Slots for a table of so many items, a power of two that leaves at least a third of them empty: then
 * a search looks at two or three.
 */
function emptySlots(itemCount: number): Uint32Array {
  return new Uint32Array(2 ** Math.ceil(Math.log2(itemCount * 1.5 + 1)));
}

/** The first slot to look at for a hash. */
function slotOf(slots: Uint32Array, hash: number): number {
  return (hash ^ (hash >>> 16)) & (slots.length - 1);
}

/** The slot after another one. */
function nextSlot(slots: Uint32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}

/** Adds a hash to a set of hashes; an empty slot is 0, and so 0 is kept as 1. */
function addHash(slots: Uint32Array, hash: number): void {
  const kept = hash >>> 0 || 1;
  let slot = slotOf(slots, kept);
  while (slots[slot] !== 0) {
    if (slots[slot] === kept) return;
    slot = nextSlot(slots, slot);
  }
  slots[slot] = kept;
}

/** Whether a hash is in a set of hashes. */
function hasHash(slots: Uint32Array, hash: number): boolean {
  const kept = hash >>> 0 || 1;
  for (let slot = slotOf(slots, kept); slots[slot] !== 0; slot = nextSlot(slots, slot)) {
    if (slots[slot] === kept) return true;
  }
  return false;
}

// Dictionaries ready to be searched, as many as there is room for.

interface GlossaryTables {
  /** The table of a dictionary; undefined when the dictionary has gone meanwhile. */
  of(accountId: string, glossaryId: string, info: DictionaryInfo): Promise<TermTable | undefined>;
}

/**
 * Keeps tables by the revision of their dictionary, which changes with every write: none is ever
 * stale. Each is built once, however many ask for it at the same time.
 *
 * @param options.cacheBytes memory for all together; the ones not used for longest make way, and the
 *   one used last is kept even if it is larger
 */
export function createGlossaryTables({
  glossaries,
  cacheBytes,
}: {
  glossaries: Pick<GlossaryStore, 'entries'>;
  cacheBytes: number;
}): GlossaryTables {
  /** In the order of their last use. */
  const tables = new Map<string, TermTable>();
  const building = new Map<string, Promise<TermTable | undefined>>();
  let sizeBytes = 0;

  function keep(revision: string, table: TermTable): void {
    if (tables.delete(revision)) sizeBytes -= table.sizeBytes;
    tables.set(revision, table);
    sizeBytes += table.sizeBytes;
    for (const [oldest, { sizeBytes: freedBytes }] of tables) {
      if (sizeBytes <= cacheBytes || oldest === revision) return;
      tables.delete(oldest);
      sizeBytes -= freedBytes;
    }
  }

  async function build(accountId: string, glossaryId: string, info: DictionaryInfo) {
    const dictionary = await glossaries.entries(accountId, glossaryId, info);
    if (dictionary === undefined) return undefined;
    const table = await buildTermTable(dictionary.entries, info);
    // It may have been changed since its revision was looked up.
    keep(dictionary.revision, table);
    return table;
  }

  return {
    async of(accountId, glossaryId, info) {
      const ready = tables.get(info.revision);
      if (ready !== undefined) {
        keep(info.revision, ready);
        return ready;
      }
      const begun = building.get(info.revision);
      if (begun !== undefined) return begun;
      const work = build(accountId, glossaryId, info);
      building.set(info.revision, work);
      try {
        return await work;
      } finally {
        building.delete(info.revision);
      }
    },
  };
}
