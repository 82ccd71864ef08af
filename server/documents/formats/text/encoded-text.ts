/** Encodings of text files: detects the encoding of the bytes, and writes changed text in it. */
import { type LanguageTag, baseLanguage } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import { DocumentError } from '../format.ts';

export interface EncodedText {
  /** The text without its byte order mark. */
  text: string;
  /** Name of the encoding, as on the Web. */
  encoding: string;
  /**
   * Encodes a text in the encoding of the file, with its byte order mark. Unchanged text gives the
   * original bytes.
   *
   * @param options.instead writes a character that the encoding lacks; without it, or where it
   *   returns undefined, the whole text becomes UTF-8 with a byte order mark
   */
  encode(text: string, instead?: (character: string) => string): Uint8Array;
}

const UTF8_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Decodes a text file. A byte order mark determines the encoding; otherwise it is UTF-8 if the bytes
 * are valid UTF-8, or else the first that fits: `declared`, the usual one for `language`, windows-1252.
 *
 * @throws DocumentError for bytes that are not text
 */
export function decodeText(
  file: Uint8Array,
  { language, declared }: { language: LanguageTag | undefined; declared?: string | undefined },
): EncodedText {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const found =
    utf16(bytes) ??
    // For pure ASCII the declared encoding comes first, so that it applies to letters of the translation.
    (isAscii(bytes) ? legacy(bytes, declared) : undefined) ??
    utf8(bytes) ??
    declaredEncoding(bytes, declared) ??
    legacy(bytes, usualEncoding(language)) ??
    legacy(bytes, 'windows-1252');
  // ISO-2022 passes for ASCII, as its escape sequences are ASCII control characters; it is refused here.
  if (found === undefined || /\0|\x1b[$(]/.test(found.text)) throw noText();
  return found;
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function utf8(bytes: Buffer): EncodedText | undefined {
  const hasMark = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK);
  const body = hasMark ? bytes.subarray(UTF8_MARK.length) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { text, encoding: 'utf-8', encode: (written) => inUtf8(written, hasMark) };
  } catch {
    return undefined;
  }
}

function inUtf8(text: string, hasMark: boolean): Uint8Array {
  const body = Buffer.from(text, 'utf8');
  return hasMark ? Buffer.concat([UTF8_MARK, body]) : body;
}

function utf16(bytes: Buffer): EncodedText | undefined {
  const mark = bytes.length >= 2 ? bytes.readUInt16LE(0) : 0;
  if (mark !== 0xfeff && mark !== 0xfffe) return undefined;
  if (bytes.length % 2 !== 0) throw noText();
  const isLittle = mark === 0xfeff;
  const swapped = (from: Buffer) => (isLittle ? from : Buffer.from(from).swap16());
  return {
    text: swapped(bytes).toString('utf16le', 2),
    encoding: isLittle ? 'utf-16le' : 'utf-16be',
    encode: (text) => swapped(Buffer.from(`\ufeff${text}`, 'utf16le')),
  };
}

function legacy(bytes: Buffer, label: string | undefined): EncodedText | undefined {
  const encoding = label === undefined ? undefined : legacyEncoding(label);
  if (label === undefined || encoding === undefined) return undefined;
  const text = encoding.decode(bytes);
  const encode: EncodedText['encode'] = (written, instead) =>
    inLegacy(written, encoding, instead) ?? inUtf8(written, true);
  // If encoding the text does not reproduce the bytes, the file is in another encoding.
  const isSame = !text.includes('\ufffd') && bytes.equals(encode(text));
  return isSame ? { text, encoding: label.toLowerCase(), encode } : undefined;
}

/** Reads bytes in the declared encoding. Browsers read GBK with the codes that GB 18030 adds to it. */
function declaredEncoding(bytes: Buffer, declared: string | undefined): EncodedText | undefined {
  const isGbk = declared !== undefined && nameOf(declared) === 'gbk';
  return legacy(bytes, declared) ?? (isGbk ? legacy(bytes, 'gb18030') : undefined);
}

function inLegacy(
  text: string,
  encoding: LegacyEncoding,
  instead?: (character: string) => string,
): Uint8Array | undefined {
  const bytes = Buffer.allocUnsafe(text.length * (instead === undefined ? 4 : 12));
  let at = 0;
  const put = (code: number): void => {
    at = putCode(bytes, at, code);
  };
  for (const character of text) {
    const code = character <= '\x7f' ? character.charCodeAt(0) : encoding.codeOf(character);
    if (code !== undefined) put(code);
    else if (instead === undefined) return undefined;
    else for (const letter of instead(character)) put(letter.charCodeAt(0));
  }
  return bytes.subarray(0, at);
}

function noText(): DocumentError {
  return new DocumentError('The file is not a text file. Save it as plain text, in UTF-8.');
}

// Legacy encodings, as browsers know them (WHATWG Encoding Standard).

/** A legacy encoding, with one to four bytes for each character. */
interface LegacyEncoding {
  decode(bytes: Uint8Array): string;
  /** Returns the bytes of a character as one number; undefined when the encoding lacks it. */
  codeOf(character: string): number | undefined;
}

/** Writes the bytes of a code, the first one first. @returns the index after them */
export function putCode(bytes: Uint8Array | number[], at: number, code: number): number {
  const next = code > 0xff ? putCode(bytes, at, Math.floor(code / 256)) : at;
  bytes[next] = code & 0xff;
  return next + 1;
}

/** Encodings that Windows programs used for each language. */
const usual: readonly [encoding: string, languages: string][] = [
  ['windows-1250', 'bs cs hr hu pl ro sk sl sq'],
  ['windows-1251', 'be bg kk ky mk mn ru sr tg tt uk uz'],
  ['windows-1253', 'el'],
  ['windows-1254', 'az tr'],
  ['windows-1255', 'he yi'],
  ['windows-1256', 'ar fa ps ur'],
  ['windows-1257', 'et lt lv'],
  ['windows-1258', 'vi'],
  ['windows-874', 'th'],
  ['shift_jis', 'ja'],
  ['euc-kr', 'ko'],
  ['gb18030', 'zh'],
];

/** Returns the most likely encoding of a text in a language, without any other evidence. */
function usualEncoding(language: LanguageTag | undefined): string {
  if (language === 'zh-Hant' || language === 'zh-TW' || language === 'zh-HK') return 'big5';
  const base = baseLanguage(language ?? '');
  return usual.find(([, languages]) => languages.split(' ').includes(base))?.[0] ?? WESTERN;
}

const WESTERN = 'windows-1252';
/** Characters from 0x80 on; Node 20 decodes them as control characters. */
const WESTERN_SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const known = new Map<string, LegacyEncoding>();

/** Returns an encoding by any of its names on the Web; undefined for Unicode encodings and unknown names. */
export function legacyEncoding(label: string): LegacyEncoding | undefined {
  const name = nameOf(label);
  // ISO-2022-JP is stateful: the meaning of its bytes depends on earlier ones.
  if (name === undefined || name.startsWith('utf-') || name === 'iso-2022-jp') return undefined;
  let encoding = known.get(name);
  if (encoding === undefined) known.set(name, (encoding = make(name)));
  return encoding;
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function make(name: string): LegacyEncoding {
  const decode = name === WESTERN ? decodeWestern : (bytes: Uint8Array) => decodeAs(name, bytes);
  let codes: Map<string, number> | undefined;
  return {
    decode,
    codeOf: (character) =>
      name === 'gb18030' && character.length > 1
        ? supplementaryCode(character)
        : (codes ??= codesOf(name, decode)).get(character),
  };
}

function decodeWestern(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (sign) => WESTERN_SIGNS.charAt(sign.charCodeAt(0) - 0x80));
}

function decodeAs(name: string, bytes: Uint8Array): string {
  return new TextDecoder(name).decode(bytes);
}

const REPLACEMENT = '\ufffd';

/**
 * Codes that are only read: programs write their characters with another, higher code. In Shift_JIS,
 * NEC repeats characters of IBM; Big5 has the numerals 十 and 卅 twice.
 */
const ONLY_READ: Readonly<Record<string, (code: number) => boolean>> = {
  shift_jis: (code) => code >= 0xed40 && code < 0xef00,
  big5: (code) => code === 0xa2cc || code === 0xa2ce,
};

/** Ranges of the bytes of longer codes. */
const LONGER: Readonly<Record<string, readonly (readonly [first: number, last: number])[]>> = {
  'euc-jp': [
    [0x8f, 0x8f],
    [0xa1, 0xfe],
    [0xa1, 0xfe],
  ],
  gb18030: [
    [0x81, 0x84],
    [0x30, 0x39],
    [0x81, 0xfe],
    [0x30, 0x39],
  ],
};

/** Returns all codes of three or four bytes. */
function longerCodes(name: string): number[] {
  const [leads, ...others] = LONGER[name] ?? [];
  return leads === undefined ? [] : others.reduce(followedBy, followedBy([0], leads));
}

function followedBy(codes: readonly number[], [first, last]: readonly [number, number]): number[] {
  const bytes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return codes.flatMap((code) => bytes.map((byte) => code * 256 + byte));
}

/** GB 18030 has the characters beyond U+FFFF in the order of Unicode, from 0x90308130 on. */
function supplementaryCode(character: string): number {
  const at = (character.codePointAt(0) ?? 0) - 0x10000;
  const bytes = [at / 12_600, (at / 1_260) % 10, (at / 10) % 126, at % 10].map(Math.floor);
  return bytes.reduce((code, byte) => code * 256 + byte) + 0x90308130;
}

/**
 * Builds the reverse table by decoding all codes; if several codes give the same character, the
 * lowest that programs write is used.
 */
function codesOf(name: string, decode: LegacyEncoding['decode']): Map<string, number> {
  const codes = new Map<string, number>();
  const isOnlyRead = ONLY_READ[name] ?? (() => false);
  const add = (character: string, code: number): void => {
    if (character === REPLACEMENT || codes.has(character) || isOnlyRead(code)) return;
    codes.set(character, code);
  };
  const singles = Array.from({ length: 256 }, (_, byte) => decode(Uint8Array.of(byte)));
  for (const [byte, character] of singles.entries()) add(character, byte);
  const leads = [...singles.keys()].filter((byte) => byte > 0x80 && singles[byte] === REPLACEMENT);
  const pairs = followedBy(leads, [0x40, 0xfe]);
  const longer = [...pairs, ...longerCodes(name)];
  // One call for all of them, with a line end after each, as calls are slow.
  const bytes = new Uint8Array(longer.length * 5);
  const end = longer.reduce((at, code) => putCode(bytes, putCode(bytes, at, code), 0x0a), 0);
  for (const [index, character] of decode(bytes.subarray(0, end)).split('\n').entries()) {
    if (countCodePoints(character) === 1) add(character, longer[index] ?? 0);
  }
  return codes;
}
