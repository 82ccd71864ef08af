import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../server/setup/paths.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

// Sources of a small project, which is really built.

const sources: Record<string, string> = {
  'server/main.ts': `
    import { greeting } from '../shared/greeting.ts';
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => undefined, 1000);
    console.log(greeting);`,
  // Stands in for the command line: installs a model, or explains why it cannot.
  'server/cli/main.ts': `
    import { mkdirSync, writeFileSync } from 'node:fs';
    const { MODELS_DIR = '', DRAGOMAN_TEST_REGISTRY } = process.env;
    const [, , models, install, name] = process.argv;
    if (DRAGOMAN_TEST_REGISTRY === 'down') {
      console.error('Downloading');
      console.error('The registry cannot be reached.');
      process.exit(1);
    }
    mkdirSync([MODELS_DIR, name].join('/'), { recursive: true });
    writeFileSync([MODELS_DIR, name, 'dragoman-model.json'].join('/'), [models, install].join(' '));`,
  // There is nothing to rehearse.
  'server/rehearsal.mjs': '',
  'shared/greeting.ts': `export const greeting = 'the server runs';`,
  'shared/client/index.ts': `export {};`,
  'shared/client/node.ts': `export {};`,
  'widget/voice-captions.ts': `document.body.title = 'embedded';`,
  'widget/worklet/pcm-capture.ts': `export {};`,
  'widget/demo/index.html': `<script type="module" src="./demo.ts"></script>`,
  'widget/demo/demo.ts': `import '../voice-captions.ts';`,
  'widget/console/index.html': `<script type="module" src="./console.ts"></script>`,
  'widget/console/console.ts': `document.title = 'console';`,
  'widget/room-captions.ts': `document.body.title = 'a room';`,
  'widget/events/viewer.html': `<script type="module" src="./viewer.ts"></script>`,
  'widget/events/viewer.ts': `document.title = 'viewer';`,
  'widget/events/service-worker.ts': `export {};`,
  'widget/events/icons/icon.svg': `<svg xmlns="http://www.w3.org/2000/svg"/>`,
};

/** Creates a project from the real set-up and the smallest server and widget, with packages installed. */
function fillProject(folder: string): void {
  const own = ['package.json', 'package-lock.json', 'tsconfig.json'];
  own.push(
    'server/setup',
    'server/tsconfig.build.json',
    'server/rolldown.config.mjs',
    'server/process/code-cache.ts',
    'widget/tsconfig.json',
  );
  own.push('widget/vite.config.ts', 'shared/tsconfig.types.json');
  for (const name of own) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  for (const [name, text] of Object.entries(sources)) write(folder, name, text);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
}

function write(folder: string, name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Started {
  code: number | null;
  output: string;
  /** Output of the set-up. */
  said: string;
}

/** Starts the project, waits for the server's output, and stops it with a signal. */
async function startAndStop(folder: string, settings: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(process.execPath, ['server/setup/start.mjs'], {
    cwd: folder,
    env: { ...process.env, DRAGOMAN_SETUP: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  // On a busy machine a long build also reports its progress.
  return { code, output, said: said.replaceAll(/^.* …\n/gm, '') };
}

it('builds at the first start, installs the recognition model once, and keeps the last build when a change does not compile', async () => {
  const folder = temporaryFolder();
  fillProject(folder);
  const built = (name: string) => existsSync(path.join(folder, 'dist', name));
  // As an earlier version had built them, whose sources are gone.
  const leftovers = ['shared/leftover.js', 'tables/leftover.bin', 'widget/leftover.js'];
  for (const name of leftovers) write(folder, `dist/${name}`, 'export {};');
  const started = await startAndStop(folder);
  expect(started).toMatchObject({ output: 'the server runs\n', code: 7 });
  expect(started.said).toMatch(/^Setting up \(first start only\)\n {2}build +[\d.]+ s\n$/);
  expect(built('widget/voice-captions.js')).toBe(true);
  expect(built('widget/pcm-capture.worklet.js')).toBe(true);
  expect(built('widget/demo/index.html')).toBe(true);
  expect(leftovers.filter(built)).toEqual([]);

  expect(await startAndStop(folder)).toEqual({ output: 'the server runs\n', code: 7, said: '' });

  // Without dpkg, so that Debian packages are ignored.
  const bare = { DRAGOMAN_SETUP: '', PATH: temporaryFolder(), DATA_DIR: 'own', MODELS_DIR: '' };
  const without = await startAndStop(folder, { ...bare, DRAGOMAN_TEST_REGISTRY: 'down' });
  expect(without).toMatchObject({ output: 'the server runs\n', code: 7 });
  expect(without.said).toContain(
    [
      'The model moonshine-tiny-en is missing; engines that need it stay off. The registry cannot be reached.',
      'To install it: npm run dragoman -- models install moonshine-tiny-en\n',
    ].join('\n'),
  );
  const second = await startAndStop(folder, bare);
  expect(second).toMatchObject({ output: 'the server runs\n', code: 7 });
  expect(second.said).toMatch(/Setting up\n {2}model moonshine-tiny-en [\d.]+ s\n$/);
  const description = path.join(folder, 'own/models/moonshine-tiny-en/dragoman-model.json');
  expect(readFileSync(description, 'utf8')).toBe('models install');
  expect((await startAndStop(folder, bare)).said).not.toContain('Setting up');

  const lastBuild = readFileSync(path.join(folder, 'dist/shared/greeting.js'), 'utf8');
  write(folder, 'shared/greeting.ts', `export const greeting: number = 'wrong';`);
  const failed = await startAndStop(folder);
  expect(failed).toMatchObject({ output: '', code: 1 });
  expect(failed.said).toContain(`shared/greeting.ts(1,14): error TS2322`);
  expect(readFileSync(path.join(folder, 'dist/shared/greeting.js'), 'utf8')).toBe(lastBuild);
});
