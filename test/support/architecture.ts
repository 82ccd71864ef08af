/** The directions in which the project's files may import, and the other rules a compiler cannot check. */
import { builtinModules } from 'node:module';
import path from 'node:path';
import ts from 'typescript';

interface Layer {
  /** Files and folders whose values and types it may import, besides itself. */
  uses?: readonly string[];
  /** Files and folders of which it may import types alone. */
  knows?: readonly string[];
  /** Packages it must do without. */
  without?: RegExp;
}

const engineTypes = 'server/engines/engine.ts';
const storageTypes = 'server/storage/ports.ts';
const nodeOnly = /^(node:.*|fastify|@fastify\/.*|ws|pino|onnxruntime-node|prism-media|opusscript)$/;
/** The product knows neither HTTP nor SQL. */
const edgePackages =
  /^(node:https?|fastify|@fastify\/.*|ws|kysely|@photostructure\/sqlite|node:sqlite)$/;

/** Each file belongs to the layer with the longest path that it starts with. */
const layers: Record<string, Layer> = {
  shared: { without: nodeOnly },
  // What Node 20 lacks.
  'shared/client/node.ts': { uses: ['shared'] },

  widget: {
    uses: ['shared/client', 'shared/protocol/codec.ts', 'shared/language.ts', 'shared/errors.ts'],
    knows: ['shared'],
    without: nodeOnly,
  },
  'widget/vite.config.ts': { uses: ['widget/bundled-source.ts'] },

  // Runs before any package is installed.
  'server/setup': { without: /^(?!node:)/ },

  'server/process': { uses: ['shared'] },
  'server/engines': {
    uses: ['shared', 'server/process', 'server/text'],
    knows: ['server/models/local-model.ts'],
  },
  'server/models': { uses: ['shared'] },
  'server/storage': { uses: ['shared', 'server/process'] },
  'server/text': {
    uses: ['shared', 'server/process'],
    knows: [engineTypes],
    without: edgePackages,
  },
  'server/documents': {
    uses: ['shared', 'server/process', 'server/text'],
    knows: [engineTypes],
    without: edgePackages,
  },
  'server/voice': {
    uses: ['shared', 'server/process', 'server/text'],
    knows: [engineTypes],
    without: edgePackages,
  },
  'server/services': {
    uses: ['shared', 'server/process', 'server/text', 'server/documents', 'server/voice'],
    knows: [engineTypes, storageTypes],
    without: edgePackages,
  },
  'server/http': {
    uses: ['shared', 'server/process', 'server/services'],
    knows: [storageTypes, 'server/models/installations.ts'],
  },
  // A connection joins a socket to the pipeline.
  'server/ws': {
    uses: ['shared', 'server/process', 'server/services', 'server/voice', 'server/http'],
    knows: [storageTypes],
  },

  'server/settings.ts': { uses: ['shared'] },
  'server/config.ts': { uses: ['shared', 'server/settings.ts'] },
  // The only file that names engines and stores.
  'server/app.ts': { uses: ['shared', 'server'] },
  'server/running-engines.ts': { uses: ['shared', 'server'] },
  'server/cli': {
    uses: [
      'shared',
      'server/process',
      'server/config.ts',
      'server/services',
      'server/storage',
      'server/models',
    ],
  },
  'server/main.ts': { uses: ['shared', 'server/process', 'server/config.ts', 'server/app.ts'] },
  // The same for a worker.
  'server/worker-app.ts': { uses: ['shared', 'server'] },
  'server/worker.ts': {
    uses: ['shared', 'server/process', 'server/config.ts', 'server/worker-app.ts'],
  },

  test: { uses: ['shared', 'server', 'widget'] },
};

/** Files outside `server/` may read the environment; in it, this one alone. */
const environmentReader = 'server/config.ts';

/** A file of the repository: its path in it, with `/`, and what it says. */
export interface SourceText {
  path: string;
  text: string;
}

/** Everything that breaks a rule, one line each, with the file and what is wrong with it. */
export function findViolations(files: readonly SourceText[]): string[] {
  return files.flatMap((file) => {
    const name = layerOf(file.path);
    const layer = name === undefined ? undefined : layers[name];
    if (name === undefined || layer === undefined) return [`${file.path}: belongs to no layer`];
    return [...findForbiddenImports(file, name, layer), ...findEnvironmentReads(file)];
  });
}

function layerOf(file: string): string | undefined {
  return Object.keys(layers)
    .filter((layer) => isWithin(file, layer))
    .sort((one, other) => other.length - one.length)[0];
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

function findForbiddenImports(file: SourceText, name: string, layer: Layer): string[] {
  return findImports(file).flatMap(({ target, typeOnly }) => {
    if (!target.startsWith('.')) {
      const packageName = builtinModules.includes(target) ? `node:${target}` : target;
      const forbidden = layer.without?.test(packageName) ?? false;
      return forbidden ? [`${file.path}: must do without ${target}`] : [];
    }
    // Vite's queries come after the path.
    const resolved = path.posix.join(path.posix.dirname(file.path), target.replace(/\?.*$/, ''));
    const usable = [...(layer.uses ?? []), ...(typeOnly ? (layer.knows ?? []) : [])];
    if (layerOf(resolved) === name || usable.some((place) => isWithin(resolved, place))) return [];
    return [`${file.path}: must not import ${typeOnly ? 'types' : 'values'} of ${resolved}`];
  });
}

interface Import {
  target: string;
  typeOnly: boolean;
}

/** All imports, re-exports, `import()` and `typeof import()` of a file. */
function findImports(file: SourceText): Import[] {
  return nodesOf(file).flatMap((node) => {
    const [target, typeOnly] = importOf(node);
    return target !== undefined && ts.isStringLiteralLike(target)
      ? [{ target: target.text, typeOnly }]
      : [];
  });
}

/** What a node imports, if it does, and whether only types. */
function importOf(node: ts.Node): [target: ts.Node | undefined, typeOnly: boolean] {
  if (ts.isImportDeclaration(node)) {
    // `import { type A }` counts as values: with verbatimModuleSyntax the module is loaded.
    const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return [node.moduleSpecifier, isType];
  }
  if (ts.isExportDeclaration(node)) return [node.moduleSpecifier, node.isTypeOnly];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return [node.argument.literal, true];
  }
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return [isCall ? node.arguments[0] : undefined, false];
}

function findEnvironmentReads(file: SourceText): string[] {
  const isBound = isWithin(file.path, 'server') && file.path.endsWith('.ts');
  if (!isBound || file.path === environmentReader) return [];
  return nodesOf(file).some(readsEnvironment)
    ? [`${file.path}: only ${environmentReader} reads the environment`]
    : [];
}

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return node.expression.getText() === 'process' && node.name.text === 'env';
  }
  return (
    ts.isImportDeclaration(node) &&
    /process['"]$/.test(node.moduleSpecifier.getText()) &&
    /\benv\b/.test(node.importClause?.getText() ?? '')
  );
}

function nodesOf({ path: name, text }: SourceText): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
  return nodes;
}
