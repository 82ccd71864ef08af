/**
 * Vite configuration with one build per result, because each must stand alone: each caption element is one
 * file to embed, the worklet is one file that `script-src 'self'` permits, and the console is one bundle. The
 * event pages share their common chunks. The demo page embeds the built element file as any page would.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type BuildEnvironmentOptions, type Plugin } from 'vite';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Build of one entry into one file with a fixed name, by which pages refer to it. */
function oneFile(entry: string, fileName: string): { build: BuildEnvironmentOptions } {
  return {
    build: {
      rolldownOptions: {
        input: here(entry),
        // Not a library build: Vite does not fully minify ES library builds.
        preserveEntrySignatures: 'strict',
        // Lit's licence requires its notice to stay in the output.
        output: { entryFileNames: fileName, codeSplitting: false, comments: { legal: true } },
      },
    },
  };
}

/**
 * Makes `import text from './file.ts?bundled-source'` work: the module becomes a minified bundle of its own,
 * as text. A page's script can thereby start the worklet when the worklet's file is unreachable.
 */
function bundledSource(): Plugin {
  return {
    name: 'bundled-source',
    enforce: 'pre',
    load: {
      filter: { id: /\?bundled-source$/ },
      async handler(id) {
        const { code, modules } = await bundle(id.replace(/\?.*$/, ''));
        for (const module of modules) this.addWatchFile(module);
        return `export default ${JSON.stringify(code)};`;
      },
    },
  };
}

/** Returns the HTML pages in a folder. */
function pagesIn(folder: string): string[] {
  return readdirSync(here(folder))
    .filter((name) => name.endsWith('.html'))
    .map((name) => here(`${folder}/${name}`));
}

/** Emits the event icons, to which no page's HTML refers: the server names them, for home screens. */
function eventIcons(): Plugin {
  return {
    name: 'event-icons',
    applyToEnvironment: ({ name }) => name === 'events',
    generateBundle() {
      for (const name of readdirSync(here('events/icons'))) {
        const source = readFileSync(here(`events/icons/${name}`));
        this.emitFile({ type: 'asset', fileName: `events/${name}`, source });
      }
    },
  };
}

/**
 * Path from an event page's address to its assets; `/events/{room_id}/speaker` is one level deeper than the
 * viewer's `/events/{room_id}`.
 */
function eventFolder(page: string): string {
  return page === 'events/viewer.html' ? '../event-pages/' : '../../event-pages/';
}

async function bundle(file: string): Promise<{ code: string; modules: string[] }> {
  const result = await build({
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', rolldownOptions: { input: file } },
  });
  const chunk = 'output' in result ? result.output[0] : undefined;
  if (chunk === undefined) throw new Error(`Nothing came out of bundling ${file}.`);
  return { code: chunk.code, modules: Object.keys(chunk.modules) };
}

export default defineConfig({
  root: here('.'),
  base: './',
  publicDir: false,
  envDir: false,
  plugins: [bundledSource(), eventIcons()],
  build: {
    outDir: here('../dist/widget'),
    // All builds write to this folder, so none may empty it; the caller does.
    emptyOutDir: false,
    target: 'es2022',
    sourcemap: true,
    modulePreload: false,
  },
  environments: {
    element: { consumer: 'client', ...oneFile('voice-captions.ts', 'voice-captions.js') },
    room: { consumer: 'client', ...oneFile('room-captions.ts', 'room-captions.js') },
    worklet: {
      consumer: 'client',
      ...oneFile('worklet/pcm-capture.ts', 'pcm-capture.worklet.js'),
    },
    console: {
      consumer: 'client',
      build: {
        rolldownOptions: {
          input: here('console/index.html'),
          output: {
            entryFileNames: 'console/console.js',
            assetFileNames: 'console/[name][extname]',
            codeSplitting: false,
            comments: { legal: true },
          },
        },
      },
    },
    events: {
      consumer: 'client',
      build: {
        rolldownOptions: {
          // The service worker is built with the event pages, because it caches their files.
          input: [...pagesIn('events'), here('events/service-worker.ts')],
          // Named by content, so that a page never mixes kept files of two versions.
          output: {
            entryFileNames: ({ name }) =>
              name === 'service-worker' ? 'events/[name].js' : 'events/[name]-[hash].js',
            chunkFileNames: 'events/shared-[name]-[hash].js',
            assetFileNames: 'events/[name]-[hash][extname]',
            comments: { legal: true },
          },
        },
      },
    },
    client: {
      build: {
        rolldownOptions: {
          input: here('demo/index.html'),
          external: here('voice-captions.ts'),
          output: {
            entryFileNames: 'demo/demo.js',
            assetFileNames: 'demo/[name][extname]',
            paths: { [here('voice-captions.ts')]: './voice-captions.js' },
          },
        },
      },
    },
  },
  experimental: {
    // The server serves demo/index.html as its front page, so addresses are relative to the root. The
    // console's page stays in its folder; event pages are served at the addresses of rooms.
    renderBuiltUrl: (fileName, { hostId, hostType }) =>
      hostType !== 'html'
        ? undefined
        : hostId.startsWith('console/')
          ? fileName.slice('console/'.length)
          : hostId.startsWith('events/')
            ? eventFolder(hostId) + fileName.slice('events/'.length)
            : fileName,
  },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) {
        if (environment.name !== 'ssr') await builder.build(environment);
      }
    },
  },
});
