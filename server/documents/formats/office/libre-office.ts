/**
 * Converts documents with Debian's LibreOffice, which is made to obey whoever wrote the
 * document: it fetches linked pictures and puts linked files into the result. So it runs in a sandbox
 * (bubblewrap) with no network, nothing of the machine but its programs and fonts, and files in memory
 * that are gone when it ends. Where there is no sandbox, nothing is converted.
 */
import { findContainment, type Command, type Containment } from '../../../process/index.ts';
import { DocumentError } from '../format.ts';
import {
  MEMORY_FILES_BYTES,
  ProgramFailure,
  runProgram,
  type ProgramEnd,
} from '../foreign-program.ts';

const MB = 1024 * 1024;

/** LibreOffice takes 2 s for a letter, 40 s for a thousand pages. */
const limits = { timeMs: 120_000, memoryBytes: 4096 * MB, outputBytes: 256 * MB };

/** LibreOffice's own exit code does not say whether it converted anything. */
const EXIT_NOT_CONVERTED = 3;
const script = [
  'cd "$(mktemp -d)" && mkdir out',
  'cat >in',
  'command -v soffice >/dev/null || exit 127',
  'soffice "-env:UserInstallation=file://$PWD/profile" --headless --norestore --nolockcheck' +
    ' --nodefault --nologo --infilter="$1" --convert-to docx:"MS Word 2007 XML" --outdir out in' +
    ' >/dev/null 2>&1',
  `test -s out/in.docx || exit ${EXIT_NOT_CONVERTED}`,
  'exec cat out/in.docx',
].join('\n');

/** LibreOffice's names for what it reads. */
export type ImportFilter =
  'MS Word 97' | 'MS Word 95' | 'MS WinWord 6.0' | 'Rich Text Format' | 'MS Word 2007 XML';

/**
 * Converts a document that LibreOffice reads into a .docx file.
 *
 * @param filter what it is; LibreOffice would take what it does not know for plain text
 * @throws DocumentError when it cannot be read, takes too long, or when LibreOffice or its sandbox is
 *   not to be had; the signal's reason
 */
export async function convertToDocx(
  file: Uint8Array,
  { filter, timeMs, signal }: { filter: ImportFilter; timeMs?: number; signal?: AbortSignal },
): Promise<Uint8Array> {
  const command = ['/bin/sh', '-c', script, 'sh', filter] as const;
  const end = await runSandboxed(command, { input: file, timeMs, signal });
  if (end.exitCode === 0) return end.output;
  throw unreadable();
}

let containment: Promise<Containment> | undefined;

/**
 * Runs a command in the sandbox in which LibreOffice runs, which gives it its files and takes them away.
 *
 * @throws DocumentError when it takes too long, or bubblewrap or the command is not there; the signal's
 *   reason
 */
export async function runSandboxed(
  command: Command,
  {
    input = new Uint8Array(),
    timeMs = limits.timeMs,
    signal,
  }: { input?: Uint8Array; timeMs?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<ProgramEnd> {
  containment ??= findContainment(['/bin/true'], { memoryFilesBytes: MEMORY_FILES_BYTES });
  const found = await containment;
  if (found.lack !== undefined) throw sandboxless(found.lack);
  try {
    return await runProgram({
      ...{ command, containment: found, input, signal },
      limits: { ...limits, timeMs },
      environment: { HOME: '/tmp' },
    });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw failures[error.kind](error);
  }
}

const failures: Record<ProgramFailure['kind'], (cause: ProgramFailure) => DocumentError> = {
  missing: (cause) =>
    new DocumentError(
      'Reading .doc files needs the Debian packages libreoffice-writer-nogui and bubblewrap on the server. Until then, please save the document as .docx.',
      { cause },
    ),
  timeout: tooMuch,
  output: tooMuch,
  killed: tooMuch,
};

function tooMuch(cause: ProgramFailure): DocumentError {
  return new DocumentError(
    'The document takes too long to be read. Please save it as .docx and send it again.',
    { cause },
  );
}

function unreadable(): DocumentError {
  return new DocumentError(
    'The document could not be read: it is damaged or protected. Please open it, save it as .docx and send that.',
  );
}

function sandboxless(lack: string): DocumentError {
  return new DocumentError(
    `Reading .doc files is switched off: LibreOffice runs in a sandbox alone, and there is none. ${lack} Until then, please save the document as .docx.`,
  );
}
