import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createDocumentProcesses,
  documentContainment,
  FormatFailure,
  type DocumentLimits,
  type DocumentProcess,
} from '../../../server/documents/jobs/document-process.ts';
import { rehearse } from '../../../server/documents/jobs/document-rehearsal.ts';
import { checkMarks } from '../../../server/documents/jobs/document-sentences.ts';
import { DocumentError, type OpenOptions } from '../../../server/documents/formats/format.ts';
import type { Containment } from '../../../server/process/containment.ts';
import { killTree, processTree, residentBytes } from '../../../server/process/supervision.ts';
import { createTemporaryFolder, temporaryFolderSweep } from '../../../server/process/children.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { builtModule } from '../../support/suite/built-product.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { until } from '../../support/product/server.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';

const opening: OpenOptions = {
  source: 'en',
  target: 'es',
  output: 'txt',
  maxCharacters: 1_000_000,
};
const languages = { source: 'en', target: 'es' };
const generous: DocumentLimits = { timeMs: 60_000, memoryBytes: 2 ** 30 };
let log = recordLog();
let folder = '';

beforeEach(() => {
  log = recordLog();
  folder = temporaryFolder();
  // Parent of the processes' temporary folders.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
});

async function start({
  limits = generous,
  signal = new AbortController().signal,
  ...given
}: {
  limits?: DocumentLimits;
  signal?: AbortSignal;
  containment?: Containment;
} = {}): Promise<DocumentProcess> {
  const started = await createDocumentProcesses({ limits, log, ...given }).take(signal);
  onTestFinished(() => started.close());
  return started;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );

function isRunning(pid: number): boolean {
  return residentBytes([pid]) > 0;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const text = (content: string) => Buffer.from(content, 'utf8');

describe('a document process', () => {
  it('opens and writes files under a server with the lowest priority, and leaves nothing behind', async () => {
    const containment = await documentContainment();
    const document = await start({
      containment: {
        ...containment,
        wrap: (command) => ['nice', '-n', '19', ...containment.wrap(command)],
      },
    });
    const opened = await document.open(text('One.\n\nTwo.\n\nOne.\n'), 'txt', opening);
    expect(opened).toMatchObject({ characters: 17, sample: [['One.'], ['Two.'], ['One.']] });
    const sentences = await document.sentences('en');
    expect(sentences.map(({ segment }) => segment)).toEqual([['One.'], ['Two.']]);
    const translations = new Map([
      [sentences[0]!.key, ['Uno.']],
      [sentences[1]!.key, ['Dos.']],
    ]);
    const written = await document.write(translations, languages);
    expect(Buffer.from(written).toString()).toBe('Uno.\n\nDos.\n\nUno.\n');
    await document.close();
    expect(isRunning(document.pid!)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reports the problem of a file in the format's words, marks that it cannot transfer, a fault of a format without text of the document, and fails with a retryable error when it is killed", async () => {
    const document = await start();
    const problem = await failureOf(document.open(text('One\0two'), 'txt', opening));
    expect(problem).toBeInstanceOf(DocumentError);
    expect(problem).toHaveProperty('message', expect.stringContaining('not a text file'));
    const read = async (unit: string, times: number) => {
      await document.open(text(`<p>${unit.repeat(times)}a</p>`), 'html', opening);
      return document.sentences('en');
    };
    for (const [unit, tooMany] of [
      ['<i>a</i> ', 3_000],
      ['<b>', 350_000],
    ] as const) {
      expect(await read(unit, 1_000)).toHaveLength(1);
      const error = await failureOf(read(unit, tooMany));
      expect(error).toBeInstanceOf(DocumentError);
      expect(error).toHaveProperty('message', expect.stringMatching(/formatting|tags/));
    }
    expect(log.lines).toEqual([]);
    await document.open(text('The secret.'), 'txt', opening);
    const [sentence] = await document.sentences('en');
    const wrong = { secret: 'The secret.' } as unknown as TextSegment;
    const error = await failureOf(document.write(new Map([[sentence!.key, wrong]]), languages));
    expect(error).toBeInstanceOf(FormatFailure);
    expect(log.lines).toHaveLength(1);
    expect(JSON.stringify(log.lines)).toContain('TypeError');
    expect(JSON.stringify([log.lines, String(error)])).not.toContain('secret');
    process.kill(document.pid!, 'SIGKILL');
    const end = await failureOf(document.ended);
    expect(end).toBeInstanceOf(Error);
    expect(end).not.toBeInstanceOf(DocumentError);
    expect(end).not.toBeInstanceOf(FormatFailure);
    expect(await failureOf(document.write(new Map(), languages))).toBe(end);
    expect(log.lines.slice(1)).toMatchObject([{ level: 'warn', fields: { signal: 'SIGKILL' } }]);
  });

  it.each([
    ['in one block', 1, 50_000, 70_000],
    ['in all blocks', 50, 7_000, 9_000],
  ])('refuses more marks %s than it can transfer', (_, count, fine, tooMany) => {
    const blocksWith = (marks: number) => {
      const segment = Array.from({ length: marks }, (_, id) => ({ mark: 'lone', id }) as const);
      return Array.from({ length: count }, () => ({ segment, kind: 'paragraph' as const }));
    };
    expect(() => checkMarks(blocksWith(fine))).not.toThrow();
    expect(() => checkMarks(blocksWith(tooMany))).toThrow(DocumentError);
  });

  it('ends at its time limit', async () => {
    const document = await start({ limits: { ...generous, timeMs: 1 } });
    const error = await failureOf(document.open(text('One.'), 'txt', opening));
    expect(error).toBeInstanceOf(DocumentError);
    expect(error).toHaveProperty('message', expect.stringContaining('takes too long'));
    await until(() => !isRunning(document.pid!));
  });

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController();
    const document = await start({ signal: abort.signal });
    const opened = document.open(text('One. '.repeat(100_000)), 'txt', opening);
    const reason = new Error('Nobody waits.');
    abort.abort(reason);
    expect(await failureOf(opened)).toBe(reason);
    await until(() => !isRunning(document.pid!));
    expect(await failureOf(start({ signal: abort.signal }))).toBe(reason);
  });

  it('does not outlive a killed parent', async () => {
    const script = path.join(folder, 'parent.mjs');
    writeFileSync(
      script,
      `import { createDocumentProcesses } from ${JSON.stringify(builtModule('server/documents/jobs/document-process.ts'))};
       const processes = createDocumentProcesses({ limits: ${JSON.stringify(generous)}, log: console });
       const document = await processes.take(new AbortController().signal);
       await document.open(Buffer.from('One.'), 'txt', ${JSON.stringify(opening)});
       console.log(document.pid);`,
    );
    const parent = spawn(process.execPath, [script]);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isRunning(pid));
    await until(() => !readdirSync(folder).some((name) => name.startsWith('dragoman-document')));
  });
});

describe('a waiting document process', () => {
  const { signal } = new AbortController();
  const childrenOf = () =>
    processTree(process.pid).filter((pid) => commandOf(pid).includes('"rehearses":true'));

  /** Including all of its children. */
  function waitingOnes(): Promise<number[]> {
    return until(() => (childrenOf().length > 0 ? childrenOf() : undefined));
  }

  function processesAhead(limits = generous) {
    const processes = createDocumentProcesses({ limits, log, mayWait: () => true });
    onTestFinished(() => processes.close());
    return processes;
  }

  it('is replaced on demand when it is killed, serves one document at a time and is then followed by another, and ends with its owner', async () => {
    const processes = processesAhead();
    // Detecting the containment starts processes too.
    await documentContainment();
    processes.prepare();
    processes.prepare();
    const [killed = 0] = await waitingOnes();
    process.kill(killed, 'SIGKILL');
    await until(() => log.lines.length > 0);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { signal: 'SIGKILL' } }]);
    const first = await processes.take(signal);
    expect(await first.open(text('One.'), 'txt', opening)).toMatchObject({ characters: 4 });
    await first.close();
    const next = await waitingOnes();
    const second = await processes.take(signal);
    expect(next).toContain(second.pid);
    expect(second.pid).not.toBe(first.pid);
    const beside = await processes.take(signal);
    expect(beside.pid).not.toBe(second.pid);
    await beside.close();
    expect(await second.open(text('Three.'), 'txt', opening)).toMatchObject({ characters: 6 });
    await second.close();
    const left = await waitingOnes();
    expect(left).not.toContain(second.pid);
    await processes.close();
    expect(left.filter(isRunning)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is still starting ends with the others', async () => {
    const processes = processesAhead();
    const taking = processes.take(signal);
    await processes.close();
    const document = await taking;
    expect(isRunning(document.pid!)).toBe(false);
    await expect(document.open(text('One.'), 'txt', opening)).rejects.toThrow('closed');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not started where a document may use little memory, and ends at that limit', async () => {
    const processes = processesAhead({ ...generous, memoryBytes: 100e6 });
    processes.prepare();
    const document = await processes.take(signal);
    expect(childrenOf()).toEqual([]);
    const many = text('The house is big. '.repeat(1_000_000));
    const options = { ...opening, maxCharacters: 1e9 };
    const error = await failureOf(document.open(many, 'txt', options));
    expect(error).toBeInstanceOf(DocumentError);
    expect(error).toHaveProperty('message', expect.stringContaining('more memory'));
    await until(() => !isRunning(document.pid!));
  });

  it('rehearses the formats that it can read and write', async () => {
    expect(await rehearse(signal, 0)).toEqual(['docx', 'html', 'pdf']);
  });

  it('stops rehearsing when its document arrives', async () => {
    const come = new AbortController();
    const rehearsed = rehearse(come.signal, 2 ** 30);
    // It listens during its pauses, between quick and slow rehearsals.
    await until(() => getEventListeners(come.signal, 'abort').length > 0);
    come.abort();
    await expect(rehearsed).rejects.toThrow('aborted');
  });
});

it('the server sweeps folders of killed processes, but not folders in use or of others', async () => {
  const used = path.basename(await createTemporaryFolder('document'));
  const left = ['dragoman-document-a', 'dragoman-pieces-c', 'dragoman-speech-b', 'somebody-else'];
  for (const name of left) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'dragoman-speech-b', 'speech.wav'), 'R');
  const marked = () => statSync(path.join(folder, used)).mtimeMs;
  const sweep = temporaryFolderSweep();
  const first = marked();
  await sweep();
  expect(readdirSync(folder).sort()).toEqual([used, ...left].sort());
  await until(() => marked() !== first);
  await sweep();
  expect(readdirSync(folder).sort()).toEqual([used, 'somebody-else'].sort());
});

describe('killing a process tree', () => {
  it("reaches a program's children inside and outside its group", async () => {
    const shell = spawn('sh', ['-c', 'sleep 600 & setsid sleep 600 & sleep 600'], {
      detached: true,
    });
    const leader = shell.pid!;
    onTestFinished(() => killTree(leader));
    await until(() => processTree(leader).length === 4);
    const tree = processTree(leader);
    expect(residentBytes(tree)).toBeGreaterThan(residentBytes([leader]));
    killTree(leader);
    await until(() => !tree.some(isRunning));
  });
});
