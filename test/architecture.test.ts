import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findViolations, type SourceText } from './support/suite/architecture.ts';

const root = path.resolve(import.meta.dirname, '..');

function readSources(): SourceText[] {
  return ['shared', 'server', 'widget', 'test']
    .flatMap((folder) => readdirSync(path.join(root, folder), filesBelow))
    .filter((entry) => entry.isFile() && /\.m?ts$|\.mjs$/.test(entry.name))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(root, file).split(path.sep).join('/');
      return { path: name, text: readFileSync(file, 'utf8') };
    });
}

const filesBelow = { recursive: true, withFileTypes: true, encoding: 'utf8' } as const;

describe('the architecture', () => {
  const sources = readSources();

  it('has imports in one direction, and one reader of the environment', () => {
    expect(sources.map((file) => file.path)).toContain('server/engines/engine.ts');
    expect(findViolations(sources)).toEqual([]);
  });

  it('names commands as they are typed', () => {
    const untypable = /\bdragoman (account|key|listen|memory|models|translate)\b/;
    const untyped = sources.filter(({ text }) => untypable.test(text));
    expect(untyped.map((file) => file.path)).toEqual([]);
  });
});

describe('the architecture check', () => {
  const forbidden: [path: string, text: string, because: string][] = [
    ['shared/a.ts', `import { a } from '../server/app.ts';`, 'must not import values'],
    ['shared/a.ts', `import { readFileSync } from 'node:fs';`, 'must do without node:fs'],
    ['shared/a.ts', `import { readFileSync } from 'fs';`, 'must do without fs'],
    ['widget/a.ts', `import { parse } from '../shared/media-type.ts';`, 'must not import values'],
    ['widget/a.ts', `import { type A } from '../shared/media-type.ts';`, 'must not import values'],
    ['widget/a.ts', `import type { A } from '../server/config.ts';`, 'must not import types'],
    ['widget/a/b.ts', `const a = await import('../../server/app.ts');`, 'must not import values'],
    ['server/setup/a.mjs', `import { build } from 'vite';`, 'must do without vite'],
    ['server/setup/a.mjs', `import { a } from '../config.ts';`, 'must not import values'],
    ['server/process/a.ts', `import { a } from '../voice/a.ts';`, 'must not import values'],
    ['server/engines/a.ts', `import { a } from '../voice/a.ts';`, 'must not import values'],
    ['server/voice/a.ts', `import { a } from '../engines/engine.ts';`, 'must not import values'],
    ['server/voice/a.ts', `import type { A } from '../engines/index.ts';`, 'must not import types'],
    ['server/voice/path/a.ts', `export { a } from '../session/a.ts';`, 'must not import values'],
    ['server/voice/path/a.ts', `type A = import('../session/a.ts').A;`, 'must not import types'],
    [
      'server/glossaries/a.ts',
      `import { a } from '../engines/index.ts';`,
      'must not import values',
    ],
    ['server/glossaries/a.ts', `import { a } from '../storage/a.ts';`, 'must not import values'],
    ['server/glossaries/a.ts', `import { sql } from 'kysely';`, 'must do without kysely'],
    ['server/glossaries/a.ts', `import fastify from 'fastify';`, 'must do without fastify'],
    ['server/glossaries/a.ts', `import type { A } from '../voice/a.ts';`, 'must not import types'],
    ['server/http/a.ts', `import { a } from '../glossaries/a.ts';`, 'must not import values'],
    ['server/http/a.ts', `import { a } from '../storage/embedded/a.ts';`, 'must not import values'],
    ['server/http/a.ts', `import { a } from '../voice/a.ts';`, 'must not import values'],
    ['server/main.ts', `import { a } from './engines/index.ts';`, 'must not import values'],
    ['server/voice/a.ts', `const { PORT } = process.env;`, 'only server/config.ts reads'],
    ['server/voice/a.ts', `import { env } from 'node:process';`, 'only server/config.ts reads'],
    ['server/new-room/a.ts', `import { a } from '../voice/a.ts';`, 'must not import values'],
    ['server/new-room/a.ts', `import { sql } from 'kysely';`, 'must do without kysely'],
    ['server/elsewhere.ts', ``, 'belongs to no layer'],
  ];

  it.each(forbidden)('rejects in %s: %s', (file, text, because) => {
    expect(findViolations([{ path: file, text }])).toEqual([expect.stringContaining(because)]);
  });

  const allowed: [path: string, text: string][] = [
    ['widget/a.ts', `import type { A } from '../shared/media-type.ts';`],
    ['widget/a.ts', `import { baseLanguage } from '../shared/language.ts';`],
    ['widget/a.ts', `import worklet from './worklet/a.ts?bundled-source';`],
    ['server/voice/a.ts', `import type { Word } from '../engines/engine.ts';`],
    ['server/voice/session/a.ts', `import { a } from '../path/pipeline.ts';`],
    ['server/glossaries/routes.ts', `import fastify from 'fastify';`],
    ['server/glossaries/store.ts', `import { sql } from 'kysely';`],
    ['server/new-room/routes.ts', `import type { Door } from '../http/door.ts';`],
    ['server/new-room/store.ts', `import { defineStore } from '../storage/store.ts';`],
    ['server/app.ts', `import { engines } from './engines/index.ts';`],
    ['server/config.ts', `const { PORT } = process.env;`],
    ['server/voice/a.ts', `// process.env is none of our business here.`],
  ];

  it.each(allowed)('accepts in %s: %s', (file, text) => {
    expect(findViolations([{ path: file, text }])).toEqual([]);
  });
});
