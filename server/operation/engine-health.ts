/** How engines have done since the server started, counted on the way to the metrics. */
import type { EngineKind, EngineMeasures } from './observed-engines.ts';

/** What became of the requests to one engine. */
export interface EngineTally {
  requests: number;
  failures: number;
  /** Mean of the answers that were none of the failures; undefined before the first. */
  latencyMs: number | undefined;
  lastFailureAtMs: number | undefined;
}

export interface EngineHealth {
  /** To be told of every answer; passes it on. */
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
      ...{ requests: 0, failures: 0, answeredMs: 0 },
      ...{ latencyMs: undefined, lastFailureAtMs: undefined },
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
