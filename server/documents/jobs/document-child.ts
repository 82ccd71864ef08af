/**
 * The process in which one document is opened and written; see document-process.ts. It is the first
 * to give way when the machine is short of time or memory, and it never outlives its parent.
 */
import { writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { endWithParent } from '../../process/index.ts';
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import { DocumentError, type OpenedDocument, type DocumentBlock } from '../formats/format.ts';
import { loadFormat } from '../formats/index.ts';
import type {
  DocumentAnswer,
  DocumentChildArguments,
  DocumentQuestion,
} from './document-process.ts';
import { checkMarks, differentSentences, translatedBlocks } from './document-sentences.ts';

let opened: OpenedDocument | undefined;

/** Aborts when a document has come. */
const rehearsing = new AbortController();

async function answer(question: DocumentQuestion): Promise<DocumentAnswer> {
  if (question.kind === 'open') {
    const { format, file, options } = question;
    opened = await (await loadFormat(format)).open(file, options);
    const { blocks, characters } = opened;
    checkMarks(blocks);
    return { kind: 'opened', characters, sample: languageSample(blocks) };
  }
  if (opened === undefined) throw new Error('No document is open.');
  const { blocks } = opened;
  if (question.kind === 'sentences') {
    return { kind: 'sentences', different: differentSentences(blocks, question.language) };
  }
  const { translations, languages } = question;
  const translated = translatedBlocks(blocks, { language: languages.source, translations });
  return { kind: 'written', file: await opened.write(translated, languages) };
}

function failureOf(error: unknown): DocumentAnswer {
  if (error instanceof DocumentError) return { kind: 'refused', message: error.message };
  if (!(error instanceof Error)) return { kind: 'failed', name: typeof error, frames: [] };
  const { name, message, stack = '' } = error;
  const frames = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line))
    .map((line) => line.trim());
  return { kind: 'failed', name, frames };
}

function send(answer: DocumentAnswer, then?: () => void): void {
  process.send?.(answer, undefined, undefined, then);
}

function giveWay(): void {
  // A server that gives way itself started it with less; more is not to be had.
  const less = constants.priority.PRIORITY_BELOW_NORMAL;
  if (getPriority() < less) setPriority(less);
  try {
    // The kernel, out of memory, ends this process and not the one that holds conversations.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has it.
  }
}

const { uncontained, rehearses } = JSON.parse(process.argv[2] ?? '{}') as DocumentChildArguments;
endWithParent(uncontained);
giveWay();
process.on('message', (question: DocumentQuestion) => {
  rehearsing.abort();
  void answer(question)
    .catch(failureOf)
    .then((answer) => send(answer));
});
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => send(failureOf(error), () => process.exit(1)));
}
if (rehearses) {
  const rehearsal = import('./document-rehearsal.ts').then(({ rehearse }) =>
    rehearse(rehearsing.signal),
  );
  rehearsal.catch((error: unknown) => {
    // What could not be loaded is not tried again in this process; a format may refuse for good reasons.
    if (!rehearsing.signal.aborted && !(error instanceof DocumentError)) process.exit(1);
  });
}

// Enough of a document to know its language by.

/** Names, addresses and headings say less than sentences do; in UTF-16 units. */
const TELLING_LENGTH = 40;
/** Detectors look at about as much text as these have together. */
const MAX_BLOCKS = 40;
const MAX_BLOCK_LENGTH = 200;

/**
 * Text from paragraphs all over the document: the first page may be in another language. Where there
 * are none, from whatever text there is; empty where there is none.
 */
function languageSample(blocks: readonly DocumentBlock[]): TextSegment[] {
  const telling = blocks.filter(({ segment }) => plainText(segment).length >= TELLING_LENGTH);
  const candidates = telling.length > 0 ? telling : blocks;
  const stride = Math.max(1, candidates.length / MAX_BLOCKS);
  return Array.from({ length: Math.min(MAX_BLOCKS, candidates.length) }, (_, index) => {
    const text = plainText(candidates[Math.floor(index * stride)]?.segment ?? []);
    // None takes the place of the others.
    return [text.slice(0, MAX_BLOCK_LENGTH)];
  });
}
