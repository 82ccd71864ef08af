/** What was heard and translated, kept to be written to files. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CaptionEvent, CaptionSegment } from '../../shared/client/index.ts';
import { subtitleCues, toLines, toSrt, toVtt } from '../../shared/subtitles.ts';
import { isSameFile } from './listen-files.ts';

export const FILE_FORMATS = ['srt', 'vtt', 'txt', 'json'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface Transcript {
  add(caption: CaptionEvent): void;
  /** Times begin at zero again: what follows comes after what is there. */
  restart(): void;
  /** Nothing was concluded. */
  readonly isEmpty: boolean;
  /** Where it will be written, as far as that is known before the languages are. */
  readonly paths: readonly string[];
  /** The transcript as one file, or as one for each language. */
  files(): { path: string; content: string }[];
}

export interface TranscriptOptions {
  output: string;
  format: FileFormat;
  sourceLanguage: string | undefined;
  targetLanguages: readonly string[];
  /** Only this language is written. */
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
    ...{ kind: 'target', language: each, segments: [] },
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
 * Writes the files of a transcript. What cannot be written is printed, so that it is not lost.
 *
 * @param input file that must stay as it is: the language that was heard may make its name one of ours
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

/** Segments as the voice protocol writes them. */
function toJson(tracks: readonly Track[]): string {
  const content = tracks.map(({ kind, language, segments }) => ({
    kind,
    language,
    text: segments
      .map(({ text }) => text)
      .join('')
      .trim(),
    segments: segments.map(({ text, startMs, endMs, language: spoken }) => ({
      ...{ text, start_time: startMs, end_time: endMs, language: spoken },
    })),
  }));
  return `${JSON.stringify({ tracks: content }, null, 2)}\n`;
}

/** `talk.es.srt` for `talk.srt`. */
function withLanguage(file: string, language: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${language}${ext}`);
}
