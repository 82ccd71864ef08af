/** What was said in a room, as a file. */
import { toSrt, toVtt, subtitleCues, type TimedText } from '../../shared/subtitles.ts';
import type { TranscriptFormat } from '../../shared/schemas/rooms.ts';
import type { Caption } from './caption-log.ts';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** What they are sent as, without parameters. */
export const transcriptTypes = [
  'application/json',
  'text/plain',
  'text/vtt',
  'application/x-subrip',
  WORD,
];

export interface TranscriptFile {
  contentType: string;
  content: string | Buffer;
}

/** A pause after which what follows is a paragraph of its own, in ms. */
const PARAGRAPH_PAUSE_MS = 4_000;
const LONGEST_PARAGRAPH = 8;

/** @param title the name of the room */
export async function writeTranscript(
  lines: readonly Caption[],
  { format, title }: { format: TranscriptFormat; title: string },
): Promise<TranscriptFile> {
  if (format === 'srt') {
    return { contentType: 'application/x-subrip', content: toSrt(subtitleCues(timed(lines))) };
  }
  if (format === 'vtt') {
    return { contentType: 'text/vtt; charset=utf-8', content: toVtt(subtitleCues(timed(lines))) };
  }
  if (format === 'txt') {
    const text = paragraphs(lines)
      .map((each) => `${each}\n`)
      .join('\n');
    return { contentType: 'text/plain; charset=utf-8', content: text };
  }
  if (format === 'docx') {
    return {
      contentType: WORD,
      content: await wordDocument(lines, title),
    };
  }
  const content = JSON.stringify({ name: title, lines: lines.map(described) });
  return { contentType: 'application/json', content };
}

/** Times from the first line on; each line begins with the blank that subtitles join by. */
function timed(lines: readonly Caption[]): TimedText[] {
  const beganMs = lines[0]?.startMs ?? 0;
  return lines.map(({ text, startMs, endMs }, index) => ({
    text: index === 0 ? text : ` ${text}`,
    startMs: Math.max(0, startMs - beganMs),
    endMs: Math.max(0, endMs - beganMs),
  }));
}

function paragraphs(lines: readonly Caption[]): string[] {
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

async function wordDocument(lines: readonly Caption[], title: string): Promise<Buffer> {
  // Only whoever exports needs it.
  const { Document, HeadingLevel, Packer, Paragraph } = await import('docx');
  return Packer.toBuffer(
    new Document({
      title,
      sections: [
        {
          children: [
            new Paragraph({ text: title, heading: HeadingLevel.TITLE }),
            ...paragraphs(lines).map((text) => new Paragraph({ text, spacing: { after: 160 } })),
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
