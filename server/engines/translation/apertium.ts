/**
 * Translation with Apertium: rules and dictionaries instead of a model, so it is small and fast. Translations
 * are rough, and best between Romance languages. Apertium runs in child processes because it is GPL and may
 * crash; its pair packages come from the operating system.
 */
import Type from 'typebox';
import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import type { Turn } from '../../process/concurrency.ts';
import { HUGE_PAGES, TRIAL_LIMIT_MS } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { declareEngine, PLAIN_ABILITIES } from '../declaration.ts';
import type {
  LanguagePair,
  TranslationEngine,
  TranslationOptions,
  Unavailable,
} from '../engine.ts';
import { analyserOf } from '../../text/words/dictionaries.ts';
import { isInAnalyser } from '../../text/words/dictionary-words.ts';
import { readWordLists } from '../detection/word-lists.ts';
import {
  findRoute,
  type Mode,
  modes,
  pivots,
  planRoutes,
  recommendedPackages,
  type Route,
  type Routes,
} from './apertium-modes.ts';
import { ApertiumPipeline, type PipelineSettings } from './apertium-pipeline.ts';
import { translatePiece, type Step } from './apertium-run.ts';
import { Grammars } from './grammars.ts';
import type { KnowsWord, ModeWords } from './hyphenated-words.ts';
import { feedPieces } from './segment-pieces.ts';

export interface ApertiumOptions extends Partial<PipelineSettings> {
  log: Logger;
  /** Folder with the `*.mode` files. */
  modesFolder?: string;
  /** Folders searched for programs, as in PATH. */
  programFolders?: string;
}

const NAME = 'apertium';
/** Completes the commands of modes. */
const MODE_PROGRAM = 'apertium-wblank-mode';
/**
 * Longest piece in UTF-16 units: a few sentences, so that captions of other sessions are served in between.
 */
const MAX_PIECE_LENGTH = 400;
/** Limit of words per piece, since each word takes time: the number that fits MAX_PIECE_LENGTH. */
const MAX_PIECE_WORDS = 64;

/** The Apertium engine: all installed pairs. */
export const apertium = declareEngine({
  settings: {
    APERTIUM_MODES: Type.Optional(
      Type.String({
        description: "Folder of the Apertium modes; by default, that of Debian's packages.",
      }),
    ),
  },
  start: ({ log, settings: { APERTIUM_MODES: modesFolder } }) =>
    createApertium({ log, ...(modesFolder !== undefined && { modesFolder }) }),
});

/** Starts no process yet: processes start with the first text or with `prepare`. */
export async function createApertium({
  log,
  modesFolder = '/usr/share/apertium/modes',
  programFolders = '/usr/local/bin:/usr/bin:/bin',
  answerTimeoutMs = 15_000,
  idleMs = 15 * 60_000,
  maxWaitingLength = 2_000_000,
}: ApertiumOptions): Promise<TranslationEngine | Unavailable> {
  // The complete environment of the stages: other locales make some of them refuse to start.
  const env = { LC_ALL: 'C.UTF-8', PATH: programFolders, ...HUGE_PAGES };
  const grammars = new Map<Mode, Grammars>();
  const readCommand = async (mode: Mode) => {
    const command = await readModeCommand({ mode, modesFolder, env });
    if (mode.grammars === undefined) return command;
    const ofMode = grammars.get(mode) ?? new Grammars(pipelineOf(mode), mode.grammars, env);
    grammars.set(mode, ofMode);
    return ofMode.into(command).catch((error: unknown) => {
      log.warn({ mode: mode.name, err: error }, 'grammars cannot be compiled: apt install cg3');
      return command;
    });
  };
  const installed = await findInstalled(modesFolder, log);
  if (installed.length === 0) return unavailable(`No known language pair is in ${modesFolder}.`);
  if (!(await isProgramIn(programFolders, MODE_PROGRAM))) {
    return unavailable(`The program ${MODE_PROGRAM} is in none of ${programFolders}.`);
  }
  // Where two languages share a mode, one pipeline serves both.
  const pipelines = new Map(
    installed.map((mode) => [
      pipelineOf(mode),
      new ApertiumPipeline({
        mode: mode.name,
        readCommand: () => readCommand(mode),
        env,
        remedy: `Install it again: apt install --reinstall apertium ${mode.debianPackage}`,
        log,
        answerTimeoutMs,
        idleMs,
        maxWaitingLength,
      }),
    ]),
  );
  const words = createModeWords(modesFolder, log);
  return new Apertium({ routes: planRoutes({ installed, pivots }), pipelines, words, grammars });
}

const pipelineOf = ({ name, towards }: Mode) =>
  towards === undefined ? name : `${name}-${towards}`;

/** Creates the word lookup. A dictionary is read at the first text with a hyphen, and kept. */
function createModeWords(modesFolder: string, log: Logger): ModeWords {
  const known = new Map<string, Promise<KnowsWord | undefined>>();
  async function read({ source: language, name }: Mode): Promise<KnowsWord | undefined> {
    const path = await analyserOf(modesFolder, name);
    let knows: KnowsWord | undefined;
    const files = path === undefined ? [] : [{ language, path }];
    await readWordLists(files, ({ words }) => {
      if (words?.kind === 'analyser') knows = (word) => isInAnalyser(words, word);
    }).catch((error: unknown) =>
      log.warn({ mode: name, err: error }, 'dictionary words cannot be read'),
    );
    return knows;
  }
  return (mode) => {
    const words = known.get(mode.name) ?? read(mode);
    known.set(mode.name, words);
    return words;
  };
}

class Apertium implements TranslationEngine {
  readonly name = NAME;
  readonly pairs: readonly LanguagePair[];
  readonly abilities = PLAIN_ABILITIES;
  readonly #routes: Routes;
  readonly #pipelines: ReadonlyMap<string, ApertiumPipeline>;
  readonly #words: ModeWords;
  readonly #grammars: ReadonlyMap<Mode, Grammars>;

  constructor({
    routes,
    pipelines,
    words,
    grammars,
  }: {
    routes: Routes;
    pipelines: ReadonlyMap<string, ApertiumPipeline>;
    words: ModeWords;
    grammars: ReadonlyMap<Mode, Grammars>;
  }) {
    this.#routes = routes;
    this.#pipelines = pipelines;
    this.#words = words;
    this.#grammars = grammars;
    this.pairs = [...routes.values()].map(({ source, target }) => ({ source, target }));
  }

  async translate(
    segments: readonly TextSegment[],
    options: TranslationOptions,
  ): Promise<TextSegment[]> {
    const { signal } = options;
    signal.throwIfAborted();
    const route = this.#route(options);
    const steps = this.#stepsOf(route);
    const turn: Turn = { account: options.account };
    return feedPieces({
      segments,
      language: route.source,
      maxLength: MAX_PIECE_LENGTH,
      maxWords: MAX_PIECE_WORDS,
      translatePiece: (content, call) =>
        translatePiece(content, { steps, words: this.#words, call, turn }),
      signal,
      abandon: (reason) => {
        for (const { pipeline } of steps) pipeline.abandon(turn, reason);
      },
    });
  }

  prepare(pair: LanguagePair): void {
    const route = findRoute(this.#routes, pair);
    if (route !== undefined) for (const { pipeline } of this.#stepsOf(route)) pipeline.prepare();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pipelines.values()].map((pipeline) => pipeline.close()));
    for (const ofMode of this.#grammars.values()) await ofMode.close();
  }

  #route(pair: LanguagePair): Route {
    const route = findRoute(this.#routes, pair);
    if (route !== undefined) return route;
    throw new ServiceError(
      'translation_failed',
      `Apertium does not translate from ${pair.source} to ${pair.target} here. ` +
        'Install the Debian package of that pair, if there is one, or choose another engine.',
    );
  }

  #stepsOf(route: Route): Step[] {
    return route.steps.flatMap((mode) => {
      const pipeline = this.#pipelines.get(pipelineOf(mode));
      return pipeline === undefined ? [] : { mode, pipeline };
    });
  }
}

/** Returns the installed modes whose data is complete: a few packages lack some of it. */
async function findInstalled(modesFolder: string, log: Logger): Promise<Mode[]> {
  const files = new Set(await readdir(modesFolder).catch(() => []));
  const there = modes.filter((mode) => files.has(`${mode.name}.mode`));
  const missing = await Promise.all(there.map((mode) => missingData(modesFolder, mode.name)));
  return there.filter((mode, i) => {
    const file = missing[i];
    if (file !== undefined)
      log.warn({ mode: mode.name, file }, 'mode skipped: its data is missing');
    return file === undefined;
  });
}

/** Returns the first missing file that a mode refers to; undefined when all exist. */
async function missingData(modesFolder: string, name: string): Promise<string | undefined> {
  const command = await readFile(join(modesFolder, `${name}.mode`), 'utf8').catch(() => '');
  const files = [...command.matchAll(/'(\/[^']+)'/g)].flatMap(([, file]) => file ?? []);
  // A start asks for several hundred: as many promises took a twentieth of it.
  return files.find((file) => !existsSync(file));
}

async function isProgramIn(folders: string, name: string): Promise<boolean> {
  const trials = folders
    .split(delimiter)
    .map((folder) => access(join(folder, name), constants.X_OK));
  return Promise.any(trials).then(
    () => true,
    () => false,
  );
}

const run = promisify(execFile);

/** Returns a mode's pipeline with NUL-framed stages and with word-bound blanks carried past the tagger. */
async function readModeCommand({
  mode,
  modesFolder,
  env,
}: {
  mode: Mode;
  modesFolder: string;
  env: Record<string, string>;
}): Promise<string> {
  const path = join(modesFolder, `${mode.name}.mode`);
  const { stdout } = await run(MODE_PROGRAM, ['-z', path], { env, timeout: TRIAL_LIMIT_MS });
  const command = stdout.trim();
  return mode.taggerCrashes === true ? withoutTagger(command) : command;
}

/** Replaces the tagger by its preceding constraint grammar, run with one reading per word. */
function withoutTagger(command: string): string {
  const grammar = /cg-proc [^|]*('[^']+\.rlx\.bin')/.exec(command)?.[1];
  if (grammar === undefined) return command;
  return command.replace(/apertium-tagger [^|]*/, `cg-proc -z -1 -n ${grammar} `);
}

function unavailable(problem: string): Unavailable {
  return {
    name: NAME,
    reason: `${problem} Install Apertium with its language pairs: apt install ${recommendedPackages.join(' ')}`,
  };
}
