/**
 * The architecture of the project: the directions in which its files may import, and other rules that a
 * compiler cannot check. A room is a folder of `server/` for one concern.
 */
import { builtinModules } from 'node:module';
import path from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

interface Layer {
  /** Files and folders from which it may import values and types, besides itself. */
  uses?: readonly string[];
  /** Files and folders from which it may import types only. */
  knows?: readonly string[];
  /** Packages it must not import. */
  without?: RegExp;
}

const engineTypes = 'server/engines/engine.ts';
const storageTypes = 'server/stores.ts';
const nodeOnly = /^(node:.*|fastify|@fastify\/.*|ws|pino|onnxruntime-node|opusscript)$/;
const httpPackages = /^(node:https?|fastify|@fastify\/.*|ws)$/;
const databasePackages = /^(kysely|@photostructure\/sqlite|node:sqlite|pg)$/;
const brokerPackages = /^@redis\/client$/;
const httpAndDatabase = new RegExp(`${httpPackages.source}|${databasePackages.source}`);
const edgePackages = new RegExp(`${httpAndDatabase.source}|${brokerPackages.source}`);

/** Imports allowed to every room: the tools, and the types of pluggable parts. */
const tools = ['shared', 'server/process', 'server/text'];
const brokerTypes = 'server/broker/index.ts';
/** Notifications about changes made by other servers. */
const news = 'server/broker/news.ts';
const pluggedIn = [
  ...[engineTypes, storageTypes, brokerTypes],
  ...['server/config.ts', 'server/running-engines.ts'],
];

/** Identity of the caller of a request. */
const callers = 'server/http/door.ts';

/** Usage, and the accounts it is charged to. */
const charges = ['server/accounts/usage/store.ts', 'server/accounts/usage/usage.ts'];

/** Layer of a room: the folders it works with, and those from which it may import types only. */
function room(uses: readonly string[], knows: readonly string[] = []): Layer {
  return {
    uses: [...tools, news, ...uses],
    knows: [...pluggedIn, callers, ...charges, ...knows],
    without: edgePackages,
  };
}

/** Layer of a room that is not listed below. */
const ordinaryRoom = room(['server/http']);

/** Layers by path. A file belongs to the layer with the longest path that contains it. */
const layers: Record<string, Layer> = {
  shared: { without: nodeOnly },
  // Substitutes for features that Node 20 lacks.
  'shared/client/node.ts': { uses: ['shared'] },

  widget: {
    uses: [
      'shared/client',
      'shared/protocol/codec.ts',
      'shared/glossary-phrase.ts',
      'shared/language.ts',
      'shared/errors.ts',
      'shared/resampler.ts',
      'shared/separated-values.ts',
    ],
    knows: ['shared'],
    without: nodeOnly,
  },
  'widget/vite.config.ts': {},

  'server/rehearsal.mjs': {},
  'server/rolldown.config.mjs': {},

  // Runs before any package is installed.
  'server/setup': { without: /^(?!node:)/ },

  'server/process': { uses: ['shared'] },
  'server/text': {
    uses: ['shared', 'server/process'],
    knows: [engineTypes],
    without: edgePackages,
  },
  'server/engines': { uses: tools, knows: ['server/models/local-model.ts'] },
  'server/storage': {
    uses: ['shared', 'server/process', 'server/stores.ts'],
  },
  // The HTTP edge does not know the rooms.
  'server/http': { uses: ['shared', 'server/process'] },

  // State shared among servers; reports which setting is invalid.
  'server/broker': {
    uses: ['shared', 'server/process', 'server/config.ts'],
    knows: [storageTypes],
    without: httpAndDatabase,
  },

  'server/glossaries': room([]),
  'server/memories': room(['server/http']),
  'server/style-rules': room([], ['server/translation']),
  'server/spoken-terms': room(['server/glossaries']),
  'server/translation': room(
    [
      'server/http',
      'server/accounts/usage',
      'server/glossaries',
      'server/style-rules',
      'server/voice/session/speakers.ts',
    ],
    ['server/memories', 'server/improvement'],
  ),
  'server/improvement': room(['server/http', 'server/accounts/usage', 'server/translation']),
  'server/documents': room([
    'server/http',
    'server/translation',
    'server/documents/formats',
    'server/accounts/usage/store.ts',
  ]),
  'server/documents/formats': { uses: tools, knows: [engineTypes], without: edgePackages },
  'server/voice': room(
    [
      'server/http',
      'server/accounts',
      'server/glossaries',
      'server/translation',
      'server/voice/path',
      'server/voice/audio',
    ],
    ['server/spoken-terms'],
  ),
  'server/voice/path': {
    uses: [...tools, 'server/voice/audio'],
    knows: [engineTypes],
    without: edgePackages,
  },
  'server/voice/audio': {
    uses: tools,
    knows: [engineTypes, 'server/voice/path'],
    without: edgePackages,
  },
  'server/events': room(
    ['server/http', 'server/voice/index.ts', 'server/glossaries/glossaries.ts'],
    ['server/translation/translation.ts', 'server/voice/index.ts'],
  ),
  'server/operation': room(
    ['server/voice/index.ts', 'server/voice/session/speakers.ts'],
    ['server/improvement', 'server/translation'],
  ),
  'server/demo': room(
    [
      'server/config.ts',
      'server/http',
      'server/voice/index.ts',
      'server/voice/session/speakers.ts',
      'server/documents',
    ],
    ['server/translation'],
  ),
  'server/models': { uses: ['shared'] },
  // The models of a running server.
  'server/models/routes.ts': room(['server/config.ts', 'server/models']),

  // Engines declare settings of their own.
  'server/settings.ts': { uses: ['shared', 'server/engines'] },
  'server/config.ts': { uses: ['shared', 'server/settings.ts'] },
  // Composition: files that name all rooms, engines and stores.
  'server/app.ts': { uses: ['shared', 'server'] },
  'server/running-engines.ts': { uses: ['shared', 'server'] },
  'server/stores.ts': { uses: ['server'] },
  'server/cli': {
    uses: [
      'shared',
      'server/process',
      'server/config.ts',
      'server/accounts',
      'server/documents/formats/index.ts',
      'server/memories',
      'server/storage',
      'server/models',
    ],
    knows: [callers, storageTypes],
  },
  'server/main.ts': {
    uses: [
      ...['shared', 'server/cli/running-server.ts', 'server/process/log.ts'],
      ...['server/config.ts', 'server/app.ts'],
    ],
  },
  // Composition of a worker.
  'server/worker.ts': { uses: ['shared', 'server'] },

  test: { uses: ['shared', 'server', 'widget'] },
};

/** The only files of rooms that may use HTTP, or SQL. */
const edgeFiles = [
  {
    file: /(^|[-/])(routes(-v2)?|door)\.ts$|server\/(voice\/session|events\/reading)\/[\w-]+\.ts$/,
    may: httpPackages,
  },
  { file: /(^|-)store\.ts$|\/store\.ts$/, may: databasePackages, uses: ['server/storage'] },
];

/** The only file within `server/` that may read the environment. */
const environmentReader = 'server/config.ts';

/** A source file: its path in the repository, with `/`, and its text. */
export interface SourceText {
  path: string;
  text: string;
}

/** Returns every violation of a rule, one line each, with the file and the problem. */
export function findViolations(files: readonly SourceText[]): string[] {
  return files.flatMap((file) => {
    const name = layerOf(file.path);
    if (name === undefined) return [`${file.path}: belongs to no layer`];
    const layer = layers[name] ?? ordinaryRoom;
    return [...findForbiddenImports(file, name, layer), ...findEnvironmentReads(file)];
  });
}

function layerOf(file: string): string | undefined {
  const [listed] = Object.keys(layers)
    .filter((layer) => isWithin(file, layer))
    .sort((one, other) => other.length - one.length);
  return listed ?? /^server\/[^/]+(?=\/)/.exec(file)?.[0];
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

function findForbiddenImports(file: SourceText, name: string, layer: Layer): string[] {
  return findImports(file).flatMap(({ target, typeOnly }) => {
    const edges = edgeFiles.filter((edge) => edge.file.test(file.path));
    if (!target.startsWith('.')) {
      const packageName = builtinModules.includes(target) ? `node:${target}` : target;
      const isAllowed = typeOnly || edges.some(({ may }) => may.test(packageName));
      const forbidden = !isAllowed && (layer.without?.test(packageName) ?? false);
      return forbidden ? [`${file.path}: must do without ${target}`] : [];
    }
    // Vite's queries follow the path.
    const resolved = path.posix.join(path.posix.dirname(file.path), target.replace(/\?.*$/, ''));
    const usable = [
      ...(layer.uses ?? []),
      ...edges.flatMap(({ uses = [] }) => uses),
      ...(typeOnly ? (layer.knows ?? []) : []),
    ];
    if (layerOf(resolved) === name || usable.some((place) => isWithin(resolved, place))) return [];
    return [`${file.path}: must not import ${typeOnly ? 'types' : 'values'} of ${resolved}`];
  });
}

interface Import {
  target: string;
  typeOnly: boolean;
}

/** Returns all imports, re-exports, `import()` and `typeof import()` of a file. */
function findImports(file: SourceText): Import[] {
  const imports: Import[] = [];
  const parsed = parse(file);
  const { staticImports, staticExports } = parsed.module;
  // `import { type A }` counts as a value import: with verbatimModuleSyntax the module is loaded.
  const isTypeOnly = (start: number) =>
    /^(?:import|export)\s+type\b/.test(file.text.slice(start, start + 20));
  for (const { start, moduleRequest } of staticImports) {
    imports.push({ target: moduleRequest.value, typeOnly: isTypeOnly(start) });
  }
  for (const { start, entries } of staticExports) {
    const sources = entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []);
    for (const target of new Set(sources)) imports.push({ target, typeOnly: isTypeOnly(start) });
  }
  // These can occur anywhere, but few files contain any: the tree costs four times as much.
  if (/\bimport\s*\(/.test(file.text)) {
    const add = (source: { type: string; value?: unknown }, typeOnly: boolean): void => {
      if (typeof source.value === 'string') imports.push({ target: source.value, typeOnly });
    };
    new Visitor({
      ImportExpression: ({ source }) => add(source, false),
      TSImportType: ({ source }) => add(source, true),
    }).visit(parsed.program);
  }
  return imports;
}

function findEnvironmentReads(file: SourceText): string[] {
  const isBound = isWithin(file.path, 'server') && file.path.endsWith('.ts');
  if (!isBound || file.path === environmentReader) return [];
  return readsEnvironment(file)
    ? [`${file.path}: only ${environmentReader} reads the environment`]
    : [];
}

function readsEnvironment(file: SourceText): boolean {
  if (!/\benv\b/.test(file.text)) return false;
  let reads = false;
  new Visitor({
    MemberExpression({ object, property }) {
      const isEnvironment = property.type === 'Identifier' && property.name === 'env';
      if (isEnvironment && object.type === 'Identifier' && object.name === 'process') reads = true;
    },
    ImportDeclaration({ source, specifiers }) {
      if (!source.value.endsWith('process')) return;
      reads ||= specifiers.some(({ local }) => local.name === 'env');
      reads ||= specifiers.some(
        (each) => each.type === 'ImportSpecifier' && nameOf(each.imported) === 'env',
      );
    },
  }).visit(parse(file).program);
  return reads;
}

function nameOf(name: { name: string } | { value: string }): string {
  return 'name' in name ? name.name : name.value;
}

function parse({ path: name, text }: SourceText): ReturnType<typeof parseSync> {
  const parsed = parseSync(name, text);
  const [error] = parsed.errors;
  if (error) throw new SyntaxError(`${name}: ${error.message}`);
  return parsed;
}
