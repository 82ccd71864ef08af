/**
 * Models in the running server: lists, installs and removes them from the console, for the operator alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { ServiceError, toServiceError } from '../../shared/errors.ts';
import {
  type ConsoleModel,
  ConsoleModels,
  type ModelInstallation,
  ModelInstallationRequest,
  ModelPath,
} from '../../shared/schemas/models.ts';
import type { LanguageTag } from '../../shared/language.ts';
import {
  APERTIUM_PREFIX,
  apertiumPackages,
  type InstalledPackages,
  installedPackages,
  packageCommand,
} from './apertium-packages.ts';
import {
  betterModels,
  type BetterModel,
  TRANSLATION_PREFIX,
  type TranslationOffer,
} from './translation-models.ts';
import { catalogue } from './catalogue.ts';
import { findModels, type FoundModels } from './find-models.ts';
import {
  installByName,
  listTranslations,
  removeByName,
  type InstallByNameOptions,
} from './install-by-name.ts';
import type { LocalModel } from './local-model.ts';
import type { Account, Door, Routes } from '../http/door.ts';
import { npmCommand, type Config } from '../config.ts';
import type { Engines } from '../running-engines.ts';

export function openModels({
  config,
  engines,
  isOperator,
}: {
  config: Config;
  engines: Pick<Engines, 'models' | 'translation'>;
  /** Whether it is the installation's first account, which administers the models. */
  isOperator: (account: Account) => boolean;
}) {
  const modelInstallations = createModelInstallations({
    modelsFolder: config.MODELS_DIR,
    mirror: config.MODELS_URL,
    npm: npmCommand(),
    inUse: engines.models,
    translators: engines.translation,
  });
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(consoleModelRoutes, { door, isOperator, modelInstallations });
  };
  return { installations: modelInstallations, consoleRoutes };
}

export interface ConsoleModelOptions {
  isOperator: (account: Account) => boolean;
  door: Door;
  modelInstallations: ModelInstallations;
}

const consoleModelRoutes: FastifyPluginAsyncTypebox<ConsoleModelOptions> = async (
  app,
  { isOperator, door, modelInstallations },
) => {
  const enter = door.require();
  /** Models are files of the whole server. */
  const onlyOperator = async ({ account }: FastifyRequest): Promise<void> => {
    if (isOperator(account)) return;
    throw new ServiceError(
      'forbidden',
      'Only the first account of this server may see and change its models.',
    );
  };
  const onRequest = [enter, onlyOperator];
  const response = { 200: ConsoleModels };

  app.get('/models', { onRequest, schema: { response } }, () => modelInstallations.describe());

  app.post('/models/translations', { onRequest, schema: { response } }, () =>
    modelInstallations.askForTranslations(),
  );

  app.post(
    '/models/installations',
    { onRequest, schema: { body: ModelInstallationRequest, response } },
    async ({ body }) => {
      modelInstallations.install(body.name, body.accept_terms === true);
      return modelInstallations.describe();
    },
  );

  app.delete(
    '/models/installations/:name',
    { onRequest, schema: { params: ModelPath, response } },
    async ({ params }) => {
      await modelInstallations.cancel(params.name);
      return modelInstallations.describe();
    },
  );

  app.delete(
    '/models/:name',
    { onRequest, schema: { params: ModelPath, response } },
    async ({ params }) => {
      await modelInstallations.remove(params.name);
      return modelInstallations.describe();
    },
  );
};

/**
 * Installations requested while the server runs: they run one after the other, and their progress can be
 * watched.
 */
export interface ModelInstallations {
  describe(): Promise<ConsoleModels>;
  /**
   * Fetches the public list of translation models, which `describe` includes from then on.
   *
   * @throws ServiceError model_not_installed if it cannot be fetched
   */
  askForTranslations(): Promise<ConsoleModels>;
  /**
   * Starts or queues an installation, unless it is queued or running already.
   *
   * @throws ServiceError not_found for an unknown name, invalid_request if terms are not accepted
   */
  install(name: string, acceptsTerms: boolean): void;
  /** Cancels an installation, or dismisses a failed one. @throws ServiceError not_found */
  cancel(name: string): Promise<void>;
  /** @throws ServiceError not_found; model_not_installed with what to do */
  remove(name: string): Promise<void>;
  /** Returns the models that would improve on rules, by `source target`. */
  better(): ReadonlyMap<string, readonly BetterModel[]>;
  /** Cancels everything. */
  stop(): Promise<void>;
}

interface ModelInstallationsOptions extends Pick<
  InstallByNameOptions,
  'modelsFolder' | 'mirror' | 'npm'
> {
  /** Models that the server loaded when it started. */
  inUse: readonly LocalModel[];
  /** The translators running at the moment. */
  translators: readonly {
    name: string;
    pairs: readonly { source: LanguageTag; target: LanguageTag }[];
  }[];
}

/** Maximum number of queued installations; further ones are refused. */
const MAX_WAITING = 50;
/** How long a stop waits, in ms; a running package manager finishes by itself. */
const STOP_MS = 2_000;

function createModelInstallations(options: ModelInstallationsOptions): ModelInstallations {
  const { modelsFolder, mirror, npm, inUse, translators } = options;
  const queue = createQueue();
  const stopping = new AbortController();
  let offers: TranslationOffer[] = [];
  // Asking takes as long as a twentieth of a start, so it waits until somebody looks.
  let packages: Promise<InstalledPackages> | undefined;
  let packagesInUse: Promise<ReadonlySet<string>> | undefined;
  const lookForPackages = () => (packages ??= installedPackages());
  const lookForPackagesInUse = () => (packagesInUse ??= lookForPackages().then(olderThanThis));

  async function describe(): Promise<ConsoleModels> {
    const [found, here, before] = await Promise.all([
      findModels(modelsFolder),
      lookForPackages(),
      lookForPackagesInUse(),
    ]);
    const better = [...betterModels(translators).values()].flat();
    const models = [
      ...describeModels({ found, offers, better, inUse }),
      ...apertiumPackages.map((each) => describePackage(each, here, before)),
    ].map((model) => ({ ...model, installation: queue.stateOf(model.name) }));
    return { folder: modelsFolder, models };
  }

  return {
    describe,
    better: () => betterModels(translators),
    async askForTranslations() {
      offers = preferred(await listTranslations({ mirror, signal: stopping.signal }));
      return await describe();
    },
    install(name, acceptsTerms) {
      const known = knownModel(name);
      if (known.terms !== undefined && !acceptsTerms) {
        throw new ServiceError('invalid_request', `Accept the terms of ${name} to install it.`);
      }
      queue.add(name, async (job, signal) => {
        await lookForPackagesInUse();
        await installByName({
          name,
          modelsFolder,
          mirror,
          npm,
          signal,
          acceptTerms: () => acceptsTerms,
          onStep: (step) => Object.assign(job, { step, share: null }),
          onProgress: (bytes, totalBytes) => {
            job.share = totalBytes === undefined ? null : bytes / totalBytes;
          },
        });
        if (name.startsWith(APERTIUM_PREFIX)) packages = undefined;
      });
    },
    cancel: async (name) => queue.cancel(name),
    async remove(name) {
      await lookForPackagesInUse();
      await removeByName(modelsFolder, name);
      packages = undefined;
    },
    async stop() {
      stopping.abort(new ServiceError('stopping', 'The server stops.'));
      await queue.stop();
    },
  };
}

type Job = ModelInstallation & { ending: AbortController };

/**
 * Creates a queue of jobs by name, which run one after the other; a failed job is kept until it is retried.
 */
function createQueue() {
  const jobs = new Map<string, Job>();
  let last: Promise<void> = Promise.resolve();

  async function run(
    name: string,
    job: Job,
    work: (job: Job, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (job.ending.signal.aborted) return;
    job.state = 'running';
    try {
      await work(job, job.ending.signal);
      if (jobs.get(name) === job) jobs.delete(name);
    } catch (error) {
      Object.assign(job, { state: 'failed', share: null, message: toServiceError(error).message });
    }
  }

  return {
    stateOf(name: string): ModelInstallation | null {
      const job = jobs.get(name);
      if (job === undefined) return null;
      const { state, step, share, message } = job;
      return { state, step, share, message };
    },
    /** Adds a job, unless one of that name is waiting or running. @throws ServiceError too_many_requests */
    add(name: string, work: (job: Job, signal: AbortSignal) => Promise<void>): void {
      const state = jobs.get(name)?.state;
      if (state === 'waiting' || state === 'running') return;
      const open = [...jobs.values()].filter((job) => job.state !== 'failed');
      if (open.length >= MAX_WAITING) {
        throw new ServiceError('too_many_requests', 'Too many installations wait already.');
      }
      const nothing = { step: null, share: null, message: null };
      const job: Job = { state: 'waiting', ...nothing, ending: new AbortController() };
      jobs.set(name, job);
      last = last.then(() => run(name, job, work));
    },
    /** @throws ServiceError not_found */
    cancel(name: string): void {
      const job = jobs.get(name);
      if (job === undefined) throw new ServiceError('not_found', `${name} is not being installed.`);
      jobs.delete(name);
      job.ending.abort(new ServiceError('stopping', 'Called off.'));
    },
    async stop(): Promise<void> {
      for (const { ending } of jobs.values())
        ending.abort(new ServiceError('stopping', 'Stopped.'));
      await Promise.race([last, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** @throws ServiceError not_found */
function knownModel(name: string): { terms?: string } {
  const isTranslation = name.startsWith(TRANSLATION_PREFIX) && /^[a-z-]+$/.test(name);
  const known = isTranslation
    ? {}
    : (catalogue.find((entry) => entry.name === name) ??
      apertiumPackages.find((entry) => entry.name === name));
  if (known === undefined) throw new ServiceError('not_found', `There is no model ${name}.`);
  return known;
}

/** Returns the first released offer of each name, which is the preferred one. */
function preferred(offers: readonly TranslationOffer[]): TranslationOffer[] {
  const byName = new Map<string, TranslationOffer>();
  for (const offer of offers) {
    if (offer.isReleased && !byName.has(offer.name)) byName.set(offer.name, offer);
  }
  return [...byName.values()].sort((one, other) => one.name.localeCompare(other.name));
}

type Described = Omit<ConsoleModel, 'installation'>;

/** Describes all models: of the catalogue, of the list, and those found in the models folder. */
function describeModels({
  found,
  offers,
  better,
  inUse,
}: {
  found: FoundModels;
  offers: readonly TranslationOffer[];
  better: readonly BetterModel[];
  inUse: readonly LocalModel[];
}): Described[] {
  const isBetter = new Set(better.map(({ name }) => name));
  const used = new Set(inUse.map(({ name }) => name));
  const here = new Map(found.models.map((model) => [model.name, model]));
  const problems = new Map(found.unusable.map(({ name, reason }) => [name, reason]));
  const stateOf = (name: string) => ({
    is_installed: here.has(name) || problems.has(name),
    is_in_use: used.has(name),
    problem: problems.get(name) ?? null,
    is_better: isBetter.has(name) && !here.has(name),
  });
  const listed = [...catalogue, ...offers].map((entry) => ({
    ...described(entry),
    ...stateOf(entry.name),
  }));
  const names = new Set(listed.map(({ name }) => name));
  const others = [
    // Without the list, only the pairs of these models are known.
    ...better.map(({ name, source, target, sizeMb: downloadMb }) =>
      described({
        name,
        kind: 'translation',
        about: "Firefox's translation",
        licence: 'MPL-2.0',
        languages: [source, target],
        downloadMb,
      }),
    ),
    ...found.models.map((model) => described(model)),
    ...found.unusable.map(({ name }) => described({ name, kind: 'other', languages: [] })),
  ];
  const more = new Map(others.map((each) => [each.name, { ...each, ...stateOf(each.name) }]));
  return [...listed, ...[...more.values()].filter(({ name }) => !names.has(name))];
}

type Known = Pick<LocalModel, 'name' | 'languages' | 'licence' | 'source'> & {
  kind: ConsoleModel['kind'];
  about?: string;
  downloadMb?: number;
  terms?: string;
};

function described(known: Known) {
  const { name, kind, about = '', downloadMb, licence = '?', source, terms } = known;
  const [first = '', second = ''] = known.languages;
  const isPair = kind === 'translation';
  return {
    name,
    kind,
    about,
    licence,
    languages: isPair ? [] : [...known.languages],
    pairs: isPair ? [{ source: first, target: second }] : [],
    size_mb: downloadMb ?? null,
    source: source ?? null,
    terms: terms ?? null,
    command: null,
  };
}

/** Returns the packages that were there when this process started. */
function olderThanThis(packages: InstalledPackages): ReadonlySet<string> {
  const older = [...packages].filter(([, installedMs]) => installedMs < performance.timeOrigin);
  return new Set(older.map(([name]) => name));
}

function describePackage(
  { name, directions, sizeMb }: (typeof apertiumPackages)[number],
  here: InstalledPackages,
  before: ReadonlySet<string>,
): Described {
  return {
    name,
    kind: 'translation',
    about: 'rules and dictionaries of Apertium',
    languages: [],
    pairs: directions.map(([source, target]) => ({ source, target })),
    size_mb: sizeMb,
    licence: 'GPL',
    source: 'https://www.apertium.org',
    terms: null,
    is_installed: here.has(name),
    is_in_use: before.has(name),
    problem: null,
    is_better: false,
    command: packageCommand(name, here.has(name)),
  };
}
