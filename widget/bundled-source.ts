/** Part of the build, not of the widget: makes `import text from './file.ts?bundled-source'` work. */
import { build, type Plugin } from 'vite';

const QUERY = '?bundled-source';

/**
 * A Vite plugin: a module with this query becomes its own minified bundle, as text. A worklet can
 * thereby come out of a page's own script when its file is out of reach.
 */
export function bundledSource(): Plugin {
  return {
    name: 'bundled-source',
    enforce: 'pre',
    load: {
      filter: { id: /\?bundled-source$/ },
      async handler(id) {
        const { code, modules } = await bundle(id.slice(0, -QUERY.length));
        for (const module of modules) this.addWatchFile(module);
        return `export default ${JSON.stringify(code)};`;
      },
    },
  };
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
