/** Text recognition with Debian's Tesseract, which runs as a separate process. */
import { Parser } from 'htmlparser2';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../../shared/language.ts';
import { type Containment, findContainment } from '../../../process/index.ts';
import { type ProgramEnd, ProgramFailure, runProgram } from '../foreign-program.ts';
import { DocumentError } from '../format.ts';
import { tiffOf } from './picture-file.ts';

/** A rectangle in pixels; the origin is the upper left corner, `right` and `bottom` are exclusive. */
export interface PixelBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns the bounding box of at least one box. */
export function around(boxes: readonly PixelBox[]): PixelBox {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** A word; in scripts that do not space words, a part of a line. */
export interface OcrWord {
  text: string;
  box: PixelBox;
  /** From 0 to 100; below about 60, most results are no text at all. */
  confidence: number;
  /** Letters in reading order, with their approximate places; undefined once the text was changed. */
  letters?: readonly OcrLetter[];
}

/** A letter with its marks. */
export interface OcrLetter {
  text: string;
  box: PixelBox;
}

/** A line of text within one column. */
export interface OcrLine {
  /** In reading order. */
  words: readonly OcrWord[];
  box: PixelBox;
  /** The baseline: its height at the box's left edge, and how far it falls per pixel. */
  baseline: { leftPx: number; slope: number };
  /** From descenders to ascenders: a little less than the font size. */
  letterHeightPx: number;
  /** Counterclockwise, in degrees; 0 for nearly all lines. */
  angle: number;
  isRightToLeft: boolean;
  /** Numbers of its column or box, and of its paragraph, from 1 and unique in the picture. */
  block: number;
  paragraph: number;
}

/** Raw pixels, row by row from the top; a fourth channel (alpha) is composited over white. */
export interface RawPixels {
  data: Uint8Array;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
}

interface OcrOptions {
  /** Language of the text, if known; otherwise its script is detected. */
  language: LanguageTag | undefined;
  /**
   * `page`: columns and paragraphs; `column`: lines one below the other; `scattered`: pieces of text
   * anywhere, as on a map.
   */
  layout?: keyof typeof segmentation;
  /** Resolution, if known; it only helps to tell letters from specks. */
  dotsPerInch?: number;
}

type RecogniseText = (image: Uint8Array | RawPixels, options: OcrOptions) => Promise<OcrLine[]>;

/** A file of pictures, and their number. */
interface Pictures {
  file: Uint8Array;
  count: number;
}

type ReadPictures = (pictures: Pictures, options: OcrOptions) => Promise<OcrLine[][]>;

const MB = 1024 * 1024;
/** Limits of a run by its number of pictures. A full page at 300 DPI takes 2 to 10 s in one language. */
const limitsOf = (pictures: number) => ({
  timeMs: pictures * 120_000,
  memoryBytes: 3072 * MB,
  outputBytes: pictures * 64 * MB,
});
/** Confidence below which Tesseract's guess of the script is as often wrong as right. */
const SURE_OF_SCRIPT = 1;

interface Installation {
  /** Name or path of Tesseract. */
  program?: string;
  /** Folder of its trained data, unless the program finds it by itself. */
  dataFolder?: string;
}

/** Creates a text recogniser. */
export function createTextRecogniser(installation: Installation = {}): RecogniseText {
  return recogniserOf(createPictureReader(installation));
}

function recogniserOf(readPictures: ReadPictures): RecogniseText {
  return async (image, options) => {
    const file = image instanceof Uint8Array ? image : portableAnymap(image);
    const pictures = await readPictures({ file, count: 1 }, options);
    return pictures.flat();
  };
}

function createPictureReader({ program = 'tesseract', dataFolder }: Installation): ReadPictures {
  let installed: Promise<ReadonlySet<string>> | undefined;
  let containment: Promise<Containment> | undefined;
  const readable = dataFolder === undefined ? [] : [dataFolder];
  const run: Run = async (args, { file, count }) =>
    runTesseract({
      program,
      containment: await (containment ??= findContainment([program, '--version'], { readable })),
      args: [...(dataFolder === undefined ? [] : ['--tessdata-dir', dataFolder]), ...args],
      input: file,
      limits: limitsOf(count),
    });

  return async (pictures, options) => {
    installed ??= listLanguages(run);
    const known = await installed;
    const { language } = options;
    const data =
      language === undefined
        ? await detectedData(run, pictures, known)
        : dataOfLanguage(language, known);
    const read = async (names: readonly string[]): Promise<OcrLine[][]> => {
      const { exitCode, output } = await run(readingArguments(names, options), pictures);
      const lines = exitCode === 0 ? readHocr(output.toString()) : [];
      // Tesseract skips pictures that it cannot read, and still reports success.
      if (lines.length < pictures.count)
        throw new DocumentError('The text in the picture could not be read.');
      return lines;
    };
    const lines = await read(data);
    // With several languages the first one prevails, so the text is read again in its own language, whose
    // data knows accents that others lack.
    const likely = data.length > 1 ? await languageOf(lines.flat()) : undefined;
    return likely !== undefined && data.includes(likely) ? read([likely]) : lines;
  };
}

/** Minimum number of characters of a text whose language is guessed; one or two words say little. */
const FEWEST_LETTERS = 20;

/** Returns the trained data for the most likely language of lines. */
async function languageOf(lines: readonly OcrLine[]): Promise<string | undefined> {
  const text = lines.flatMap(({ words }) => words.map((word) => word.text)).join(' ');
  if (text.length < FEWEST_LETTERS) return undefined;
  const { eld } = await import('eld/small');
  const { language } = eld.detect(text);
  return language === '' ? undefined : trainedData(language);
}

const readInstalled = createPictureReader({});

/**
 * Recognises the text of a picture (PNG, PNM or raw pixels), line by line in reading order.
 * @throws DocumentError when the program or the data of the language is not installed (the message names the
 * Debian package), or when it takes too long
 */
export const recogniseText: RecogniseText = recogniserOf(readInstalled);

/**
 * Recognises grey pictures like {@link recogniseText}, but all in one run of the program, whose start takes
 * longer than reading a small picture.
 * @returns the lines of each picture
 */
export async function recogniseTexts(
  images: readonly RawPixels[],
  options: OcrOptions,
): Promise<OcrLine[][]> {
  // Each picture may be in another script.
  if (options.language === undefined) {
    const read: OcrLine[][] = [];
    for (const image of images) read.push(await recogniseText(image, options));
    return read;
  }
  return readInstalled({ file: tiffOf(images), count: images.length }, options);
}

type Run = (args: string[], pictures: Pictures) => Promise<ProgramEnd>;

async function runTesseract({
  program,
  containment,
  args,
  input,
  limits,
}: {
  program: string;
  containment: Containment;
  args: string[];
  input: Uint8Array;
  limits: ReturnType<typeof limitsOf>;
}): Promise<ProgramEnd> {
  try {
    // Several threads within one page cost more than they gain.
    const environment = { OMP_THREAD_LIMIT: '1' };
    const command = [program, ...args] as const;
    return await runProgram({ command, containment, input, limits, environment });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw new DocumentError(failureMessages[error.kind], { cause: error });
  }
}

const unreadable =
  'The text in the picture could not be read: it takes too long or too much memory.';
const failureMessages: Record<ProgramFailure['kind'], string> = {
  missing:
    'Reading text in pictures needs Tesseract on the server: the Debian packages tesseract-ocr and tesseract-ocr-eng.',
  timeout: unreadable,
  output: unreadable,
  killed: unreadable,
};

async function listLanguages(run: Run): Promise<ReadonlySet<string>> {
  const { output } = await run(['--list-langs'], { file: new Uint8Array(), count: 1 });
  // The first line is a heading.
  return new Set(output.toString().split('\n').slice(1).filter(Boolean));
}

function dataOfLanguage(language: LanguageTag, known: ReadonlySet<string>): string[] {
  const data = trainedData(language);
  if (data === undefined) {
    throw new DocumentError(`Text in pictures cannot be read in the language ${language}.`);
  }
  if (!known.has(data)) throw missingData(data);
  return [data];
}

function missingData(data: string): DocumentError {
  return new DocumentError(
    `Reading the text of this picture needs the Debian package ${debianPackage(data)} on the server.`,
  );
}

async function detectedData(
  run: Run,
  pictures: Pictures,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const script = known.has('osd') ? await scriptOf(run, pictures) : undefined;
  const { use, best } = dataForScript(script, known);
  if (use.length === 0) throw missingData(best);
  return use;
}

async function scriptOf(run: Run, pictures: Pictures): Promise<string | undefined> {
  const { exitCode, output } = await run(['stdin', 'stdout', '-l', 'osd', '--psm', '0'], pictures);
  // Script detection fails on few letters.
  if (exitCode !== 0) return undefined;
  const text = output.toString();
  const confidence = Number(/^Script confidence: ([\d.]+)/m.exec(text)?.[1] ?? 0);
  return confidence < SURE_OF_SCRIPT ? undefined : /^Script: (\w+)/m.exec(text)?.[1];
}

/** Page segmentation modes. */
const segmentation = { page: '3', column: '6', scattered: '11' } as const;

function readingArguments(data: readonly string[], options: OcrOptions): string[] {
  const { layout = 'page', dotsPerInch } = options;
  return [
    ...['stdin', 'stdout', '-l', data.join('+'), '--psm', segmentation[layout]],
    ...(dotsPerInch === undefined ? [] : ['--dpi', String(Math.round(dotsPerInch))]),
    ...['-c', 'tessedit_create_hocr=1', '-c', 'hocr_char_boxes=1'],
  ];
}

/** Writes pixels in the simplest file format, without compression. */
function portableAnymap({ data, width, height, channels }: RawPixels): Uint8Array {
  const isGray = channels === 1;
  const header = Buffer.from(`${isGray ? 'P5' : 'P6'}\n${width} ${height}\n255\n`);
  const body = channels === 4 ? withoutAlpha(data) : data;
  return Buffer.concat([header, body]);
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const alpha = rgba[from + 3] ?? 255;
    const white = 255 - alpha;
    for (let channel = 0; channel < 3; channel++) {
      rgb[to + channel] = white + ((rgba[from + channel] ?? 0) * alpha) / 255;
    }
  }
  return rgb;
}

// The trained data for a language or a script, and its Debian package.

/** ISO 639-1 → the name of the data, mostly ISO 639-2 (terminological). */
// prettier-ignore
const dataByLanguage: Record<string, string> = {
  af: 'afr', am: 'amh', ar: 'ara', as: 'asm', az: 'aze', be: 'bel', bg: 'bul', bn: 'ben', bo: 'bod',
  br: 'bre', bs: 'bos', ca: 'cat', ceb: 'ceb', ckb: 'ara', co: 'cos', cs: 'ces', cy: 'cym', da: 'dan',
  de: 'deu', dv: 'div', dz: 'dzo', el: 'ell', en: 'eng', eo: 'epo', es: 'spa', et: 'est', eu: 'eus',
  fa: 'fas', fi: 'fin', fil: 'fil', fo: 'fao', fr: 'fra', fy: 'fry', ga: 'gle', gd: 'gla', gl: 'glg',
  gu: 'guj', he: 'heb', hi: 'hin', hr: 'hrv', ht: 'hat', hu: 'hun', hy: 'hye', id: 'ind', is: 'isl',
  it: 'ita', iu: 'iku', iw: 'heb', ja: 'jpn', jv: 'jav', ka: 'kat', kk: 'kaz', km: 'khm', kmr: 'kmr',
  kn: 'kan', ko: 'kor', ku: 'kmr', ky: 'kir', la: 'lat', lb: 'ltz', lo: 'lao', lt: 'lit', lv: 'lav',
  mi: 'mri', mk: 'mkd', ml: 'mal', mn: 'mon', mr: 'mar', ms: 'msa', mt: 'mlt', my: 'mya', nb: 'nor',
  ne: 'nep', nl: 'nld', nn: 'nor', no: 'nor', oc: 'oci', or: 'ori', pa: 'pan', pl: 'pol', ps: 'pus',
  pt: 'por', qu: 'que', ro: 'ron', ru: 'rus', sa: 'san', sd: 'snd', si: 'sin', sk: 'slk', sl: 'slv',
  sq: 'sqi', sr: 'srp', su: 'sun', sv: 'swe', sw: 'swa', ta: 'tam', te: 'tel', tg: 'tgk', th: 'tha',
  ti: 'tir', tl: 'fil', to: 'ton', tr: 'tur', tt: 'tat', ug: 'uig', uk: 'ukr', ur: 'urd', uz: 'uzb',
  vi: 'vie', yi: 'yid', yo: 'yor', zh: 'chi_sim',
};

/** Tags whose script or region matters. */
const dataByTag: Record<string, string> = {
  'az-Cyrl': 'aze_cyrl',
  'sr-Latn': 'srp_latn',
  'uz-Cyrl': 'uzb_cyrl',
  'zh-Hant': 'chi_tra',
  'zh-HK': 'chi_tra',
  'zh-MO': 'chi_tra',
  'zh-TW': 'chi_tra',
};

/**
 * Data for a script, by Tesseract's name of the script, the most widespread language first. Any other script
 * counts as Latin.
 */
const dataByScript: Record<string, readonly string[]> = {
  Arabic: ['ara', 'fas', 'urd', 'pus', 'uig', 'snd'],
  Armenian: ['hye'],
  Bengali: ['ben', 'asm'],
  Cyrillic: ['rus', 'ukr', 'bul', 'srp', 'bel', 'mkd', 'kaz', 'mon', 'kir', 'tgk'],
  Devanagari: ['hin', 'mar', 'nep', 'san'],
  Ethiopic: ['amh', 'tir'],
  Georgian: ['kat'],
  Greek: ['ell'],
  Gujarati: ['guj'],
  Gurmukhi: ['pan'],
  Han: ['chi_sim', 'chi_tra', 'jpn'],
  Hangul: ['kor'],
  Hebrew: ['heb', 'yid'],
  Japanese: ['jpn'],
  Kannada: ['kan'],
  Khmer: ['khm'],
  Korean: ['kor'],
  Lao: ['lao'],
  Malayalam: ['mal'],
  Myanmar: ['mya'],
  Oriya: ['ori'],
  Sinhala: ['sin'],
  Tamil: ['tam'],
  Telugu: ['tel'],
  Thaana: ['div'],
  Thai: ['tha'],
  Tibetan: ['bod', 'dzo'],
};

/** In the order of preference; each further language takes time, so only a few are used. */
// prettier-ignore
const latinData = [
  'eng', 'spa', 'deu', 'fra', 'por', 'ita', 'pol', 'nld', 'tur', 'vie', 'ces', 'swe', 'ron', 'hun',
];
const MOST_AT_ONCE = 4;

/** Returns the name of the trained data for a language; undefined without any. */
function trainedData(language: LanguageTag): string | undefined {
  const tag = canonicalLanguage(language) ?? language;
  return dataByTag[tag] ?? dataByLanguage[baseLanguage(tag)];
}

/** Returns the Debian package of trained data. */
function debianPackage(data: string): string {
  return `tesseract-ocr-${data.replaceAll('_', '-')}`;
}

/**
 * Selects the installed data for a script.
 * @param script Tesseract's name of the script; undefined if not known
 * @returns the data to use, and the best data to install if that is empty
 */
function dataForScript(
  script: string | undefined,
  installed: ReadonlySet<string>,
): { use: string[]; best: string } {
  const [best = 'eng', ...others] = dataByScript[script ?? ''] ?? latinData;
  const use = [best, ...others].filter((data) => installed.has(data)).slice(0, MOST_AT_ONCE);
  return { use, best };
}

// Reading of hOCR, the XHTML in which Tesseract writes words with their places.

type Building = Omit<OcrLine, 'words'> & { words: OcrWord[] };

/**
 * Returns the lines of text of each picture, without empty lines and what Tesseract takes for pictures and
 * rules.
 */
function readHocr(hocr: string): OcrLine[][] {
  const pictures: Building[][] = [];
  let lines: Building[] = [];
  let block = 0;
  let paragraph = 0;
  let isRightToLeft = false;
  let word: { box: PixelBox; confidence: number; letters: OcrLetter[] } | undefined;
  let letter: OcrLetter | undefined;
  const parser = new Parser({
    onopentag(name, { class: kinds = '', title = '', dir }) {
      if (kinds === 'ocr_page') {
        pictures.push((lines = []));
        block = paragraph = 0;
      } else if (kinds === 'ocr_carea') block++;
      else if (kinds === 'ocr_par') {
        paragraph++;
        isRightToLeft = dir === 'rtl';
      } else if (kinds === 'ocrx_word') {
        word = { box: boxOf(title), confidence: number(title, 'x_wconf') ?? 0, letters: [] };
      } else if (kinds === 'ocrx_cinfo') {
        letter = { text: '', box: boxOf(title, 'x_bboxes') };
        word?.letters.push(letter);
      } else if (name === 'span' && kinds.startsWith('ocr_')) {
        lines.push({ ...lineOf(title), block, paragraph, isRightToLeft, words: [] });
      }
    },
    ontext(text) {
      if (letter !== undefined) letter.text += text;
    },
    onclosetag(name) {
      if (name !== 'span') return;
      if (letter !== undefined) {
        letter = undefined;
        return;
      }
      const text = word?.letters.map((one) => one.text).join('') ?? '';
      if (word !== undefined && text.trim() !== '') lines.at(-1)?.words.push({ text, ...word });
      word = undefined;
    },
  });
  parser.end(hocr);
  return pictures.map((all) => all.filter(({ words }) => words.length > 0));
}

function lineOf(title: string): Pick<OcrLine, 'box' | 'baseline' | 'letterHeightPx' | 'angle'> {
  const box = boxOf(title);
  const [slope = 0, offset = 0] = numbers(title, 'baseline');
  return {
    box,
    // The offset counts from the lower left corner of the line's box.
    baseline: { slope, leftPx: box.bottom + offset },
    letterHeightPx: number(title, 'x_size') ?? box.bottom - box.top,
    angle: number(title, 'textangle') ?? 0,
  };
}

function boxOf(title: string, property = 'bbox'): PixelBox {
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers(title, property);
  return { left, top, right, bottom };
}

function number(title: string, property: string): number | undefined {
  return numbers(title, property)[0];
}

/** Returns the numbers of a property; `title` holds properties separated by semicolons. */
function numbers(title: string, property: string): number[] {
  const found = title.split(';').map((part) => part.trim().split(/\s+/));
  return (
    found
      .find(([name]) => name === property)
      ?.slice(1)
      .map(Number) ?? []
  );
}
