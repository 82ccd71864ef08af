import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../server/models/catalogue.ts';
import { findModels } from '../../server/models/find-models.ts';
import { installModel, removeModel } from '../../server/models/installation.ts';
import { startFileServer, type FileServer } from '../support/services/file-server.ts';
import { tarBz2, type ArchiveEntry } from '../support/documents/tar-archive.ts';
import { resizeDisk, smallDisk, temporaryFolder } from '../support/machine/temporary-folder.ts';

const release = { from: 'release', path: 'asr-models/tones.tar.bz2' } as const;
const entry: CatalogueEntry = {
  name: 'tones',
  about: 'hears tones',
  kind: 'recognition',
  family: 'streaming-nemo-ctc',
  languages: ['en'],
  licence: 'Apache-2.0',
  source: 'https://example.org/tones',
  origin: release,
};
const ARCHIVE = '/asr-models/tones.tar.bz2';
const CHECKSUMS = '/asr-models/checksum.txt';
/** Incompressible, like weights. */
const weights = randomBytes(400_000);
const contents: ArchiveEntry[] = [
  { name: 'tones/', type: '5' },
  { name: 'tones/model.onnx', content: weights },
  { name: 'tones/tokens.txt', content: '▁one 0\n<blk> 1\n' },
];
const honest = tarBz2(contents);

let server: FileServer;
beforeAll(async () => (server = await startFileServer()));
afterAll(() => server.close());
beforeEach(() => {
  server.files.clear();
  server.files.set(ARCHIVE, honest);
  server.faults.length = 0;
  server.requests.length = 0;
  server.hasRanges = true;
});

function install(modelsFolder: string, more: Partial<Parameters<typeof installModel>[0]> = {}) {
  return installModel({
    entry,
    modelsFolder,
    releasesUrl: server.url,
    npm: ['npm'] as const,
    firstPauseMs: 1,
    ...more,
  });
}

function sumOf(archive: Buffer): string {
  return createHash('sha256').update(archive).digest('hex');
}

/** Lists a folder of models without hidden entries. */
function visible(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('.'));
}

describe('a model installation', () => {
  it('adds a model that is found from then on, and removes it', async () => {
    const folder = path.join(temporaryFolder(), 'models');
    const { model, sha256, checkedAgainst } = await install(folder);
    expect({ sha256, checkedAgainst }).toEqual({
      sha256: sumOf(honest),
      checkedAgainst: undefined,
    });
    expect(readFileSync(model.files['model'] ?? '').equals(weights)).toBe(true);
    expect(await findModels(folder)).toEqual({ models: [model], unusable: [] });
    expect(model).toMatchObject({ name: 'tones', licence: 'Apache-2.0', languages: ['en'] });
    expect(await install(folder)).toMatchObject({ isNew: false, model });
    await removeModel(folder, 'tones');
    expect(visible(folder)).toEqual([]);
    expect((await findModels(folder)).models).toEqual([]);
  });

  it('names the program bzip2 where it is missing', async () => {
    const folder = temporaryFolder();
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    try {
      const missing = install(path.join(folder, 'models'));
      await expect(missing).rejects.toThrow('Install the package bzip2');
    } finally {
      process.env['PATH'] = PATH;
    }
    expect(await install(path.join(folder, 'models'))).toMatchObject({ isNew: true });
    // The archive is not downloaded again.
    expect(server.requests.filter(({ path: asked }) => asked === ARCHIVE)).toHaveLength(1);
  });

  it('keeps the archive when the disk is full', async ({ skip }) => {
    const folder = smallDisk('700k', skip);
    const told = `There is no room left for the model in ${folder}. Make room, or set MODELS_DIR`;
    await expect(install(folder)).rejects.toThrow(told);
    expect(visible(folder)).toEqual([]);
    resizeDisk(folder, '2m');
    expect(await install(folder)).toMatchObject({ isNew: true });
    expect(server.requests.filter(({ path: asked }) => asked === ARCHIVE)).toHaveLength(1);
  });

  it('refuses a truncated archive', async () => {
    server.files.set(ARCHIVE, honest.subarray(0, 150_000));
    await expect(install(path.join(temporaryFolder(), 'models'))).rejects.toThrow('damaged');
  });

  it('reports its progress', async () => {
    const told: number[] = [];
    const steps: string[] = [];
    await install(temporaryFolder(), {
      onProgress: (bytes, totalBytes) => told.push(bytes / (totalBytes ?? Number.NaN)),
      onStep: (step) => steps.push(step),
    });
    expect(steps).toEqual(['download', 'check', 'unpack']);
    expect(told[0]).toBe(0);
    expect(told.at(-1)).toBe(1);
    expect(told.toSorted((one, other) => one - other)).toEqual(told);
  });

  it('removes only models of its folder', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'models'));
    mkdirSync(path.join(folder, 'other'));
    for (const name of ['../other', '.', '..', 'none', '.downloads']) {
      await expect(removeModel(path.join(folder, 'models'), name)).rejects.toThrow('No model');
    }
    expect(existsSync(path.join(folder, 'other'))).toBe(true);
  });
});

describe('a model download', () => {
  it('resumes where its connection broke', async () => {
    const folder = temporaryFolder();
    const hasMoreThan = (bytes: number) => () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.part'))
        .some((name) => statSync(path.join(folder, name)).size > bytes);
    server.faults.push(
      { breakAfterBytes: 100_000, whenTaken: hasMoreThan(0) },
      { status: 503 },
      { breakAfterBytes: 150_000, whenTaken: hasMoreThan(100_000) },
    );
    const { sha256 } = await install(folder);
    expect(sha256).toBe(sumOf(honest));
    const parts = server.requests.map(({ range }) => Number(/\d+/.exec(range ?? '0')?.[0]));
    expect(parts[0]).toBe(0);
    // Data received before the break is not sent again.
    expect(parts[1]).toBeGreaterThan(0);
    expect(parts[3]).toBeGreaterThan(parts[2] ?? 0);
    expect(server.requests[1]?.ifRange).toMatch(/^"/);
  });

  it('resumes the download of an earlier call', async () => {
    const folder = temporaryFolder();
    const broken = Array.from({ length: 5 }, () => ({ status: 500 }));
    server.faults.push({ breakAfterBytes: 150_000 }, ...broken);
    await expect(install(folder)).rejects.toThrow('download failed');
    expect(visible(folder)).toEqual([]);
    server.faults.length = 0;
    server.requests.length = 0;
    expect((await install(folder)).sha256).toBe(sumOf(honest));
    expect(server.requests[0]?.range).toMatch(/^bytes=[1-9]/);
  });

  it('restarts when the file has changed or the server does not support ranges', async () => {
    for (const hasRanges of [true, false]) {
      const folder = temporaryFolder();
      server.hasRanges = hasRanges;
      server.faults.push(
        { breakAfterBytes: 150_000 },
        ...Array<{ status: number }>(5).fill({ status: 500 }),
      );
      await expect(install(folder)).rejects.toThrow('download failed');
      server.faults.length = 0;
      const newer = tarBz2([...contents, { name: 'tones/README.md', content: 'new' }]);
      server.files.set(ARCHIVE, newer);
      expect((await install(folder)).sha256).toBe(sumOf(newer));
    }
  });

  it('fails at once when the file does not exist', async () => {
    server.files.delete(ARCHIVE);
    await expect(install(temporaryFolder())).rejects.toThrow('answered 404');
  });

  it('fails when the server falls silent', async () => {
    const { createServer } = await import('node:http');
    const silent = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('a');
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const options = { releasesUrl: `http://127.0.0.1:${port}`, stallTimeoutMs: 50 };
    await expect(install(temporaryFolder(), options)).rejects.toThrow('silent');
    silent.closeAllConnections();
    silent.close();
  });
});

describe('a model checksum', () => {
  it('is verified if the publisher provides it beside the file', async () => {
    server.files.set(
      CHECKSUMS,
      Buffer.from(`other.tar.bz2 ${'0'.repeat(64)}\ntones.tar.bz2\t${sumOf(honest)}\n`),
    );
    expect((await install(temporaryFolder())).checkedAgainst).toBe('publisher');
  });

  it.each(['published', 'catalogued'])(
    'that is wrong and %s stops the installation before unpacking',
    async (kind) => {
      const wrong = '0'.repeat(64);
      if (kind === 'published')
        server.files.set(CHECKSUMS, Buffer.from(`${wrong} *tones.tar.bz2\n`));
      const folder = temporaryFolder();
      const origin = { ...release, sha256: wrong };
      const options = kind === 'catalogued' ? { entry: { ...entry, origin } } : {};
      await expect(install(folder, options)).rejects.toThrow(`instead of ${wrong}`);
      expect(visible(folder)).toEqual([]);
      expect(readdirSync(path.join(folder, '.downloads'))).toEqual([]);
    },
  );
});

describe('a model archive', () => {
  const model = [
    { name: 'tones/model.onnx', content: randomBytes(1_000) },
    { name: 'tones/tokens.txt', content: '▁one 0\n<blk> 1\n' },
  ];
  const hostile: [what: string, archive: () => Buffer, because: RegExp][] = [
    [
      'a path that leaves its folder',
      () => tarBz2([...model, { name: 'tones/../../evil', content: 'x' }]),
      /not in its folder/,
    ],
    [
      'an absolute path',
      () => tarBz2([...model, { name: '/tmp/evil', content: 'x' }]),
      /not in its folder/,
    ],
    [
      'a path of another system',
      () => tarBz2([...model, { name: 'tones/..\\..\\evil', content: 'x' }]),
      /not in its folder/,
    ],
    [
      'a symbolic link',
      () =>
        tarBz2([
          ...model,
          { name: 'tones/out', type: '2', target: '/etc' },
          { name: 'tones/out/evil', content: 'x' },
        ]),
      /neither a file nor a folder/,
    ],
    [
      'a hard link',
      () => tarBz2([...model, { name: 'tones/passwd', type: '1', target: '/etc/passwd' }]),
      /neither a file nor a folder/,
    ],
    [
      'a device',
      () => tarBz2([...model, { name: 'tones/null', type: '3' }]),
      /neither a file nor a folder/,
    ],
    [
      'several folders',
      () => tarBz2([...model, { name: 'other/file', content: 'x' }]),
      /more than one folder/,
    ],
    [
      'more than it looks like',
      () => tarBz2([...model, { name: 'tones/zeros', content: Buffer.alloc(8_000_000) }]),
      /far larger/,
    ],
    [
      'more files than any model',
      () => tarBz2([...model, ...Array.from({ length: 60 }, (_, n) => ({ name: `tones/${n}` }))]),
      /more than 50 files/,
    ],
    ['an end before its end', () => honest.subarray(0, 150_000), /damaged/],
    [
      'a file that is cut off',
      () => tarBz2([...model, { name: 'tones/long', content: 'x', statedBytes: 1_000_000 }]),
      /damaged/,
    ],
    ['something else than an archive', () => randomBytes(100_000), /damaged/],
    ['nothing', () => tarBz2([]), /damaged/],
    [
      'no model',
      () => tarBz2([{ name: 'tones/tokens.txt', content: 'a 0' }]),
      /no single file for its model/,
    ],
  ];
  const limits = { maxEntries: 50, freeBytes: 1_000_000 };

  it.each(hostile)('with %s is refused and leaves nothing', async (_what, archive, because) => {
    const folder = temporaryFolder();
    const models = path.join(folder, 'models');
    server.files.set(ARCHIVE, archive());
    await expect(install(models, { limits })).rejects.toThrow(because);
    expect(readdirSync(models)).toEqual(['.downloads']);
    expect(readdirSync(folder)).toEqual(['models']);
    expect(existsSync('/tmp/evil')).toBe(false);
  });
});
