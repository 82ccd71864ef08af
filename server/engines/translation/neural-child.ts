/** The child process that translates with one model; see neural-model.ts. */
import { readFile } from 'node:fs/promises';
import { loadBergamot, type BergamotModel } from './bergamot.ts';
import type { NeuralAnswer, NeuralOpening, NeuralQuestion } from './neural-model.ts';

/** Any sentence will do: translating it completes the work that only the first translation needs. */
const PROBE = 'A house.';

let complaint = '';

async function start({ files, hasAlphas }: NeuralOpening): Promise<void> {
  const translator = await loadBergamot(await readModel(files, hasAlphas), (line) => {
    const [, text] = /\bError: (.+)/.exec(line) ?? [];
    if (text !== undefined && complaint === '') complaint = text;
  });
  translator.translate([
    { text: PROBE, isHtml: false },
    { text: PROBE, isHtml: true },
  ]);
  translator.compact();
  process.on('message', ({ sentences }: NeuralQuestion) => {
    // An error leaves the runtime unusable, so the process ends with it.
    send({ kind: 'translated', texts: translator.translate(sentences) });
  });
  send({ kind: 'ready' });
}

async function readModel(
  files: NeuralOpening['files'],
  hasAlphas: boolean,
): Promise<BergamotModel> {
  const read = async (file: string | undefined) =>
    file === undefined ? undefined : readFile(file);
  const shared = await read(files.vocab);
  const sourceVocabulary = (await read(files.sourceVocab)) ?? shared;
  const targetVocabulary = (await read(files.targetVocab)) ?? shared;
  if (sourceVocabulary === undefined || targetVocabulary === undefined) {
    throw new Error('a vocabulary is missing.');
  }
  return {
    model: await readFile(files.model),
    shortlist: await read(files.shortlist),
    sourceVocabulary,
    targetVocabulary,
    precision: hasAlphas ? 'int8shiftAlphaAll' : 'int8shiftAll',
  };
}

function send(answer: NeuralAnswer, then?: () => void): void {
  process.send?.(answer, undefined, undefined, then);
}

// The parent has ended, however it ended.
process.on('disconnect', () => process.exit());

start(JSON.parse(process.argv[2] ?? '{}') as NeuralOpening).catch((error: unknown) => {
  const own = error instanceof Error ? error.message : String(error);
  send({ kind: 'failed', reason: complaint === '' ? own : complaint }, () => process.exit(1));
});
