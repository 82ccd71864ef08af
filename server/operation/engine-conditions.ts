/** Describes for the console which engines run, which are missing, and how they perform. */
import type { EngineCondition, EngineConditions } from '../../shared/schemas/console.ts';
import type {
  DetectionEngine,
  ImprovementEngine,
  LanguagePair,
  RecognitionEngine,
  SynthesisEngine,
  TranslationEngine,
  Unavailable,
} from '../engines/engine.ts';
import type { Outage } from '../process/index.ts';
import type { Translation } from '../translation/translation.ts';
import { sharesOfSpeech, spokenLanguages } from '../voice/session/speakers.ts';
import type { EngineKind, EngineMeasures } from './observed-engines.ts';

/** Engines that run on this server, and those that are missing. */
interface EngineLists {
  recognition: readonly Pick<RecognitionEngine, 'name' | 'languages'>[];
  translation: readonly Pick<TranslationEngine, 'name' | 'pairs'>[];
  synthesis: readonly Pick<SynthesisEngine, 'name' | 'languages'>[];
  improvement: readonly Pick<ImprovementEngine, 'name' | 'languages'>[];
  detector: Pick<DetectionEngine, 'name' | 'languages'>;
  missing: readonly (Unavailable & { kind?: EngineKind })[];
}

/**
 * Describes the engines at this moment.
 *
 * @param isOperator false: leaves out usage and missing engines
 */
export type DescribeEngines = (isOperator: boolean) => EngineConditions;

/**
 * Creates a function that describes the engines.
 *
 * @param options.outages returns what is out of order, by kind of engine
 */
export function createEngineConditions({
  engines,
  health,
  outages,
}: {
  engines: EngineLists;
  health: EngineHealth;
  outages: Partial<Record<EngineKind, () => Outage[]>>;
}): DescribeEngines {
  return (isOperator) => {
    const described = runningEngines(engines).map((engine): EngineCondition => {
      const found = engine.kind === 'detection' ? undefined : outages[engine.kind];
      const broken = breakersOf(engine.name, found?.() ?? []);
      return {
        ...engine,
        state: broken.length > 0 ? 'impaired' : 'running',
        reason: null,
        ...(isOperator ? tallied(engine, health) : withheld),
        breakers: isOperator ? broken : [],
      };
    });
    const missing = isOperator ? engines.missing.map(describedMissing) : [];
    return {
      engines: [...described, ...missing],
      since: new Date(health.sinceMs).toISOString(),
    };
  };
}

type Running = Pick<EngineCondition, 'name' | 'languages' | 'pairs'> & {
  kind: EngineKind | 'detection';
};

function runningEngines(engines: EngineLists): Running[] {
  const { recognition, translation, synthesis, improvement, detector } = engines;
  const speaking = sharesOfSpeech(synthesis).map(({ engine: { name }, languages }) => ({
    name,
    languages,
  }));
  const hearing = {
    recognition,
    synthesis: speaking,
    improvement,
    detection: [detector],
  } as const;
  const of = (kind: keyof typeof hearing) =>
    hearing[kind].map(({ name, languages }) => ({
      kind,
      name,
      pairs: [],
      languages: [...languages].sort(),
    }));
  const translating = translation.map(({ name, pairs }) => ({
    kind: 'translation' as const,
    name,
    languages: [],
    pairs: bySource(pairs),
  }));
  return [
    ...of('recognition'),
    ...translating,
    ...of('synthesis'),
    ...of('improvement'),
    ...of('detection'),
  ];
}

function bySource(pairs: readonly LanguagePair[]): EngineCondition['pairs'] {
  const targets = new Map<string, Set<string>>();
  for (const { source, target } of pairs) {
    const known = targets.get(source);
    if (known === undefined) targets.set(source, new Set([target]));
    else known.add(target);
  }
  return [...targets]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([source, reached]) => ({ source, targets: [...reached].sort() }));
}

const withheld = { requests: null, failures: null, latency_ms: null, last_failure_at: null };

function tallied({ kind, name }: Running, health: EngineHealth) {
  // Detection is synchronous and cannot fail, so it is not counted.
  if (kind === 'detection') return withheld;
  const { requests, failures, latencyMs, lastFailureAtMs } = health.tally(kind, name);
  return {
    requests,
    failures,
    latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
    last_failure_at: lastFailureAtMs === undefined ? null : new Date(lastFailureAtMs).toISOString(),
  };
}

/** Lists the recognisers whose processes do not start. */
export function recogniserOutages(
  recognisers: readonly Pick<RecognitionEngine, 'name' | 'retryInMs'>[],
): Outage[] {
  return recognisers.flatMap((engine) => {
    const retryInMs = engine.retryInMs?.();
    return retryInMs === undefined ? [] : [{ name: engine.name, isProbed: false, retryInMs }];
  });
}

/**
 * Returns the breakers of an engine. An outage is named after its engine, followed by the language pair if
 * each pair has its own breaker.
 */
function breakersOf(engine: string, outages: readonly Outage[]): EngineCondition['breakers'] {
  return outages.flatMap(({ name, isProbed, retryInMs }) => {
    if (name !== engine && !name.startsWith(`${engine} `)) return [];
    const pair = name.slice(engine.length + 1).replace(' ', ' → ');
    return [
      {
        name: pair === '' ? 'all' : pair,
        state: isProbed ? ('probing' as const) : ('open' as const),
        retry_in_ms: Math.round(retryInMs),
      },
    ];
  });
}

function describedMissing({ name, reason, kind }: EngineLists['missing'][number]): EngineCondition {
  return {
    kind: kind ?? null,
    name,
    state: 'missing',
    reason,
    languages: [],
    pairs: [],
    breakers: [],
    ...withheld,
  };
}

/** Describes the engines' capabilities for the log at the start of the server. */
export function describeCapabilities(
  {
    recognition,
    synthesis,
    translation: running,
  }: {
    recognition: readonly RecognitionEngine[];
    synthesis: readonly SynthesisEngine[];
    translation: readonly TranslationEngine[];
  },
  translation: Pick<Translation, 'serves'>,
) {
  return {
    synthesis: sharesOfSpeech(synthesis).map(({ engine, languages }) => ({
      engine: engine.name,
      languages,
    })),
    recognition: recognition.map((engine) => ({
      engine: engine.name,
      languages: spokenLanguages([engine]),
    })),
    translation: running.map(({ name, pairs }) => ({
      engine: name,
      pairs: pairs.filter((pair) => translation.serves(pair)),
    })),
  };
}

/** Requests to one engine, and their outcomes. */
interface EngineTally {
  requests: number;
  failures: number;
  /** Mean latency of successful requests; undefined before the first. */
  latencyMs: number | undefined;
  lastFailureAtMs: number | undefined;
}

interface EngineHealth {
  /** Counts every answer, and passes it on. */
  measures: EngineMeasures;
  sinceMs: number;
  tally(kind: EngineKind, engine: string): EngineTally;
}

/** Creates the tallies of one server. */
export function createEngineHealth(measures: EngineMeasures): EngineHealth {
  const sums = new Map<string, EngineTally & { answeredMs: number }>();

  function sumsOf(kind: EngineKind, engine: string) {
    const name = `${kind} ${engine}`;
    const known = sums.get(name);
    if (known !== undefined) return known;
    const fresh = {
      requests: 0,
      failures: 0,
      answeredMs: 0,
      latencyMs: undefined,
      lastFailureAtMs: undefined,
    };
    sums.set(name, fresh);
    return fresh;
  }

  return {
    sinceMs: Date.now(),
    measures: {
      ...measures,
      engineAnswered(answer) {
        measures.engineAnswered(answer);
        const sum = sumsOf(answer.kind, answer.engine);
        sum.requests += 1;
        if (answer.outcome === 'failed') {
          sum.failures += 1;
          sum.lastFailureAtMs = Date.now();
        } else {
          sum.answeredMs += answer.latencyMs;
          sum.latencyMs = sum.answeredMs / (sum.requests - sum.failures);
        }
      },
    },
    tally: (kind, engine) => sumsOf(kind, engine),
  };
}
