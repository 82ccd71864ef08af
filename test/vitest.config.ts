/**
 * Three projects. The last comes after the others (`groupOrder`), because some tests hold the clock
 * against real audio: a browser or a second recogniser beside them would take the processor they are
 * timed on.
 *
 *  - pure: what neither listens nor keeps anything, many files in a process, which has the modules
 *  - node: everything else; with those, three files at a time: one of them mostly waits
 *  - realtime: what streams at the pace of speech or counts seconds, four files at a time: it waits
 *    for the clock more than for the processor
 *
 * Browser tests drive the system's Chromium from Node, through the same page a person would use.
 */
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { testModelsFolder } from '../server/setup/paths.mjs';
import { builtModules, builtProduct } from './support/suite/built-product.ts';

const realtimeTests = 'test/**/*.realtime.test.ts';
/** What measures memory, its own or that of a child, which begins with that of its parent. */
const memoryTests = ['memory-files', 'xliff-limits', 'xlsx-large'];
const pureTests = [
  ...['shared', 'text', 'style-rules/rules', 'glossaries/terms', 'memories/matching'],
  ...['documents/formats', 'voice/path', 'voice/audio/codecs', 'voice/audio/encode'],
].map((room) => `test/${room}/**/!(${memoryTests.join('|')}).test.ts`);

export default defineConfig({
  root: path.resolve(import.meta.dirname, '..'),
  plugins: [builtProduct()],
  test: {
    globalSetup: './test/support/suite/built-product.ts',
    server: { deps: { external: [builtModules] } },
    // A real engine that starts on a busy machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // So does a page that is looked at.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    env: {
      // Installed by test/run.mjs, once for all.
      MODELS_DIR: testModelsFolder,
      // sox makes speech for tests, and is not to warn of a sample at its loudest.
      SOX_OPTS: '-V1',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: pureTests,
          exclude: [realtimeTests],
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [realtimeTests, ...pureTests],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'realtime',
          include: [realtimeTests],
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
