/** Which engines run here, which are missing, and how they do: what the console shows. */
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

/** What is running here, and what is not. */
interface EngineLists {
  recognition: readonly Pick<RecognitionEngine, 'name' | 'languages'>[];
  translation: readonly Pick<TranslationEngine, 'name' | 'pairs'>[];
  synthesis: readonly Pick<SynthesisEngine, 'name' | 'languages'>[];
  improvement: readonly Pick<ImprovementEngine, 'name' | 'languages'>[];
  detector: Pick<DetectionEngine, 'name' | 'languages'>;
  missing: readonly (Unavailable & { kind?: EngineKind })[];
}

/**
 * Describes the engines as they are at the moment.
 *
 * @param isOperator others learn what runs, and nothing of what it was used for or lacks
 */
export type DescribeEngines = (isOperator: boolean) => EngineConditions;

/**
 * Makes what describes them.
 *
 * @param options.outages what is out of order at the moment, by kind of engine
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
        ...(isOperator ? tallied(engine, health) : untold),
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

const untold = { requests: null, failures: null, latency_ms: null, last_failure_at: null };

function tallied({ kind, name }: Running, health: EngineHealth) {
  // It works at once and cannot fail: nobody counts it.
  if (kind === 'detection') return untold;
  const { requests, failures, latencyMs, lastFailureAtMs } = health.tally(kind, name);
  return {
    requests,
    failures,
    latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
    last_failure_at: lastFailureAtMs === undefined ? null : new Date(lastFailureAtMs).toISOString(),
  };
}

/** The name of an outage is that of its engine, and of the direction where each is by itself. */
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
    ...untold,
  };
}

/** What whoever starts the server reads of its engines. */
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

/** What became of the requests to one engine. */
interface EngineTally {
  requests: number;
  failures: number;
  /** Mean of the answers that were none of the failures; undefined before the first. */
  latencyMs: number | undefined;
  lastFailureAtMs: number | undefined;
}

interface EngineHealth {
  /** Called with every answer; passes it on. */
  measures: EngineMeasures;
  sinceMs: number;
  tally(kind: EngineKind, engine: string): EngineTally;
}

/** Makes the count of one server. */
export function createEngineHealth(
  measures: EngineMeasures,
  now: () => number = Date.now,
): EngineHealth {
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
    sinceMs: now(),
    measures: {
      ...measures,
      engineAnswered(answer) {
        measures.engineAnswered(answer);
        const sum = sumsOf(answer.kind, answer.engine);
        sum.requests += 1;
        if (answer.outcome === 'failed') {
          sum.failures += 1;
          sum.lastFailureAtMs = now();
        } else {
          sum.answeredMs += answer.latencyMs;
          sum.latencyMs = sum.answeredMs / (sum.requests - sum.failures);
        }
      },
    },
    tally: (kind, engine) => sumsOf(kind, engine),
  };
}
