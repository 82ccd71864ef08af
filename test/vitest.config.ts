/**
 * Three projects, one after the other (`groupOrder`), because many tests hold the clock against real
 * audio: a browser or a second recogniser beside them would take the processor they are timed on.
 *
 *  - node: everything that only computes, two files at a time
 *  - realtime: what streams speech at the pace of speech or drives a browser, one file at a time
 *  - browser: what runs inside Chromium, one file at a time
 */
import path from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { bundledSource } from '../widget/bundled-source.ts';
import { findChromium } from './support/chromium.ts';

const browserTests = 'test/widget/**/*.browser.test.ts';
const realtimeTests = ['voice', 'ws', 'widget'].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  root: path.resolve(import.meta.dirname, '..'),
  test: {
    // A real engine that starts on a busy machine takes its time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [browserTests, ...realtimeTests],
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'realtime',
          include: realtimeTests,
          exclude: [browserTests],
          pool: 'forks',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        plugins: [bundledSource()],
        logLevel: 'warn',
        // Found while tests run, a dependency would reload the page under them.
        optimizeDeps: {
          include: [
            'lit',
            'lit/decorators.js',
            'lit/directives/*.js',
            '@msgpack/msgpack',
            'axe-core',
          ],
        },
        test: {
          name: 'browser',
          include: [browserTests],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions: {
                executablePath: findChromium(),
                args: [
                  '--no-sandbox',
                  '--disable-gpu',
                  '--disable-quic',
                  '--no-first-run',
                  '--disable-background-networking',
                  '--disable-component-update',
                  '--disable-sync',
                  '--use-fake-ui-for-media-stream',
                  '--use-fake-device-for-media-stream',
                ],
              },
            }),
          },
        },
      },
    ],
  },
});
