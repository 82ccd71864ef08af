/** The fonts of this machine, as fontconfig lists them: `fc-list` knows which characters each has. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { DocumentError } from '../format.ts';

/** A font file, or one font of a collection. */
export interface InstalledFont {
  path: string;
  postscriptName: string;
  family: string;
  isBold: boolean;
  isItalic: boolean;
  covers(codePoint: number): boolean;
}

/** What is asked for; the families are joined by commas, so they come last but for the characters. */
const FORMAT =
  '%{file}\\t%{index}\\t%{variable}\\t%{postscriptname}\\t%{weight}\\t%{slant}\\t%{family}\\t%{charset}\\n';

/** The weight of semi-bold in fontconfig's scale. */
const SEMI_BOLD = 180;
/** Collections have their fonts' numbers in the lower half; the upper is of variable fonts. */
const MAX_INDEX = 0xffff;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const LIST_TIMEOUT_MS = 60_000;

const run = promisify(execFile);
let fonts: Promise<readonly InstalledFont[]> | undefined;

/**
 * All outline fonts, asked for once.
 *
 * @throws DocumentError without fontconfig
 */
export function installedFonts(): Promise<readonly InstalledFont[]> {
  fonts ??= list();
  return fonts;
}

async function list(): Promise<readonly InstalledFont[]> {
  try {
    const { stdout } = await run('fc-list', ['--format', FORMAT], {
      maxBuffer: MAX_LIST_BYTES,
      timeout: LIST_TIMEOUT_MS,
    });
    return stdout.split('\n').flatMap(parseLine);
  } catch (error) {
    throw new DocumentError(
      'The fonts of this server cannot be listed: its operator has to install fontconfig, fonts-liberation and fonts-noto-core.',
      { cause: error },
    );
  }
}

function parseLine(line: string): InstalledFont[] {
  const [path, index, variable, postscriptName, weight, slant, families, charset] =
    line.split('\t');
  if (path === undefined || postscriptName === undefined || charset === undefined) return [];
  if (!/\.(ttf|otf|ttc|otc)$/i.test(path) || Number(index) > MAX_INDEX) return [];
  if (variable === 'True') return [];
  const family = families?.split(',')[0] ?? '';
  const isBold = Number(weight) >= SEMI_BOLD;
  const covers = coverage(charset);
  return [{ path, postscriptName, family, isBold, isItalic: Number(slant) > 0, covers }];
}

/** Looks code points up in `20-7e a0-17f 218`; the list is parsed at the first question. */
function coverage(charset: string): (codePoint: number) => boolean {
  let ranges: [number, number][] | undefined;
  return (codePoint) => {
    ranges ??= charset.split(' ').map((range) => {
      const [from = '', to = from] = range.split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    });
    let low = 0;
    let high = ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [from, to] = ranges[middle] ?? [0, 0];
      if (codePoint < from) high = middle - 1;
      else if (codePoint > to) low = middle + 1;
      else return true;
    }
    return false;
  };
}
