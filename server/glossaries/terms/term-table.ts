/**
 * A dictionary prepared for searching: its entries as one text, their positions in typed arrays, and hash
 * tables over them. It takes little more memory than its text, and the time of a search does not depend on
 * the number of entries.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { writtenLines, startWorkSlices, type WorkSlices } from './entries.ts';
import { createUnitReader, joinHash, type TextUnits, type UnitReader } from './text-units.ts';
import type { DictionaryInfo, GlossaryStore } from '../store.ts';

/** An entry whose source phrase occurs in a text, capitals aside. */
export interface FoundEntry {
  /** UTF-16 position where the occurrence ends. */
  end: number;
  source: string;
  target: string;
}

/** A position in a text that has been split into units. */
interface SearchPlace {
  text: string;
  units: TextUnits;
  /** Index of the unit at which an occurrence must begin. */
  first: number;
}

/** A searchable dictionary. */
export interface TermTable {
  readonly sourceLang: LanguageTag;
  readonly targetLang: LanguageTag;
  /** Approximate memory use, in bytes. */
  readonly sizeBytes: number;
  /**
   * Returns entries whose phrases begin at a place, shorter ones first. Their capitals may differ from the
   * text's; the caller decides whether they match.
   */
  entriesAt(place: SearchPlace): readonly FoundEntry[];
}

/**
 * Makes a dictionary searchable, yielding to other work every few milliseconds.
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
      // The space before an occurrence is not part of it.
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
  /** UTF-16 position of each entry. */
  starts: NumberList;
  /** Hash of each source phrase. */
  hashes: NumberList;
  /** Hashes of the proper prefixes of phrases with several units. */
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

/** Builds a hash table that maps source phrases to 1-based entry numbers. */
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

/** Shared, as nearly every search returns it. */
const NONE: readonly FoundEntry[] = [];

/** Adds the entries with this hash and key, in the order of the dictionary. */
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
 * Particles that Korean attaches to a noun: `데이터를` is `데이터` with one. If both a word and its stem are
 * entries, the word wins, as it is longer.
 */
const PARTICLES =
  '은 는 이 가 을 를 의 에 도 만 와 과 로 으로 나 이나 에서 에게 께서 까지 부터 보다 처럼 라도'.split(
    ' ',
  );
const HANGUL = /\p{sc=Hangul}/u;

function isHangul(text: string, position: number): boolean {
  return text.charCodeAt(position) >= 0x1100 && HANGUL.test(text.charAt(position));
}

/** Adds the entries whose last word occurs in the text with a particle. */
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

// Sets and lists of numbers that stay compact and fast at any size.

/** A list of 32-bit numbers that grows by copying, which is fast. */
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

  /** Returns the numbers in an array of exactly their length. */
  finish(): Uint32Array {
    return this.#values.slice(0, this.#length);
  }
}

/**
 * Creates the slots of a hash table: a power of two that leaves at least a third of them empty, so that a
 * search looks at two or three.
 */
function emptySlots(itemCount: number): Uint32Array {
  return new Uint32Array(2 ** Math.ceil(Math.log2(itemCount * 1.5 + 1)));
}

/** Returns the first slot to probe for a hash. */
function slotOf(slots: Uint32Array, hash: number): number {
  return (hash ^ (hash >>> 16)) & (slots.length - 1);
}

function nextSlot(slots: Uint32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}

/** Adds a hash to a set. An empty slot is 0, so a hash of 0 is stored as 1. */
function addHash(slots: Uint32Array, hash: number): void {
  const kept = hash >>> 0 || 1;
  let slot = slotOf(slots, kept);
  while (slots[slot] !== 0) {
    if (slots[slot] === kept) return;
    slot = nextSlot(slots, slot);
  }
  slots[slot] = kept;
}

/** Whether a hash is in a set. */
function hasHash(slots: Uint32Array, hash: number): boolean {
  const kept = hash >>> 0 || 1;
  for (let slot = slotOf(slots, kept); slots[slot] !== 0; slot = nextSlot(slots, slot)) {
    if (slots[slot] === kept) return true;
  }
  return false;
}

// Cache of searchable dictionaries.

interface GlossaryTables {
  /** Returns the table of a dictionary; undefined if the dictionary has been deleted meanwhile. */
  of(accountId: string, glossaryId: string, info: DictionaryInfo): Promise<TermTable | undefined>;
}

/**
 * Caches tables by the revision of their dictionary, which changes with every write, so no table is ever
 * stale. Concurrent requests share one build.
 *
 * @param options.cacheBytes memory limit in total; the least recently used tables are evicted, but the last
 *   one is kept even if it is larger
 */
export function createGlossaryTables({
  glossaries,
  cacheBytes,
}: {
  glossaries: Pick<GlossaryStore, 'entries'>;
  cacheBytes: number;
}): GlossaryTables {
  /** In order of last use. */
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
    // The dictionary may have changed since its revision was read.
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
