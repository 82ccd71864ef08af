/**
 * Units by which phrases are compared: words, single characters of scripts without spaces between words, and
 * single other characters. A phrase occurs where its units do, so `art` is not in `party`, `l'ordinateur`
 * contains `ordinateur`, and a line break between two words equals a space.
 */
import type { LanguageTag } from '../../../shared/language.ts';

/** The units of one text. Every {@link UnitReader.read} reuses the same object. */
export interface TextUnits {
  count: number;
  /** UTF-16 positions in the text. */
  starts: number[];
  ends: number[];
  /** Hashes of the units in lower case. */
  hashes: number[];
  /** Whether whitespace precedes the unit. */
  spaced: boolean[];
}

/** Splits texts into units, in the same way for phrases and for the texts that are searched. */
export interface UnitReader {
  /** Returns the units of `text` between two positions; valid until the next call. */
  read(text: string, start: number, end: number): TextUnits;
  /** Returns the form in which spellings are compared: single spaces, straight quotes, lower case. */
  key(phrase: string): string;
  /** As {@link UnitReader.key}, with the case preserved. */
  spelling(phrase: string): string;
  /** Returns the hash of a unit between two positions. */
  hashOf(text: string, start: number, end: number): number;
}

const WORD = 1;
const BLANK = 2;
/** A character that is a unit of its own, whatever its neighbours. */
const ALONE = 3;

/** Combining characters stay with their base character; joiners and `_` join words. */
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}\u200c\u200d_]/u;
const MARK = /\p{M}/u;
const BLANK_CHARACTER = /\p{White_Space}/u;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const classes = new Uint8Array(0x10000);

/** Returns the class of the character at a position; surrogate pairs are not cached. */
function classAt(text: string, position: number): number {
  const unit = text.charCodeAt(position);
  if ((unit & 0xf800) === 0xd800)
    return classify(String.fromCodePoint(text.codePointAt(position) ?? 0));
  return (classes[unit] ||= classify(String.fromCharCode(unit)));
}

function classify(character: string): number {
  if (BLANK_CHARACTER.test(character)) return BLANK;
  if (!WORD_CHARACTER.test(character)) return ALONE;
  return UNSPACED.test(character) ? ALONE : WORD;
}

function widthAt(text: string, position: number): number {
  const isPair = (text.charCodeAt(position) & 0xfc00) === 0xd800 && position + 1 < text.length;
  return isPair && (text.charCodeAt(position + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}

/** @param language determines the rules of upper and lower case */
export function createUnitReader(language: LanguageTag): UnitReader {
  const units: TextUnits = { count: 0, starts: [], ends: [], hashes: [], spaced: [] };
  const casing = casingOf(language);
  const spelling = (phrase: string) => (isSimple(phrase) ? phrase : normalise(phrase));
  const hashOf = (text: string, start: number, end: number) => hashUnit(text, start, end, casing);
  return {
    read(text, start, end) {
      let count = 0;
      let hasBlankBefore = false;
      for (let at = start; at < end;) {
        const kind = classAt(text, at);
        if (kind === BLANK) {
          hasBlankBefore = count > 0;
          at += widthAt(text, at);
          continue;
        }
        const unitEnd =
          kind === WORD ? endOfWord(text, at, end) : endOfLoneCharacter(text, at, end);
        units.starts[count] = at;
        units.ends[count] = unitEnd;
        units.hashes[count] = hashOf(text, at, unitEnd);
        units.spaced[count] = hasBlankBefore;
        count += 1;
        hasBlankBefore = false;
        at = unitEnd;
      }
      units.count = count;
      return units;
    },
    hashOf,
    spelling,
    key: (phrase) => casing.lower(spelling(phrase)),
  };
}

/** Lower-casing in a language. */
interface Casing {
  lower(text: string): string;
  /** Turkish and Azerbaijani have two letters i, each with its own capital. */
  hasDotlessI: boolean;
}

function casingOf(language: LanguageTag): Casing {
  const hasDotlessI = language === 'tr' || language === 'az';
  if (!hasDotlessI) return { hasDotlessI, lower: (text) => text.toLowerCase() };
  return { hasDotlessI, lower: (text) => text.toLocaleLowerCase(language) };
}

function endOfWord(text: string, start: number, limit: number): number {
  let end = start;
  for (;;) {
    while (end < limit && classAt(text, end) === WORD) end += widthAt(text, end);
    if (isInsideNumber(text, end, limit)) end += 1;
    else if (isNegation(text, end, limit)) return end + 2;
    else return end;
  }
}

/** Keeps `3.5` one unit, so that an entry `3` does not match in it. */
function isInsideNumber(text: string, at: number, limit: number): boolean {
  const unit = text.charCodeAt(at);
  if ((unit !== 0x2e && unit !== 0x2c) || at + 1 >= limit) return false;
  return isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
}

/** Keeps `can't` one unit, so that an entry `can` does not match in it. */
function isNegation(text: string, at: number, limit: number): boolean {
  if (!isApostrophe(text.charCodeAt(at)) || at + 1 >= limit) return false;
  if ((text.charCodeAt(at - 1) | 0x20) !== 0x6e || (text.charCodeAt(at + 1) | 0x20) !== 0x74) {
    return false;
  }
  return at + 2 >= limit || classAt(text, at + 2) !== WORD;
}

/** Returns the end of a character with its combining marks, such as Thai vowels and variation selectors. */
function endOfLoneCharacter(text: string, start: number, limit: number): number {
  let end = start + widthAt(text, start);
  while (end < limit && text.charCodeAt(end) > 0x02ff && MARK.test(text.charAt(end))) end += 1;
  return end;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x2019;
}

const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;

/** Whether a phrase needs no normalisation: ASCII with single spaces. */
function isSimple(phrase: string): boolean {
  return SIMPLE.test(phrase);
}

function normalise(phrase: string): string {
  return phrase
    .normalize('NFC')
    .replace(/[’ʼ]/gu, "'")
    .replace(/[‐‑]/gu, '-')
    .replace(/\p{White_Space}+/gu, ' ');
}

/** Differs in every process, so that nobody can craft phrases with colliding hashes. */
const SEED = (Math.random() * 0x1_0000_0000) | 0;

/** Hashes a unit in its {@link UnitReader.key} form; ASCII needs no string for that. */
function hashUnit(text: string, start: number, end: number, casing: Casing): number {
  let hash = SEED;
  for (let at = start; at < end; at += 1) {
    let unit = text.charCodeAt(at);
    if (unit > 0x7e || (casing.hasDotlessI && unit === 0x49)) {
      return hashString(casing.lower(normalise(text.slice(start, end))));
    }
    if (unit >= 0x41 && unit <= 0x5a) unit |= 0x20;
    hash = mix(hash, unit);
  }
  return hash;
}

function hashString(text: string): number {
  let hash = SEED;
  for (let at = 0; at < text.length; at += 1) hash = mix(hash, text.charCodeAt(at));
  return hash;
}

/** Turns the hash of a unit into that of the same unit after a space. */
const AFTER_BLANK = 0x5bd1e995;

/** Appends a unit to the hash of the preceding units of a phrase; `before` is 0 for the first one. */
export function joinHash(before: number, unit: number, isSpaced: boolean): number {
  return mix(before, isSpaced ? unit ^ AFTER_BLANK : unit);
}

/** Mixes a value into a 32-bit hash. */
function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
