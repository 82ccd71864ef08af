/** Prometheus metrics of the server. No label ever contains a key, an account or a text. */
import { collectDefaultMetrics, Gauge, Histogram, Registry, Counter } from 'prom-client';
import type { CaptionTrack, QueueName, SessionEnd, VoiceMeasures } from '../voice/index.ts';
import type { EngineMeasures } from './observed-engines.ts';

/** Captions are useful within a few seconds; beyond that, only the order of magnitude counts. */
const LAG_SECONDS = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8, 13, 30];
/** From the milliseconds of a classic engine to the longest wait for a chat model. */
const LATENCY_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];

export interface Metrics {
  voice: VoiceMeasures;
  engines: EngineMeasures;
  /** Returns the metrics in Prometheus text format, with their content type. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Creates the metrics of one server; each server in a process has a registry of its own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    voice: {
      ...sessionMeasures(registry),
      ...captionMeasures(registry),
      ...queues(registry),
      ...hearingMeasures(registry),
    },
    engines: engineMeasures(registry),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

type SessionMeasures = Pick<
  VoiceMeasures,
  | 'sessionOpened'
  | 'sessionEnded'
  | 'connectionDropped'
  | 'connectionResumed'
  | 'audioReceived'
  | 'recognitionLagged'
>;

function sessionMeasures(registry: Registry): SessionMeasures {
  const opened = addTally(registry, {
    name: 'dragoman_voice_sessions_opened_total',
    help: 'Voice sessions opened.',
  });
  const ended = addTallies<SessionEnd>(registry, {
    name: 'dragoman_voice_sessions_ended_total',
    help: 'Voice sessions ended, by reason: completed, abandoned, handed_over, or an error code.',
    label: 'reason',
  });
  const dropped = addTally(registry, {
    name: 'dragoman_voice_connections_dropped_total',
    help: 'Voice connections that dropped before the end of their session.',
  });
  const resumed = addTally(registry, {
    name: 'dragoman_voice_connections_resumed_total',
    help: 'Voice sessions that were reconnected.',
  });
  const audio = addTally(registry, {
    name: 'dragoman_voice_audio_seconds_total',
    help: 'Audio received.',
    scale: 1 / 1000,
  });
  const lag = addHistogram(registry, {
    name: 'dragoman_voice_recognition_lag_seconds',
    help: 'Lag of the recognisers behind the received audio.',
    buckets: LAG_SECONDS,
  });
  let running = 0;
  addGauge(registry, 'dragoman_voice_sessions', 'Voice sessions at the moment.', () => running);
  return {
    sessionOpened() {
      running += 1;
      opened.add(1);
    },
    sessionEnded(how) {
      running -= 1;
      ended.add(how, 1);
    },
    connectionDropped: () => dropped.add(1),
    connectionResumed: () => resumed.add(1),
    audioReceived: (durationMs) => audio.add(durationMs),
    recognitionLagged: (lagMs) => lag.observe(Math.max(0, lagMs) / 1000),
  };
}

type CaptionMeasures = Pick<
  VoiceMeasures,
  'captionsChanged' | 'segmentConcluded' | 'updatesDropped'
>;

function captionMeasures(registry: Registry): CaptionMeasures {
  const deleted = addTallies<CaptionTrack>(registry, {
    name: 'dragoman_voice_caption_words_deleted_total',
    help: 'Caption words shown and withdrawn; divided by the final words, the normalised erasure.',
    label: 'track',
  });
  const final = addTallies<CaptionTrack>(registry, {
    name: 'dragoman_voice_caption_words_final_total',
    help: 'Concluded caption words.',
    label: 'track',
  });
  const lag = addHistogram(registry, {
    name: 'dragoman_voice_conclusion_lag_seconds',
    help: 'Time from the last word of a segment to its conclusion.',
    buckets: LAG_SECONDS,
    labelNames: ['track'],
  });
  const dropped = addTally(registry, {
    name: 'dragoman_voice_updates_dropped_total',
    help: 'Tentative updates skipped for slow connections.',
  });
  return {
    captionsChanged(track, words) {
      deleted.add(track, words.deleted);
      final.add(track, words.final);
    },
    segmentConcluded: (track, lagMs) => lag.observe({ track }, Math.max(0, lagMs) / 1000),
    updatesDropped: (count) => dropped.add(count),
  };
}

function hearingMeasures(
  registry: Registry,
): Pick<VoiceMeasures, 'watchHearing' | 'watchCluster' | 'sessionRefused'> {
  const refused = addTally(registry, {
    name: 'dragoman_voice_sessions_refused_total',
    help: 'Voice sessions refused because the recognisers of this machine are at capacity.',
  });
  return {
    watchHearing(hearing) {
      addGauge(
        registry,
        'dragoman_voice_hearing_load',
        'Recogniser load relative to its limit; above 1, no session is admitted.',
        () => hearing().load,
      );
      addGauge(
        registry,
        'dragoman_voice_late_sessions',
        'Voice sessions whose recognition lags too far behind for captions.',
        () => hearing().late_sessions,
      );
    },
    watchCluster(cluster) {
      addGauge(
        registry,
        'dragoman_cluster_servers',
        'Servers that share live state, including this one.',
        () => cluster.serverCount,
      );
      addGauge(
        registry,
        'dragoman_cluster_voice_sessions',
        'Voice sessions of all these servers, including expected and retained ones.',
        () => cluster.sessionCount,
      );
    },
    sessionRefused: () => refused.add(1),
  };
}

function queues(registry: Registry): Pick<VoiceMeasures, 'watchQueue'> {
  const watched: Record<QueueName, Set<() => number>> = {
    source_media: new Set(),
    outbox: new Set(),
  };
  const gauge: Gauge<'queue'> = new Gauge({
    name: 'dragoman_voice_queue_depth',
    help: 'Queue lengths over all sessions: audio chunks for recognisers, messages for clients.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const [queue, depths] of Object.entries(watched)) {
        let sum = 0;
        for (const depth of depths) sum += depth();
        gauge.set({ queue }, sum);
      }
    },
  });
  return {
    watchQueue(name, depth) {
      watched[name].add(depth);
      return () => void watched[name].delete(depth);
    },
  };
}

function engineMeasures(registry: Registry): EngineMeasures {
  const latency = addHistogram(registry, {
    name: 'dragoman_engine_latency_seconds',
    help:
      'Engine latency: of a translation; from the end of an ' +
      'utterance to its text; from a text to its first audio.',
    buckets: LATENCY_SECONDS,
    labelNames: ['kind', 'engine', 'outcome'],
  });
  const characters = addTallies<string>(registry, {
    name: 'dragoman_translated_characters_total',
    help: 'Code points translated by engines, in texts and captions.',
    label: 'engine',
  });
  const speech = addTallies<string>(registry, {
    name: 'dragoman_synthesised_seconds_total',
    help: 'Speech synthesised by engines.',
    label: 'engine',
    scale: 1 / 1000,
  });
  return {
    engineAnswered: ({ latencyMs, ...labels }) => latency.observe(labels, latencyMs / 1000),
    charactersTranslated: (engine, count) => characters.add(engine, count),
    speechSynthesised: (engine, durationMs) => speech.add(engine, durationMs),
  };
}

function addHistogram<Label extends string = never>(
  registry: Registry,
  described: { name: string; help: string; buckets: number[]; labelNames?: readonly Label[] },
): Histogram<Label> {
  return new Histogram({ ...described, registers: [registry] });
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: () => gauge.set(read()),
  });
}

// Tallies: plain sums that cost one addition per event and are copied into counters on each scrape.

/** A sum that only grows. */
interface Tally {
  add(amount: number): void;
}

/** Sums by the value of one label. */
interface Tallies<Value extends string> {
  add(value: Value, amount: number): void;
}

interface Described {
  name: string;
  help: string;
  /** Converts the added amounts into base units: 1/1000 for ms, which become seconds. */
  scale?: number;
}

/** Creates a counter without labels. */
function addTally(registry: Registry, { scale = 1, ...described }: Described): Tally {
  let sum = 0;
  const counter: Counter = new Counter({
    ...described,
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(sum * scale);
    },
  });
  return { add: (amount) => void (sum += amount) };
}

/**
 * Creates a counter with one label.
 *
 * @param described.label name of the label; there is a sum for each value that was added to
 */
function addTallies<Value extends string>(
  registry: Registry,
  { label, scale = 1, ...described }: Described & { label: string },
): Tallies<Value> {
  const sums = new Map<Value, number>();
  const counter: Counter = new Counter({
    ...described,
    labelNames: [label],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [value, sum] of sums) counter.inc({ [label]: value }, sum * scale);
    },
  });
  return { add: (value, amount) => void sums.set(value, (sums.get(value) ?? 0) + amount) };
}
