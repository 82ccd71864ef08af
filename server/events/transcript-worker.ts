/** Writes what was said in a room as a file, in a thread: lines come, then a word, and the file goes back. */
import { parentPort, workerData } from 'node:worker_threads';
import { toSrt, toVtt, subtitleCues, type TimedText } from '../../shared/subtitles.ts';
import type { Caption } from './caption-log.ts';
import type { TranscriptWish } from './transcripts.ts';

const lines: Caption[] = [];

parentPort?.on('message', (message: Caption[] | 'write') => {
  if (message !== 'write') lines.push(...message);
  else void write(workerData as TranscriptWish).then((file) => parentPort?.postMessage(file));
});

async function write({ format, title }: TranscriptWish): Promise<string | Uint8Array> {
  if (format === 'srt') return toSrt(subtitleCues(timed()));
  if (format === 'vtt') return toVtt(subtitleCues(timed()));
  if (format === 'docx') return wordDocument(title);
  if (format === 'json') return JSON.stringify({ name: title, lines: lines.map(described) });
  return paragraphs()
    .map((each) => `${each}\n`)
    .join('\n');
}

/** A pause after which what follows is a paragraph of its own, in ms. */
const PARAGRAPH_PAUSE_MS = 4_000;
const LONGEST_PARAGRAPH = 8;

/** Times from the first line on; each line begins with the blank that subtitles join by. */
function timed(): TimedText[] {
  const beganMs = lines[0]?.startMs ?? 0;
  return lines.map(({ text, startMs, endMs }, index) => ({
    text: index === 0 ? text : ` ${text}`,
    startMs: Math.max(0, startMs - beganMs),
    endMs: Math.max(0, endMs - beganMs),
  }));
}

function paragraphs(): string[] {
  const found: string[][] = [];
  lines.forEach(({ text, startMs }, index) => {
    const open = found.at(-1);
    const pauseMs = startMs - (lines[index - 1]?.endMs ?? startMs);
    if (open === undefined || pauseMs > PARAGRAPH_PAUSE_MS || open.length >= LONGEST_PARAGRAPH) {
      found.push([text]);
    } else open.push(text);
  });
  return found.map((sentences) => sentences.join(' '));
}

async function wordDocument(title: string): Promise<Uint8Array> {
  // Only this format needs it.
  const { Document, HeadingLevel, Packer, Paragraph } = await import('docx');
  return Packer.toBuffer(
    new Document({
      title,
      sections: [
        {
          children: [
            new Paragraph({ text: title, heading: HeadingLevel.TITLE }),
            ...paragraphs().map((text) => new Paragraph({ text, spacing: { after: 160 } })),
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
