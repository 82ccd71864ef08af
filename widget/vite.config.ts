/**
 * Several builds, because each result must stand alone: the elements as one file each to embed, the worklet
 * as one file that `script-src 'self'` lets through, the console, the pages of events, which share what
 * they have in common, and the demo page, which embeds an element's file like anybody's page would.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type BuildEnvironmentOptions, type Plugin } from 'vite';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** One entry, one file, with the name under which pages refer to it. */
function oneFile(entry: string, fileName: string): { build: BuildEnvironmentOptions } {
  return {
    build: {
      rolldownOptions: {
        input: here(entry),
        // Not a library build: Vite does not minify those fully.
        preserveEntrySignatures: 'strict',
        // Lit's licence asks that its notice stays with it.
        output: { entryFileNames: fileName, codeSplitting: false, comments: { legal: true } },
      },
    },
  };
}

/**
 * Makes `import text from './file.ts?bundled-source'` work: a module with this query becomes its own minified bundle, as text. A worklet can
 * thereby come out of a page's own script when its file is out of reach.
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

/** The pages in a folder. */
function pagesIn(folder: string): string[] {
  return readdirSync(here(folder))
    .filter((name) => name.endsWith('.html'))
    .map((name) => here(`${folder}/${name}`));
}

/** Pictures of the pages of events that no page names: the server does, for home screens. */
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

/** From the address of a page of events to the folder of its files: `/events/{room_id}/speaker`. */
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
    // The builds share the folder; whoever calls them empties it.
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
          // The worker is a page's own script: what it keeps are the pages.
          input: [...pagesIn('events'), here('events/service-worker.ts')],
          output: {
            entryFileNames: 'events/[name].js',
            chunkFileNames: 'events/shared-[name].js',
            assetFileNames: 'events/[name][extname]',
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
    // The server shows demo/index.html as its front page: addresses are relative to that. The
    // console's page stays in its folder; those of events are served at the addresses of rooms.
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
