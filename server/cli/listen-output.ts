/** Output of `listen`: captions on the terminal and transcript files. */
import { constants } from 'node:fs';
import { access, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WriteStream } from 'node:tty';
import type { CaptionEvent, CaptionSegment } from '../../shared/client/index.ts';
import { endsAbbreviated } from '../../shared/language.ts';
import { subtitleCues, toLines, toSrt, toVtt } from '../../shared/subtitles.ts';
import { widthOf } from './output.ts';

/**
 * Captions on a terminal: completed sentences stay, and one line below them shows text that may
 * still change. Without a terminal, only the sentences are written.
 */
export interface Display {
  show(caption: CaptionEvent): void;
  /** Sets the beginning of the last line: progress, or a connection problem. */
  note(text: string): void;
  /** Writes unfinished sentences and clears the last line. */
  end(): void;
}

interface Output {
  /** For sentences. */
  out: NodeJS.WritableStream;
  /** For the last line; undefined without a terminal. */
  line: WriteStream | undefined;
}

/** Shortest interval between redraws of the last line, in ms; more would flicker. */
const REDRAW_MS = 100;
const SENTENCE_END = /[.!?…؟।。！？]["'”’»)\]」』）]*\s+|[。！？][”’」』）]*/gu;
const CLEAR_LINE = '\r\u001b[2K';

/** @param isLabelled whether to prefix each sentence with its language */
export function createDisplay({ out, line }: Output, isLabelled: boolean): Display {
  /** Concluded text of each track whose sentence has not ended. */
  const open = new Map<string, string>();
  /** Language label of each track. */
  const labels = new Map<string, string>();
  let tentative = '';
  let note = '';
  let drawn = '';
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    timer = undefined;
    if (line === undefined) return;
    const head = note === '' ? '' : `${note}  `;
    const soon = ((open.get('') ?? '') + tentative).trim();
    const next = head + tailOf(soon, Math.max(1, line.columns - head.length - 1));
    if (next !== drawn) line.write(CLEAR_LINE + next);
    drawn = next;
  };
  const drawSoon = (): void => void (timer ??= setTimeout(draw, REDRAW_MS));

  function write(label: string, sentence: string): void {
    if (sentence.trim() === '') return;
    if (drawn !== '') line?.write(CLEAR_LINE);
    drawn = '';
    out.write(`${isLabelled ? `${label.padEnd(5)} ` : ''}${sentence.trim()}\n`);
  }

  function flush(key: string, isEnd: boolean): void {
    const label = labels.get(key) ?? key;
    const text = open.get(key) ?? '';
    // A sentence has ended when the next begins, or at the end of everything.
    const end = isEnd ? text.length : (sentenceEnds(text).at(-1) ?? 0);
    for (const sentence of sentencesOf(text.slice(0, end))) write(label, sentence);
    open.set(key, text.slice(end));
  }

  return {
    show({ kind, language = '', concluded, tentative: soon }) {
      const key = kind === 'source' ? '' : language;
      if (kind === 'source') tentative = soon.map(({ text }) => text).join('');
      if (language !== '') labels.set(key, language);
      const text = (open.get(key) ?? '') + concluded.map((segment) => segment.text).join('');
      open.set(key, text);
      // With a blank behind it, the last mark ends a sentence as any other.
      const isWhole = sentenceEnds(`${text} `).at(-1) === text.length + 1;
      if (concluded.length > 0) flush(key, isWhole);
      drawSoon();
    },
    note(text) {
      note = text;
      drawSoon();
    },
    end() {
      for (const key of open.keys()) flush(key, true);
      clearTimeout(timer);
      if (drawn !== '') line?.write(CLEAR_LINE);
    },
  };
}

function sentenceEnds(text: string): number[] {
  return [...text.matchAll(SENTENCE_END)]
    .map((match) => match.index + match[0].length)
    .filter((end) => !endsAbbreviated(text.slice(0, end).trimEnd()));
}

function sentencesOf(text: string): string[] {
  const ends = sentenceEnds(text);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

/** Returns the tail of a text that fits into a number of columns. */
function tailOf(text: string, columns: number): string {
  const characters = Array.from(text);
  let width = widthOf(text);
  if (width <= columns) return text;
  let from = 0;
  for (; from < characters.length && width > columns - 1; from += 1) {
    width -= widthOf(characters[from] ?? '');
  }
  return `…${characters.slice(from).join('')}`;
}

export const FILE_FORMATS = ['srt', 'vtt', 'txt', 'json'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface Transcript {
  add(caption: CaptionEvent): void;
  /** Appends what follows: times start at zero again. */
  restart(): void;
  /** Whether nothing was concluded. */
  readonly isEmpty: boolean;
  /** Paths that will be written, as far as they are known before the languages are. */
  readonly paths: readonly string[];
  /** The transcript as one file, or as one per language. */
  files(): { path: string; content: string }[];
}

interface TranscriptOptions {
  output: string;
  format: FileFormat;
  sourceLanguage: string | undefined;
  targetLanguages: readonly string[];
  /** If set, only this language is written. */
  language: string | undefined;
}

interface Track {
  kind: 'source' | 'target';
  language: string;
  segments: CaptionSegment[];
}

export function createTranscript(options: TranscriptOptions): Transcript {
  const { output, format, language } = options;
  const source: Track = { kind: 'source', language: options.sourceLanguage ?? '', segments: [] };
  const targets = options.targetLanguages.map<Track>((each) => ({
    kind: 'target',
    language: each,
    segments: [],
  }));
  const tracks = [source, ...targets];
  let offsetMs = 0;
  const files = (): { path: string; content: string }[] => {
    const chosen = tracks.filter((track) => language === undefined || track.language === language);
    if (format === 'json') return [{ path: output, content: toJson(chosen) }];
    return chosen.map((track) => ({
      path: chosen.length === 1 ? output : withLanguage(output, track.language || 'source'),
      content: toText(track.segments, format),
    }));
  };

  return {
    add({ kind, language: heard, concluded }) {
      const track = kind === 'source' ? source : targets.find((each) => each.language === heard);
      if (kind === 'source' && source.language === '') source.language = heard ?? '';
      for (const segment of concluded) {
        const { startMs, endMs } = segment;
        const times = { startMs: startMs + offsetMs, endMs: endMs + offsetMs };
        track?.segments.push({ ...segment, ...times });
      }
    },
    restart() {
      offsetMs = Math.max(0, ...tracks.map(({ segments }) => segments.at(-1)?.endMs ?? 0));
    },
    get isEmpty() {
      return tracks.every(({ segments }) => segments.length === 0);
    },
    paths: files().map((file) => file.path),
    files,
  };
}

/**
 * Writes the files of a transcript. Content that cannot be written is printed, so that it is not
 * lost.
 *
 * @param input file that must not be overwritten: a detected language may produce its name
 * @returns the paths that were written
 * @throws Error of the file system, after everything was written or printed
 */
export async function writeTranscript(
  transcript: Transcript,
  { input, out }: { input: string | undefined; out: NodeJS.WritableStream },
): Promise<string[]> {
  const written: string[] = [];
  let failure: Error | undefined;
  for (const file of transcript.files()) {
    try {
      if (input !== undefined && (await isSameFile(file.path, input))) {
        throw new Error(`--output: ${file.path} is the audio that was read.`);
      }
      await writeFile(file.path, file.content);
      written.push(file.path);
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
      out.write(file.content);
    }
  }
  if (failure !== undefined) throw failure;
  return written;
}

function toText(segments: readonly CaptionSegment[], format: Exclude<FileFormat, 'json'>): string {
  switch (format) {
    case 'srt':
      return toSrt(subtitleCues(segments));
    case 'vtt':
      return toVtt(subtitleCues(segments));
    case 'txt':
      return toLines(segments);
  }
}

/** Formats segments as JSON, with the field names of the voice protocol. */
function toJson(tracks: readonly Track[]): string {
  const content = tracks.map(({ kind, language, segments }) => ({
    kind,
    language,
    text: segments
      .map(({ text }) => text)
      .join('')
      .trim(),
    segments: segments.map(({ text, startMs, endMs, language: spoken }) => ({
      text,
      start_time: startMs,
      end_time: endMs,
      language: spoken,
    })),
  }));
  return `${JSON.stringify({ tracks: content }, null, 2)}\n`;
}

/** Returns `talk.es.srt` for `talk.srt`. */
function withLanguage(file: string, language: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${language}${ext}`);
}

/** A path, and the option or argument that names it. */
export interface NamedFile {
  name: string;
  path: string;
}

/**
 * Checks that every file can be written, and that none is the input or another of them, under any
 * path.
 *
 * @param input undefined for standard input
 * @throws Error naming the option and the file
 */
export async function checkFiles(
  input: string | undefined,
  written: readonly NamedFile[],
): Promise<void> {
  const known = new Map<string, string>();
  const inputKey = input === undefined ? undefined : await identity(input);
  if (inputKey !== undefined) known.set(inputKey, 'the audio that is read');
  for (const file of written) {
    const key = await identity(file.path);
    const other = key === undefined ? undefined : known.get(key);
    if (other !== undefined) {
      throw new Error(`${file.name}: ${file.path} is ${other}. Name another file.`);
    }
    if (key !== undefined) known.set(key, `what ${file.name} writes already`);
    await checkWritable(file);
  }
}

/** Whether two paths lead to the same file, links included. */
export async function isSameFile(first: string, second: string): Promise<boolean> {
  const key = await identity(first);
  return key !== undefined && key === (await identity(second));
}

/**
 * Returns a key that is equal for all paths of a file; for a missing file, its future location.
 * Undefined for devices.
 */
async function identity(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  // Terminals and /dev/null may be named repeatedly.
  if (found !== undefined && !found.isFile()) return undefined;
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  const folder = path.dirname(path.resolve(file));
  return path.join(await realpath(folder).catch(() => folder), path.basename(file));
}

async function checkWritable({ name, path: file }: NamedFile): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) throw new Error(`${name}: ${file} is a folder.`);
  const folder = path.dirname(path.resolve(file));
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) {
    throw new Error(`${name}: there is no folder ${folder}.`);
  }
  await access(found === undefined ? folder : file, constants.W_OK).catch(() => {
    throw new Error(`${name}: ${file} cannot be written.`);
  });
}
