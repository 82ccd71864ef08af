import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/product/server.ts';

const sources = {
  'package.json': '{"type":"module"}',
  'program.ts': `
    import { connectVoice, VoiceError, type CaptionEvent } from 'dragoman/client';
    const session = connectVoice({ server: 'http://127.0.0.1:1', apiKey: 'key', contentType: 'audio/auto' });
    const seen: CaptionEvent[] = [];
    session.on('caption', (caption) => seen.push(caption));
    for await (const event of session) if (event.type === 'speech') event.pieces satisfies readonly Uint8Array[];
    // @ts-expect-error a status is no number
    export const wrong: number = session.status;
    export const code = new VoiceError('closed').code;`,
  'page.ts': `
    import { connectVoice } from 'dragoman/client';
    connectVoice({ tokenProvider: '/captions-token', contentType: 'audio/webm;codecs=opus', WebSocket });
    // @ts-expect-error a page must not have the key
    connectVoice({ server: 'http://127.0.0.1:1', apiKey: 'key', contentType: 'audio/auto' });`,
  'main.mjs': `
    import { connectVoice } from 'dragoman/client';
    const session = connectVoice({ server: 'http://127.0.0.1:1', apiKey: 'key', contentType: 'audio/auto', attempts: { toBegin: 1 } });
    await session.done.catch(({ code }) => console.log(code));`,
};

/** A project with the package installed: the real package.json over the built client. */
function makeProject(folder: string): void {
  const installed = path.join(folder, 'node_modules/dragoman');
  mkdirSync(installed, { recursive: true });
  cpSync(path.join(projectFolder, 'package.json'), path.join(installed, 'package.json'));
  const built = path.join(projectFolder, 'dist/shared');
  cpSync(built, path.join(installed, 'dist/shared'), { recursive: true });
  copyDeclarations(path.join(installed, 'dist/shared'), path.join(folder, DECLARATIONS));
  symlinkSync(path.join(projectFolder, 'node_modules'), path.join(installed, 'node_modules'));
  symlinkSync(
    path.join(projectFolder, 'node_modules/@types'),
    path.join(folder, 'node_modules/@types'),
  );
  for (const [name, text] of Object.entries(sources)) writeFileSync(path.join(folder, name), text);
}

/** Next to the package's dependencies. */
const DECLARATIONS = 'node_modules/dragoman/declarations';

/**
 * Copies declarations as sources, so that those of libraries need not be checked, which takes ten times as
 * long.
 */
function copyDeclarations(from: string, to: string): void {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const copy = path.join(to, name.replace(/\.d\.ts$/, '.ts'));
    mkdirSync(path.dirname(copy), { recursive: true });
    cpSync(path.join(from, name), copy);
  }
}

/**
 * Type-checks a file that uses the package together with the package's declarations. Declarations of the
 * language, Node and other libraries are not checked.
 *
 * @param entry the declarations of the entry point
 */
function check(
  folder: string,
  file: string,
  { entry, options }: { entry: string; options: readonly string[] },
): string[] {
  const files = [file, path.join(DECLARATIONS, entry), '--ignoreConfig'];
  const given = ['--strict', '--noEmit', '--target', 'es2023', '--skipLibCheck', '--listFiles'];
  const all = [...files, ...given, '--allowImportingTsExtensions', ...options];
  const lines = compile(folder, all).said.split('\n');
  expect(lines).toContainEqual(expect.stringContaining('node_modules/dragoman/dist/shared/client'));
  return lines.filter((line) => /error TS\d+/.test(line));
}

function compile(folder: string, args: readonly string[]): { said: string } {
  const compiler = path.join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { said: `${stdout}${stderr}` };
}

describe('dragoman/client', () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'dragoman-')));
    makeProject(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has types for Node programs', () => {
    const options = ['--module', 'nodenext', '--lib', 'es2023', '--types', 'node'];
    expect(check(folder, 'program.ts', { entry: 'client/node.ts', options })).toEqual([]);
  });

  it('exports values for Node programs', () => {
    const said = execFileSync(process.execPath, [path.join(folder, 'main.mjs')]);
    expect(String(said)).toBe('unreachable\n');
  });

  it('has types for pages, which accept no API key', () => {
    const module = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
    const options = [...module, '--lib', 'es2023,dom,dom.iterable'];
    expect(check(folder, 'page.ts', { entry: 'client/index.ts', options })).toEqual([]);
  });
});
