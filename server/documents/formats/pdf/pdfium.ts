/**
 * PDFium, compiled to WebAssembly: opens PDF files and pages. Its calls are synchronous and block the thread.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { ParseSpeeds, PDFDocument } from '@cantoo/pdf-lib';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';

import { DocumentError } from '../format.ts';
import type { Matrix } from './geometry.ts';
import type { Box } from './page-model.ts';

/** Maximum number of pages of a file. Reading more, one by one, would take hours. */
const MAX_PAGES = 5_000;

/** Length of the file's tail that is searched for the end mark: readers tolerate some rubbish after it. */
const TAIL_BYTES = 2_048;

/** `FPDF_GetLastError` of a file in which PDFium finds no pages (`fpdfview.h`). */
const ERROR_FORMAT = 3;
/** `FPDF_GetLastError` of a file that needs a password. */
const ERROR_PASSWORD = 4;
/** `FPDF_GetLastError` of a file with an unknown kind of protection. */
const ERROR_SECURITY = 5;

/** Kinds of page objects: `FPDF_PAGEOBJ_*` in `fpdf_edit.h`. */
export const pageObject = { text: 1, path: 2, image: 3, shading: 4, form: 5 } as const;

/** Options with which pdf-lib reads and writes files: unchanged, and in one go. */
export const LOAD_OPTIONS = {
  updateMetadata: false,
  preserveXFA: true,
  parseSpeed: ParseSpeeds.Fastest,
};
export const SAVE_OPTIONS = {
  addDefaultPage: false,
  updateFieldAppearances: false,
  objectsPerTick: Infinity,
};

const DAMAGED =
  'The PDF file is damaged and cannot be read. Open it in a PDF reader, save it anew and send that file.';

/** PDFium ran out of memory or stack: the contents unpack to gigabytes or are nested without end. */
const TOO_LARGE =
  'The PDF file is too large to be read: its contents need too much memory when unpacked, or are nested too deeply. Send it in parts or with smaller pictures.';

/** Length of the file's head that is searched for the PDF mark, as readers do. */
const HEAD_BYTES = 1_024;

/**
 * PDFium and its memory. The views are replaced when the memory grows, so they must be read anew each time.
 */
export type Pdfium = Omit<WrappedPdfiumModule, 'pdfium'> & { readonly pdfium: PdfiumMemory };

/** Members that the package's types leave out or take from types that are not installed. */
interface PdfiumMemory {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly HEAPU32: Uint32Array<ArrayBuffer>;
  readonly HEAPF32: Float32Array<ArrayBuffer>;
  readonly HEAPF64: Float64Array<ArrayBuffer>;
  readonly wasmExports: {
    malloc: (sizeBytes: number) => number;
    free: (at: number) => void;
  } & Record<CalledDirectly, (...args: number[]) => number>;
  UTF8ToString(at: number): string;
  UTF16ToString(at: number): string;
  setValue(at: number, value: number, type: 'i32' | 'float' | 'double'): void;
}

type CalledDirectly =
  | 'FPDFText_GetCharBox'
  | 'FPDFText_GetCharOrigin'
  | 'FPDFText_GetLooseCharBox'
  | 'FPDFText_GetMatrix'
  | 'FPDFText_GetTextObject'
  | 'FPDFText_GetUnicode'
  | 'FPDFText_IsGenerated';

let library: Promise<Pdfium> | undefined;

/** Returns PDFium, loaded once per process. */
function loadPdfium(): Promise<Pdfium> {
  library ??= load();
  return library;
}

async function load(): Promise<Pdfium> {
  const binary = await readFile(
    createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'),
  );
  const wasmBinary = new Uint8Array(binary).buffer;
  // The package leaves emscripten's own members out of its types.
  const pdfium = (await init({ wasmBinary })) as unknown as Pdfium;
  pdfium.PDFiumExt_Init();
  callDirectly(pdfium);
  return pdfium;
}

/**
 * Binds the functions that are called for each character to the WebAssembly exports, since the package looks
 * functions up by name at each call.
 */
function callDirectly(pdfium: Pdfium): void {
  const { wasmExports } = pdfium.pdfium;
  const { FPDFText_GetCharBox, FPDFText_GetCharOrigin } = wasmExports;
  const { FPDFText_GetLooseCharBox, FPDFText_GetMatrix } = wasmExports;
  const { FPDFText_GetTextObject, FPDFText_GetUnicode, FPDFText_IsGenerated } = wasmExports;
  Object.assign(pdfium, {
    FPDFText_GetTextObject,
    FPDFText_GetUnicode,
    FPDFText_IsGenerated,
    FPDFText_GetCharBox: (page, at, left, right, bottom, top) =>
      FPDFText_GetCharBox(page, at, left, right, bottom, top) !== 0,
    FPDFText_GetCharOrigin: (page, at, x, y) => FPDFText_GetCharOrigin(page, at, x, y) !== 0,
    FPDFText_GetLooseCharBox: (page, at, box) => FPDFText_GetLooseCharBox(page, at, box) !== 0,
    FPDFText_GetMatrix: (page, at, matrix) => FPDFText_GetMatrix(page, at, matrix) !== 0,
  } satisfies Partial<Pdfium>);
}

/** A page that PDFium has open; valid until the callback that received it returns. */
export interface OpenPage {
  readonly index: number;
  readonly pdfium: Pdfium;
  /** PDFium handles: `FPDF_DOCUMENT`, `FPDF_PAGE`, `FPDF_TEXTPAGE` (0 for a page without text). */
  readonly document: number;
  readonly handle: number;
  /** Loaded at first access, when PDFium lists the page's characters. */
  readonly text: number;
  /** A buffer of {@link SCRATCH_BYTES} in PDFium's memory for the results of its functions. */
  readonly scratch: number;
}

/** Length of {@link OpenPage.scratch}. */
export const SCRATCH_BYTES = 512;

type Scratch = Pick<OpenPage, 'pdfium' | 'scratch'>;

/** Returns a 32-bit number of the scratch buffer by its position among them. */
export function scratchNumber({ pdfium, scratch }: Scratch, index: number): number {
  return pdfium.pdfium.HEAPF32[(scratch >> 2) + index] ?? 0;
}

/** Returns a 32-bit integer of the scratch buffer by its position among them. */
function scratchInteger({ pdfium, scratch }: Scratch, index: number): number {
  return pdfium.pdfium.HEAPU32[(scratch >> 2) + index] ?? 0;
}

/** Returns the rectangle (`FS_RECTF`) at a position of the scratch buffer. */
export function scratchRectangle(page: Scratch, index = 0): Box {
  const [left, top] = [scratchNumber(page, index), scratchNumber(page, index + 1)];
  return {
    left,
    top,
    right: scratchNumber(page, index + 2),
    bottom: scratchNumber(page, index + 3),
  };
}

/** Returns the box of a page object in the coordinates of the file. */
export function boundsOf(page: Scratch, object: number): Box | undefined {
  const { pdfium, scratch: at } = page;
  if (!pdfium.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) return undefined;
  const { left, top: bottom, right, bottom: top } = scratchRectangle(page);
  return { left, bottom, right, top };
}

/** Returns the matrix of a page object. */
export function matrixOf(page: Scratch, object: number): Matrix | undefined {
  const { pdfium, scratch } = page;
  if (!pdfium.FPDFPageObj_GetMatrix(object, scratch)) return undefined;
  const float = (index: number): number => scratchNumber(page, index);
  return [float(0), float(1), float(2), float(3), float(4), float(5)];
}

/** Returns the colour and opacity of a page object, 0 to 255 each; opaque black if unknown. */
export function colorOf(
  page: Scratch,
  object: number,
  what: 'fill' | 'stroke',
): { color: readonly [number, number, number]; alpha: number } {
  const { pdfium, scratch: at } = page;
  const read =
    what === 'fill' ? pdfium.FPDFPageObj_GetFillColor : pdfium.FPDFPageObj_GetStrokeColor;
  if (!read(object, at, at + 4, at + 8, at + 12)) return { color: [0, 0, 0], alpha: 255 };
  const channel = (index: number): number => scratchInteger(page, index);
  return { color: [channel(0), channel(1), channel(2)], alpha: channel(3) };
}

/** Returns the width of a page object's outline in its own coordinates. */
export function strokeWidthOf(page: Scratch, object: number): number | undefined {
  const isKnown = page.pdfium.FPDFPageObj_GetStrokeWidth(object, page.scratch);
  return isKnown ? scratchNumber(page, 0) : undefined;
}

/** Returns whether a path is filled and stroked. */
export function drawModeOf(
  page: Scratch,
  object: number,
): { isFilled: boolean; isStroked: boolean } {
  const { pdfium, scratch } = page;
  const isKnown = pdfium.FPDFPath_GetDrawMode(object, scratch, scratch + 4);
  const [isFilled = false, isStroked = false] = [0, 1].map(
    (index) => isKnown && scratchInteger(page, index) !== 0,
  );
  return { isFilled, isStroked };
}

/** Returns the size of an image in pixels. */
export function pixelSizeOf(
  page: Scratch,
  image: number,
): { width: number; height: number } | undefined {
  const { pdfium, scratch } = page;
  if (!pdfium.FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4)) return undefined;
  return { width: scratchInteger(page, 0), height: scratchInteger(page, 1) };
}

/** Yields the objects of a page, in drawing order; not those within forms. */
export function* objectsOf({ pdfium, handle }: OpenPage): Generator<number> {
  const count = pdfium.FPDFPage_CountObjects(handle);
  for (let at = 0; at < count; at += 1) yield pdfium.FPDFPage_GetObject(handle, at);
}

/** Yields the objects of a form, in drawing order. */
export function* objectsOfForm({ pdfium }: OpenPage, form: number): Generator<number> {
  const count = pdfium.FPDFFormObj_CountObjects(form);
  for (let at = 0; at < count; at += 1) yield pdfium.FPDFFormObj_GetObject(form, at);
}

/** An object of a page. */
interface PageObject {
  handle: number;
  /** One of {@link pageObject}. */
  type: number;
  /** Handle of the form that contains it, 0 on the page itself. */
  parent: number;
}

/** Yields the objects of a page and of its forms, in drawing order: each form, then what it contains. */
export function* allObjects(page: OpenPage, maxFormDepth: number): Generator<PageObject> {
  function* within(
    objects: Iterable<number>,
    parent: number,
    depth: number,
  ): Generator<PageObject> {
    for (const handle of objects) {
      const type = page.pdfium.FPDFPageObj_GetType(handle);
      yield { handle, type, parent };
      if (type !== pageObject.form || depth >= maxFormDepth) continue;
      yield* within(objectsOfForm(page, handle), handle, depth + 1);
    }
  }
  yield* within(objectsOf(page), 0, 0);
}

/** A PDF file that PDFium has open; its bytes stay in PDFium's memory until it is closed. */
export interface PdfFile {
  readonly pdfium: Pdfium;
  /** PDFium's handle, `FPDF_DOCUMENT`. */
  readonly document: number;
  readonly pageCount: number;
  readonly isEncrypted: boolean;
  /**
   * Opens a page while a function runs; returns undefined when the page itself is damaged.
   * @param index from 0
   */
  withPage<Result>(index: number, use: (page: OpenPage) => Result): Result | undefined;
  /** Returns the file as PDFium rewrites it: repaired and without encryption. */
  rewritten(): Uint8Array;
  close(): void;
}

/**
 * Opens a file, including one with only an owner password, which restricts what may be done with it.
 * @throws DocumentError for a file that is damaged, needs a password or has too many pages
 */
export async function openPdfFile(file: Uint8Array): Promise<PdfFile> {
  const pdfium = await loadPdfium();
  const { malloc, free } = pdfium.pdfium.wasmExports;
  const load = (content: Uint8Array): { bytes: number; handle: number } => {
    const bytes = malloc(content.length);
    pdfium.pdfium.HEAPU8.set(content, bytes);
    const handle = guarded(() => pdfium.FPDF_LoadMemDocument(bytes, content.length, ''));
    if (handle === 0) free(bytes);
    return { bytes, handle };
  };
  let { bytes, handle } = load(file);
  if (handle === 0) {
    const error = pdfium.FPDF_GetLastError();
    const mended = error === ERROR_FORMAT && hasEnd(file) ? await mend(file) : undefined;
    if (mended !== undefined) ({ bytes, handle } = load(mended));
    if (handle === 0) throw refusal(error, file);
  }
  const scratch = malloc(SCRATCH_BYTES);
  const opened: PdfFile = {
    pdfium,
    document: handle,
    pageCount: guarded(() => pdfium.FPDF_GetPageCount(handle)),
    isEncrypted: pdfium.EPDF_IsEncrypted(handle),
    withPage: (index, use) => guarded(() => withPage({ pdfium, handle, scratch, index, use })),
    rewritten: () => guarded(() => rewritten(pdfium, handle)),
    close() {
      pdfium.FPDF_CloseDocument(handle);
      free(scratch);
      free(bytes);
    },
  };
  try {
    checkWhole(opened, file, pdfium.FPDF_DocumentHasValidCrossReferenceTable(handle));
  } catch (error) {
    opened.close();
    throw error;
  }
  return opened;
}

/**
 * Rewrites a file with pdf-lib: after an unterminated metadata string PDFium loses all later objects, whereas
 * pdf-lib goes on with the next one. Returns undefined when pdf-lib cannot read the file either.
 */
async function mend(file: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const document = await PDFDocument.load(file, LOAD_OPTIONS);
    return await document.save(SAVE_OPTIONS);
  } catch {
    return undefined;
  }
}

function hasEnd(file: Uint8Array): boolean {
  return Buffer.from(file.subarray(-TAIL_BYTES)).includes('%%EOF');
}

function refusal(error: number, file: Uint8Array): DocumentError {
  if (file.length === 0) return new DocumentError('The file is empty.');
  if (error === ERROR_PASSWORD || error === ERROR_SECURITY) {
    return new DocumentError(
      'The PDF file is protected with a password. Save it without the password and send that file.',
    );
  }
  if (!Buffer.from(file.subarray(0, HEAD_BYTES)).includes('%PDF-')) {
    return new DocumentError('This is not a PDF file. Give it the name its format has and retry.');
  }
  return new DocumentError(DAMAGED);
}

function checkWhole({ pageCount }: PdfFile, file: Uint8Array, hasValidTable: boolean): void {
  if (pageCount > MAX_PAGES) {
    throw new DocumentError(
      `The PDF file has ${pageCount} pages; ${MAX_PAGES} are the most. Send it in parts.`,
    );
  }
  // PDFium also repairs a truncated file, and then shows only the pages it found.
  const isCutOff = !hasValidTable && !hasEnd(file);
  if (pageCount <= 0 || isCutOff) throw new DocumentError(DAMAGED);
}

function withPage<Result>({
  pdfium,
  handle,
  scratch,
  index,
  use,
}: {
  pdfium: Pdfium;
  handle: number;
  scratch: number;
  index: number;
  use: (page: OpenPage) => Result;
}): Result | undefined {
  const page = pdfium.FPDF_LoadPage(handle, index);
  if (page === 0) return undefined;
  let text: number | undefined;
  const open: OpenPage = {
    index,
    pdfium,
    document: handle,
    handle: page,
    scratch,
    get text() {
      return (text ??= pdfium.FPDFText_LoadPage(page));
    },
  };
  try {
    return use(open);
  } finally {
    if (text !== undefined && text !== 0) pdfium.FPDFText_ClosePage(text);
    pdfium.FPDF_ClosePage(page);
  }
}

function rewritten(pdfium: Pdfium, handle: number): Uint8Array {
  if (pdfium.EPDF_IsEncrypted(handle)) pdfium.EPDF_RemoveEncryption(handle);
  const writer = pdfium.PDFiumExt_OpenFileWriter();
  try {
    pdfium.PDFiumExt_SaveAsCopy(handle, writer);
    const sizeBytes = pdfium.PDFiumExt_GetFileWriterSize(writer);
    if (sizeBytes === 0) throw new DocumentError(DAMAGED);
    const { malloc, free } = pdfium.pdfium.wasmExports;
    const at = malloc(sizeBytes);
    pdfium.PDFiumExt_GetFileWriterData(writer, at, sizeBytes);
    const file = pdfium.pdfium.HEAPU8.slice(at, at + sizeBytes);
    free(at);
    return file;
  } finally {
    pdfium.PDFiumExt_CloseFileWriter(writer);
  }
}

/**
 * Turns a WebAssembly trap into a DocumentError: PDFium traps when its memory or stack is exhausted, and is
 * unusable afterwards.
 */
function guarded<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && (error.name === 'RuntimeError' || error instanceof RangeError)) {
      throw new DocumentError(TOO_LARGE, { cause: error });
    }
    throw error;
  }
}
