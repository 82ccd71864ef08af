/**
 * The process that opens and writes one document; see document-process.ts. It is the first to yield
 * when the machine is short of processor time or memory, and it never outlives its parent.
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

/** Aborts the rehearsal when a document arrives. */
const rehearsing = new AbortController();

async function answer(question: DocumentQuestion): Promise<DocumentAnswer> {
  if (question.kind === 'open') {
    const { format, file, options } = question;
    opened = await (await loadFormat(format)).open(file, options);
    const { blocks, characters, declared } = opened;
    checkMarks(blocks);
    return { kind: 'opened', characters, sample: languageSample(blocks), declared };
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
  // Only lowered, never raised: a low-priority server starts this process with a lower priority already.
  const less = constants.priority.PRIORITY_BELOW_NORMAL;
  if (getPriority() < less) setPriority(less);
  try {
    // When memory runs out, the kernel kills this process and not the server that holds conversations.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // The file exists only on Linux.
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
    // A module that failed to load is not tried again in this process. A DocumentError is a
    // legitimate refusal by a format.
    if (!rehearsing.signal.aborted && !(error instanceof DocumentError)) process.exit(1);
  });
}

// Sample of a document for language detection.

/**
 * Shortest block, in UTF-16 units, that tells its language well: sentences tell more than names,
 * addresses and headings.
 */
const TELLING_LENGTH = 40;
/** The sample is about as long as the text that language detectors examine. */
const MAX_BLOCKS = 40;
const MAX_BLOCK_LENGTH = 200;

/**
 * Samples paragraphs spread over the whole document, as the first page may be in another language. A
 * document without long paragraphs is sampled from all its blocks; one without text gives an empty sample.
 */
function languageSample(blocks: readonly DocumentBlock[]): TextSegment[] {
  const telling = blocks.filter(({ segment }) => plainText(segment).length >= TELLING_LENGTH);
  const candidates = telling.length > 0 ? telling : blocks;
  const stride = Math.max(1, candidates.length / MAX_BLOCKS);
  return Array.from({ length: Math.min(MAX_BLOCKS, candidates.length) }, (_, index) => {
    const text = plainText(candidates[Math.floor(index * stride)]?.segment ?? []);
    // Each block is cut, so that no long one displaces the others.
    return [text.slice(0, MAX_BLOCK_LENGTH)];
  });
}
