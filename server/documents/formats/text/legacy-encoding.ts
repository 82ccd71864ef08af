/** Encodings of the time before Unicode, as browsers know them (WHATWG Encoding Standard). */
import { baseLanguage, type LanguageTag } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';

/** One encoding: bytes of one or two make a character. */
export interface LegacyEncoding {
  decode(bytes: Uint8Array): string;
  /** Bytes of a character as one number; undefined when it has none. */
  codeOf(character: string): number | undefined;
}

/** What programs of Windows wrote for each language. */
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

/** The encoding that a text in a language without any other sign is probably in. */
export function usualEncoding(language: LanguageTag | undefined): string {
  if (language === 'zh-Hant' || language === 'zh-TW' || language === 'zh-HK') return 'big5';
  const base = baseLanguage(language ?? '');
  return usual.find(([, languages]) => languages.split(' ').includes(base))?.[0] ?? WESTERN;
}

const WESTERN = 'windows-1252';
/** From 0x80 on; Node 20 reads them as control characters. */
const WESTERN_SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const known = new Map<string, LegacyEncoding>();

/** An encoding by any name that it has on the Web; undefined for Unicode's own and unknown ones. */
export function legacyEncoding(label: string): LegacyEncoding | undefined {
  const name = nameOf(label);
  // What the bytes of ISO-2022-JP mean depends on those before them.
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
    codeOf: (character) => (codes ??= codesOf(decode)).get(character),
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

/** Found by decoding all there is; where several codes mean a character, the lowest counts. */
function codesOf(decode: LegacyEncoding['decode']): Map<string, number> {
  const codes = new Map<string, number>();
  const add = (character: string, code: number): void => {
    if (character !== REPLACEMENT && !codes.has(character)) codes.set(character, code);
  };
  const singles = Array.from({ length: 256 }, (_, byte) => decode(Uint8Array.of(byte)));
  for (const [byte, character] of singles.entries()) add(character, byte);
  for (let lead = 0x81; lead < 0xff; lead += 1) {
    if (singles[lead] !== REPLACEMENT) continue;
    for (let trail = 0x40; trail < 0xff; trail += 1) {
      const character = decode(Uint8Array.of(lead, trail));
      if (countCodePoints(character) === 1) add(character, lead * 256 + trail);
    }
  }
  return codes;
}
