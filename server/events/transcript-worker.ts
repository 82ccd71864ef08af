/**
 * Worker thread that writes a transcript file. It receives captions in pages, then `write`, and posts the
 * file back.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { textDirection, type LanguageTag } from '../../shared/language.ts';
import {
  CUE_LIMITS,
  subtitleCues,
  toSrt,
  toVtt,
  type Cue,
  type TimedText,
} from '../../shared/subtitles.ts';
import type { Caption } from './caption-log.ts';
import type { TranscriptWish } from './transcripts.ts';

/** The newest caption of each line. */
const newest = new Map<number, Caption>();

parentPort?.on('message', (message: readonly Caption[] | 'write') => {
  if (message !== 'write') for (const caption of message) newest.set(caption.line, caption);
  else void write(workerData as TranscriptWish).then((file) => parentPort?.postMessage(file));
});

async function write({ format, title }: TranscriptWish): Promise<string | Uint8Array> {
  const lines = [...newest.values()]
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.line - b.line);
  if (format === 'srt') return toSrt(cuesOf(lines));
  if (format === 'vtt') return toVtt(cuesOf(lines));
  if (format === 'docx') return wordDocument(title, paragraphs(lines));
  if (format === 'json') return JSON.stringify({ name: title, lines: lines.map(described) });
  return paragraphs(lines)
    .map(({ text }) => `${text}\n`)
    .join('\n');
}

/** Ends of sentences, as in Chinese and Japanese, that no blank follows. */
const GAPLESS_END = /[。！？][”’」』）]*$/u;
const gapAfter = (text: string): string => (GAPLESS_END.test(text) ? '' : ' ');

/** Pause after which a new paragraph begins, in ms. */
const PARAGRAPH_PAUSE_MS = 4_000;
const LONGEST_PARAGRAPH = 8;

/**
 * Makes a cue of each line, but joins a line to one before it that is too short for a cue. Times count from
 * the first line.
 */
function cuesOf(inOrder: readonly Caption[]): Cue[] {
  // A line typed during a sentence precedes that sentence.
  const lines = inOrder.toSorted((a, b) => a.startMs - b.startMs);
  const beganMs = lines[0]?.startMs ?? 0;
  const groups: TimedText[][] = [];
  for (const [index, { text, startMs, endMs }] of lines.entries()) {
    const before = lines[index - 1];
    const isJoined =
      before !== undefined &&
      before.endMs <= startMs &&
      before.endMs - before.startMs < CUE_LIMITS.leastMs;
    const times = { startMs: startMs - beganMs, endMs: endMs - beganMs };
    // `subtitleCues` joins texts by the space they begin with.
    if (isJoined) groups.at(-1)?.push({ text: `${gapAfter(before.text)}${text}`, ...times });
    else groups.push([{ text, ...times }]);
  }
  const cues: Cue[] = [];
  for (const group of groups) cues.push(...subtitleCues(group, cues.at(-1)?.endMs));
  return cues;
}

interface Paragraph {
  text: string;
  language: LanguageTag;
}

function paragraphs(lines: readonly Caption[]): Paragraph[] {
  const found: { sentences: string[]; language: LanguageTag }[] = [];
  lines.forEach(({ text, language, startMs }, index) => {
    const open = found.at(-1);
    const pauseMs = startMs - (lines[index - 1]?.endMs ?? startMs);
    const isFull = open === undefined || open.sentences.length >= LONGEST_PARAGRAPH;
    if (isFull || pauseMs > PARAGRAPH_PAUSE_MS || language !== open.language) {
      found.push({ sentences: [text], language });
    } else open.sentences.push(text);
  });
  return found.map(({ sentences, language }) => ({ text: joined(sentences), language }));
}

function joined(sentences: readonly string[]): string {
  return sentences.reduce((text, sentence) => text + gapAfter(text) + sentence);
}

/** Characters that XML does not allow. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

async function wordDocument(title: string, written: readonly Paragraph[]): Promise<Uint8Array> {
  // Loaded on demand, as only this format needs it.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import('docx');
  const name = title.replace(NOT_XML, '');
  const paragraph = ({ text, language }: Paragraph) => {
    const rightToLeft = textDirection(language) === 'rtl';
    return new Paragraph({
      bidirectional: rightToLeft,
      children: [
        new TextRun({
          text: text.replace(NOT_XML, ''),
          rightToLeft,
          language: { value: language },
        }),
      ],
      spacing: { after: 160 },
    });
  };
  return Packer.toBuffer(
    new Document({
      title: name,
      sections: [
        {
          children: [
            new Paragraph({ text: name, heading: HeadingLevel.TITLE }),
            ...written.map(paragraph),
          ],
        },
      ],
    }),
  );
}

function described({ line, text, language, startMs, endMs, author }: Caption) {
  return {
    line,
    text,
    language,
    start_time: new Date(startMs).toISOString(),
    end_time: new Date(endMs).toISOString(),
    by: author,
  };
}
