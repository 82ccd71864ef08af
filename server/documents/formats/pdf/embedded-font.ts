/** Embeds a font in a PDF file: the subset of its used glyphs, and the mapping back to letters. */
import { type PDFContext, PDFDict, PDFHexString, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import type { OpenFont, ShapedGlyph } from '../fonts/shaped-text.ts';
import { packStream } from './content-stream.ts';

/** A font whose glyphs can be shown. */
export interface EmbeddedFont {
  /** Its name in the resources of pages. */
  readonly name: string;
  readonly ref: PDFRef;
  /** Returns a glyph's code as four hexadecimal digits. */
  readonly encode: (glyph: ShapedGlyph) => string;
  /** Writes the font with the glyphs that were encoded. */
  finish(): void;
}

/** Bits of a font descriptor (ISO 32000-1, table 123). */
const SYMBOLIC = 1 << 2;
const SERIF = 1 << 1;
const ITALIC = 1 << 6;
/** Maximum number of entries of a `beginbfchar` (Adobe technical note 5411). */
const MAX_CHARS = 100;

/** Prepares a font for a file; `number` determines its name and its subset tag. */
export function embedFont({
  context,
  open,
  number,
}: {
  context: PDFContext;
  open: OpenFont;
  number: number;
}): EmbeddedFont {
  const ref = context.nextRef();
  const subset = open.font.createSubset();
  const codes = new Map<number, UsedGlyph>();
  return {
    name: `DgFont${number}`,
    ref,
    encode(glyph) {
      let known = codes.get(glyph.id);
      if (known === undefined) {
        const code = subset.includeGlyph(glyph.id);
        known = { code, digits: hex(code, 4), glyph };
        codes.set(glyph.id, known);
      } else if (known.glyph.codePoints.length === 0 && glyph.codePoints.length > 0) {
        known.glyph = glyph;
      }
      return known.digits;
    },
    finish() {
      const used = [...codes.values()].sort((a, b) => a.code - b.code);
      const baseFont = `${subsetTag(number)}+${open.installed.postscriptName}`;
      const descendant = describeFont({ context, open, used, baseFont, file: subset.encode() });
      const font = context.obj({
        Type: 'Font',
        Subtype: 'Type0',
        BaseFont: baseFont,
        Encoding: 'Identity-H',
        DescendantFonts: [descendant],
        ToUnicode: packStream({ context, bytes: Buffer.from(toUnicode(used), 'latin1') }),
      });
      context.assign(ref, font);
    },
  };
}

interface UsedGlyph {
  code: number;
  /** The code as four hexadecimal digits. */
  digits: string;
  glyph: ShapedGlyph;
}

function describeFont({
  context,
  open: { font, installed },
  used,
  baseFont,
  file,
}: {
  context: PDFContext;
  open: OpenFont;
  used: readonly UsedGlyph[];
  baseFont: string;
  file: Uint8Array;
}): PDFRef {
  const scale = 1000 / font.unitsPerEm;
  const isCff = file[0] === 1 || Buffer.from(file.subarray(0, 4)).toString('latin1') === 'OTTO';
  const dict = PDFDict.withContext(context);
  if (isCff) dict.set(PDFName.of('Subtype'), PDFName.of('CIDFontType0C'));
  else dict.set(PDFName.of('Length1'), context.obj(file.length));
  const fontFile = packStream({ context, bytes: file, dict });
  const { minX, minY, maxX, maxY } = font.bbox;
  const isSerif = /Serif|Naskh/.test(installed.family);
  const descriptor = context.obj({
    Type: 'FontDescriptor',
    FontName: baseFont,
    Flags: SYMBOLIC | (isSerif ? SERIF : 0) | (installed.isItalic ? ITALIC : 0),
    FontBBox: [minX, minY, maxX, maxY].map((value) => Math.round(value * scale)),
    ItalicAngle: font.italicAngle,
    Ascent: Math.round(font.ascent * scale),
    Descent: Math.round(font.descent * scale),
    CapHeight: Math.round((font.capHeight || font.ascent) * scale),
    StemV: installed.isBold ? 140 : 80,
    [isCff ? 'FontFile3' : 'FontFile2']: fontFile,
  });
  const systemInfo = context.obj({ Supplement: 0 });
  systemInfo.set(PDFName.of('Registry'), PDFHexString.of('41646f6265'));
  systemInfo.set(PDFName.of('Ordering'), PDFHexString.of('4964656e74697479'));
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: isCff ? 'CIDFontType0' : 'CIDFontType2',
      ...(isCff ? {} : { CIDToGIDMap: 'Identity' }),
      BaseFont: baseFont,
      CIDSystemInfo: systemInfo,
      FontDescriptor: context.register(descriptor),
      W: used.flatMap(({ code, glyph }) => [code, [Math.round(glyph.width * 10) / 10]]),
    }),
  );
}

/** Returns the CMap from glyphs back to letters (ISO 32000-1, 9.10.3). */
function toUnicode(used: readonly UsedGlyph[]): string {
  const known = used.filter(({ glyph }) => glyph.codePoints.length > 0);
  const blocks: string[] = [];
  for (let at = 0; at < known.length; at += MAX_CHARS) {
    const chars = known
      .slice(at, at + MAX_CHARS)
      .map(
        ({ digits, glyph }) =>
          `<${digits}> <${utf16Hex(String.fromCodePoint(...glyph.codePoints))}>`,
      );
    blocks.push(`${chars.length} beginbfchar\n${chars.join('\n')}\nendbfchar`);
  }
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def /CMapType 2 def',
    '1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n');
}

/** Returns a text in UTF-16BE, as hexadecimal digits. */
export function utf16Hex(text: string): string {
  let digits = '';
  for (let at = 0; at < text.length; at += 1) digits += hex(text.charCodeAt(at), 4);
  return digits;
}

function hex(value: number, length: number): string {
  return value.toString(16).toUpperCase().padStart(length, '0');
}

/** Returns the six capitals that distinguish subsets (ISO 32000-1, 9.6.4). */
function subsetTag(number: number): string {
  let rest = number;
  let tag = '';
  for (let at = 0; at < 6; at += 1) {
    tag = String.fromCharCode(65 + (rest % 26)) + tag;
    rest = Math.floor(rest / 26);
  }
  return tag;
}
