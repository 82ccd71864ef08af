/** FFmpeg as this machine has it. */
import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { findContainment, type Containment } from '../../process/index.ts';

export interface FfmpegProgram {
  path: string;
  /** How it is started. */
  containment: Containment;
}

const CHECK_LIMIT_MS = 10_000;

const run = promisify(execFile);

/**
 * Looks for FFmpeg; undefined when it is missing or does not run.
 *
 * @param command name or path; a name is looked for where the system looks for programs
 */
export async function findFfmpegProgram(command: string): Promise<FfmpegProgram | undefined> {
  try {
    const options = { timeout: CHECK_LIMIT_MS };
    const { stdout: found } = await run('/bin/sh', ['-c', 'command -v "$0"', command], options);
    const path = found.trim();
    // A shell has commands of its own.
    if (!isAbsolute(path)) return undefined;
    await run(path, ['-version'], options);
    return { path, containment: await findContainment([path, '-version'], { readable: [path] }) };
  } catch {
    return undefined;
  }
}
