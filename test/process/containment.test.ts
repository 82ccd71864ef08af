/** Programs that read untrusted input can reach nothing else; a shell takes their place in these tests. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { documentContainment } from '../../server/documents/jobs/document-process.ts';
import {
  findContainment,
  SYSTEM_PATH,
  type Command,
  type Containment,
} from '../../server/process/containment.ts';
import { processTree } from '../../server/process/supervision.ts';
import { findDecoderContainment, findFfmpeg } from '../../server/voice/audio/decode.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { until } from '../support/product/server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Without a working bubblewrap there is nothing to test, and these tests are skipped. */
const canContain = (await findContainment(['/bin/true'])).lack === undefined;
const isRoot = process.getuid?.() === 0;

const SECRET = 'SECRETOFTHEMACHINE';
const server = createServer((socket) => socket.end());
let port = 0;
let dataFolder = '';
let secretFile = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  dataFolder = temporaryFolder();
  secretFile = path.join(dataFolder, 'api-key');
  writeFileSync(secretFile, SECRET);
  // Only containment must stand in the way.
  chmodSync(dataFolder, 0o755);
});
afterAll(() => server.close());

const containments: [string, () => Promise<Containment>][] = [
  ['the document process', documentContainment],
  ['audio decoders', findDecoderContainment],
  ['FFmpeg', async () => (await findFfmpeg())!.containment],
];

function run([program, ...args]: Command): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { PATH: SYSTEM_PATH },
    encoding: 'utf8',
  });
  return { code: status, output: stdout + stderr };
}

/** Commands that succeed outside and must fail in the containment. */
const misdeeds = (): Record<string, string> => ({
  'connect to a server of the machine': `exec 3<>/dev/tcp/127.0.0.1/${port}`,
  'read a file of the data folder': `cat ${secretFile}`,
  'read who has accounts': 'cat /etc/passwd',
  'write to the data folder': `touch ${dataFolder}/written`,
  'write to folders of the system': 'touch /usr/bin/.written && rm /usr/bin/.written',
  'write to the root folder': 'touch /.written && rm /.written',
  'change the kernel': 'cat /proc/sys/kernel/core_pattern >/proc/sys/kernel/core_pattern',
  'see other processes': `test -e /proc/${process.pid}`,
});

/** Tries all misdeeds, each in a shell of its own, and tells the privileges and the folder of all of them. */
function attempted(wrap: Containment['wrap']): { done: string[]; output: string } {
  const attempts = Object.entries(misdeeds()).map(
    ([name, deed]) => `(${deed}) && printf '\\ndone: %s\\n' '${name}'`,
  );
  const size = 'stat --file-system --format "folder: %T %S %b" /tmp';
  const all = [...attempts, 'cat /proc/self/status', size, 'echo all tried'].join('\n');
  const { output } = run(wrap(['/bin/bash', '-c', all]));
  expect(output).toMatch(/^all tried$/m);
  return { done: [...output.matchAll(/^done: (.*)$/gm)].map(([, name = '']) => name), output };
}

it.skipIf(!canContain).each(containments)(
  'the containment of %s does not let the program reach, read or change anything of the machine, nor gain privileges or much of its memory',
  async (_, find) => {
    const { wrap, lack } = await find();
    expect(lack).toBeUndefined();
    const { done, output } = attempted(wrap);
    expect(done).toEqual([]);
    expect(output).not.toContain(SECRET);
    expect(output).toMatch(/^NoNewPrivs:\t1$/m);
    expect(output).toMatch(/^CapEff:\t0+$/m);
    expect(output).toMatch(/^CapPrm:\t0+$/m);
    expect(output).toMatch(/^Uid:(\t[1-9]\d*){4}$/m);
    const [, blockBytes, blocks] = /^folder: tmpfs (\d+) (\d+)$/m.exec(output) ?? [];
    expect(Number(blockBytes) * Number(blocks)).toBeLessThan(900_000_000);
  },
);

it.runIf(isRoot)('outside a containment, root can do all that is forbidden in it', () => {
  expect(attempted((command) => command).done).toEqual(Object.keys(misdeeds()));
});

describe.skipIf(!canContain)('a containment', () => {
  it('gives the program a folder of its own, which is limited and which others do not see', async () => {
    const { wrap } = await findContainment(['/bin/true']);
    const mark = `dragoman-${process.pid}-mark`;
    const own = `echo kept >/tmp/${mark} && cat /tmp/${mark}`;
    expect(run(wrap(['/bin/bash', '-c', own]))).toEqual({ code: 0, output: 'kept\n' });
    expect(run(wrap(['/bin/bash', '-c', `cat /tmp/${mark}`])).code).not.toBe(0);
    const fill = (bytes: number): Command => {
      return ['/bin/sh', '-c', `head -c ${bytes} /dev/zero >/tmp/large`];
    };
    expect(run(wrap(fill(20_000_000))).code).not.toBe(0);
    const small = await findContainment(['/bin/true'], { memoryFilesBytes: 1_000_000 });
    expect(run(small.wrap(fill(900_000))).code).toBe(0);
    expect(run(small.wrap(fill(1_100_000))).code).not.toBe(0);
  });

  it.each([os.tmpdir(), '/dev/shm'])('exposes readable paths in %s read-only', async (place) => {
    const folder = mkdtempSync(path.join(place, 'dragoman-readable-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(path.join(folder, 'given'));
    const file = path.join(folder, 'given', 'file');
    writeFileSync(file, 'readable');
    writeFileSync(path.join(folder, 'kept'), SECRET);
    const readable = [path.join(folder, 'given'), '/nowhere/at/all'];
    const { wrap } = await findContainment(['/bin/true'], { readable });
    expect(run(wrap(['/bin/cat', file]))).toEqual({ code: 0, output: 'readable' });
    expect(run(wrap(['/bin/sh', '-c', `echo more >>${file}`])).code).not.toBe(0);
    expect(run(wrap(['/bin/cat', path.join(folder, 'kept')])).code).not.toBe(0);
  });

  it.runIf(isRoot)('exposes files of root, and still protects the kernel', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'file');
    writeFileSync(file, 'of root', { mode: 0o600 });
    const { wrap } = await findContainment(['/bin/true'], { readable: [file] });
    expect(run(wrap(['/bin/cat', file]))).toEqual({ code: 0, output: 'of root' });
    const change = misdeeds()['change the kernel']!;
    expect(run(wrap(['/bin/sh', '-c', change])).code).not.toBe(0);
  });

  it.runIf(isRoot)('works alike for a server that is not root', () => {
    const module = JSON.stringify(builtModule('server/process/containment.ts'));
    const command = `cat ${secretFile} || cat /proc/self/status`;
    const script = `import { findContainment } from ${module};
      const { wrap, lack } = await findContainment(['/bin/true']);
      console.log(JSON.stringify({ lack, command: wrap(['/bin/sh', '-c', '${command}']) }));`;
    const user = { uid: 65_534, gid: 65_534 };
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      ...user,
      encoding: 'utf8',
    });
    const { lack, command: wrapped } = JSON.parse(told) as {
      lack?: string;
      command: [string, ...string[]];
    };
    expect(lack).toBeUndefined();
    const { stdout } = spawnSync(wrapped[0], wrapped.slice(1), { ...user, encoding: 'utf8' });
    expect(stdout).not.toContain(SECRET);
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
    expect(stdout).toMatch(/^CapEff:\t0+$/m);
    expect(stdout).toMatch(/^Uid:(\t65534){4}$/m);
  });

  it('reports that a program cannot be started in it', async () => {
    const program = path.join(temporaryFolder(), 'program');
    const { wrap, lack } = await findContainment([program]);
    expect(lack).toContain('program');
    expect(wrap(['/bin/true'])).toEqual(['/bin/true']);
  });

  it('kills everything that was started, at any stage', async () => {
    const { wrap, kill } = await findContainment(['/bin/true']);
    for (let turn = 0; turn < 5; turn += 1) {
      const [program, ...args] = wrap(['/bin/sh', '-c', 'sleep 600 & sleep 600']);
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
      onTestFinished(() => kill(child));
      // At stages from before the second process exists until all processes run.
      const grown = 1 + turn;
      await until(() => processTree(child.pid!).length >= grown);
      const tree = processTree(child.pid!);
      kill(child);
      // The output closes with the last process that holds it.
      await once(child, 'close');
      expect(tree.length).toBeGreaterThanOrEqual(grown);
    }
  });
});
