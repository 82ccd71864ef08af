/** Pictures with text, made for a test. */
import sharp from 'sharp';

export interface TextStyle {
  x: number;
  y: number;
  size: number;
  color?: string;
  family?: string;
  weight?: 'normal' | 'bold';
  anchor?: 'start' | 'middle' | 'end';
}

/** Returns text for a {@link drawing}; `y` is its baseline. */
export function text(content: string, style: TextStyle): string {
  const { x, y, size, color = '#111111', weight = 'normal', anchor = 'start' } = style;
  const family = style.family ?? 'Liberation Sans';
  return `<text x="${x}" y="${y}" font-size="${size}" font-family="${family}" font-weight="${weight}" text-anchor="${anchor}" fill="${color}">${content}</text>`;
}

/** Returns a filled rectangle for a {@link drawing}. */
export function rectangle(
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  color: string,
): string {
  return `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${color}"/>`;
}

/** Renders SVG pieces as a PNG file. */
export async function drawing(
  { width, height, paper = '#ffffff' }: { width: number; height: number; paper?: string },
  pieces: readonly string[],
): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${paper}"/>${pieces.join('')}</svg>`;
  const png = sharp(Buffer.from(svg));
  return (paper === 'none' ? png : png.flatten({ background: paper })).png().toBuffer();
}
