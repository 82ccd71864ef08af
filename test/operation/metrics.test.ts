/** Prometheus metrics, timed engines, and the erasure measure of captions. */
import { Registry, register as globalRegistry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type {
  Recognition,
  RecognitionEngine,
  SpeechPiece,
  SpokenSamples,
  SynthesisEngine,
} from '../../server/engines/engine.ts';
import { createApertium } from '../../server/engines/translation/apertium.ts';
import { createMetrics, type Metrics } from '../../server/operation/metrics.ts';
import {
  observedRecogniser,
  observedSpeaker,
  observedTranslator,
} from '../../server/operation/observed-engines.ts';
import {
  createErasureMeter,
  SessionMeasures,
} from '../../server/voice/session/session-measures.ts';
import { running } from '../engines/remote-support.ts';
import { plain } from '../engines/marked-segments.ts';
import { recordLog } from '../support/product/log-record.ts';

const signal = new AbortController().signal;

/** The value of a sample line; undefined when it does not exist. */
async function sample(metrics: Metrics, line: string): Promise<number | undefined> {
  const { text } = await metrics.render();
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

describe('the metrics', () => {
  it('count the events of the voice path', async () => {
    const metrics = createMetrics();
    const { voice } = metrics;
    for (let index = 0; index < 3; index += 1) voice.sessionOpened();
    voice.sessionEnded('completed');
    voice.sessionEnded('quota_exceeded');
    voice.connectionDropped();
    voice.connectionResumed();
    for (let index = 0; index < 10; index += 1) voice.audioReceived(100);
    voice.recognitionLagged(700);
    voice.captionsChanged('target', { deleted: 2, final: 10 });
    voice.captionsChanged('target', { deleted: 1, final: 0 });
    voice.segmentConcluded('source', 400);
    voice.updatesDropped(4);
    const values: Record<string, number> = {
      dragoman_voice_sessions: 1,
      dragoman_voice_sessions_opened_total: 3,
      'dragoman_voice_sessions_ended_total{reason="completed"}': 1,
      'dragoman_voice_sessions_ended_total{reason="quota_exceeded"}': 1,
      dragoman_voice_connections_dropped_total: 1,
      dragoman_voice_connections_resumed_total: 1,
      dragoman_voice_audio_seconds_total: 1,
      'dragoman_voice_recognition_lag_seconds_bucket{le="0.5"}': 0,
      'dragoman_voice_recognition_lag_seconds_bucket{le="1"}': 1,
      'dragoman_voice_caption_words_deleted_total{track="target"}': 3,
      'dragoman_voice_caption_words_final_total{track="target"}': 10,
      'dragoman_voice_conclusion_lag_seconds_sum{track="source"}': 0.4,
      dragoman_voice_updates_dropped_total: 4,
    };
    for (const [line, value] of Object.entries(values)) {
      expect(await sample(metrics, line), line).toBeCloseTo(value);
    }
    // Reading does not change values.
    expect(await sample(metrics, 'dragoman_voice_audio_seconds_total')).toBeCloseTo(1);
  });

  it('sum the queues of all sessions while they last', async () => {
    const metrics = createMetrics();
    let waiting = 4;
    const forget = metrics.voice.watchQueue('outbox', () => waiting);
    metrics.voice.watchQueue('outbox', () => 3);
    const depth = () => sample(metrics, 'dragoman_voice_queue_depth{queue="outbox"}');
    expect(await depth()).toBe(7);
    waiting = 1;
    expect(await depth()).toBe(4);
    forget();
    expect(await depth()).toBe(3);
  });

  it('belong to one server each, and include those of the process', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.voice.sessionOpened();
    expect(await sample(one, 'dragoman_voice_sessions')).toBe(1);
    expect(await sample(other, 'dragoman_voice_sessions')).toBe(0);
    const { contentType, text } = await one.render();
    expect(contentType).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
    expect(text).toContain('process_resident_memory_bytes');
    expect(globalRegistry.getMetricsAsArray()).toEqual([]);
  });

  it('follow the naming and unit conventions of Prometheus, each with a help sentence', async () => {
    const { text } = await createMetrics().render();
    const own = [...text.matchAll(/^# TYPE (dragoman_\w+) (\w+)$/gm)];
    expect(own.length).toBeGreaterThan(10);
    for (const [, name = '', type] of own) {
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(name).not.toMatch(/_ms\b|milliseconds/);
      expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z].*\\.$`, 'm'));
    }
  });
});

describe('an observed engine', () => {
  it('that translates behaves the same, timed and counted', async () => {
    const metrics = createMetrics();
    const engine = running(await createApertium({ log: recordLog() }));
    const observed = observedTranslator(engine, metrics.engines);
    try {
      expect(observed.pairs).toBe(engine.pairs);
      expect(observed.abilities).toBe(engine.abilities);
      const options = { source: 'en', target: 'es', signal };
      const translated = await observed.translate(plain(['The red house', '😀']), options);
      expect(translated).toEqual(await engine.translate(plain(['The red house', '😀']), options));
      const lost = observed.translate(plain(['a']), { ...options, target: 'xx' });
      await expect(lost).rejects.toBeDefined();
      const gone = new AbortController();
      gone.abort();
      const given = observed.translate(plain(['a']), { ...options, signal: gone.signal });
      await expect(given).rejects.toBeDefined();
    } finally {
      await observed.close();
    }
    const latency = 'dragoman_engine_latency_seconds_count{kind="translation",engine="apertium"';
    expect(await sample(metrics, `${latency},outcome="ok"}`)).toBe(1);
    // A call aborted by its caller is not a failure.
    expect(await sample(metrics, `${latency},outcome="failed"}`)).toBe(1);
    const characters = 'dragoman_translated_characters_total{engine="apertium"}';
    expect(await sample(metrics, characters)).toBe(14);
  });

  it('that recognises is timed from the end of an utterance to its text', async () => {
    const metrics = createMetrics();
    const observed = observedRecogniser(silentEveryOther(), metrics.engines);
    const heard: Recognition[] = [];
    for await (const each of observed.recognise(utterances(4), {
      language: 'en',
      languageMode: 'fixed',
      spokenTerms: [],
      signal,
    })) {
      heard.push(each);
    }
    expect(heard.filter(({ kind }) => kind === 'final')).toHaveLength(2);
    const latency = 'dragoman_engine_latency_seconds_count{kind="recognition",engine="alternating"';
    expect(await sample(metrics, `${latency},outcome="ok"}`)).toBe(2);
  });

  it('that speaks is timed to its first sound, and the length of its speech is counted', async () => {
    const metrics = createMetrics();
    const observed = observedSpeaker(humming(3), metrics.engines);
    const speech = observed.speak('hm', { language: 'en', gender: undefined, signal });
    const pieces: SpokenSamples[] = [];
    for await (const spoken of speech) pieces.push(spoken);
    expect(pieces).toHaveLength(3);
    const seconds = 'dragoman_synthesised_seconds_total{engine="humming"}';
    expect(await sample(metrics, seconds)).toBeCloseTo(1.5);
    const latency = 'dragoman_engine_latency_seconds_count{kind="synthesis",engine="humming"';
    expect(await sample(metrics, `${latency},outcome="ok"}`)).toBe(1);
  });
});

describe('the erasure meter', () => {
  const segment = (text: string) => ({ text, start_time: 0, end_time: 1 });
  const target = (language: string, concluded: string, tentative: string) => ({
    type: 'target_transcript_update' as const,
    language,
    concluded: concluded === '' ? [] : [segment(concluded)],
    tentative: tentative === '' ? [] : [segment(tentative)],
  });

  it('counts words taken back, from the first that differs', () => {
    const meter = createErasureMeter();
    expect(meter(target('es', '', 'Buenos días a'))).toMatchObject({ deleted: 0, final: 0 });
    expect(meter(target('es', '', 'Buenos días a todos'))).toMatchObject({ deleted: 0 });
    expect(meter(target('es', '', 'Buenos años a todos'))).toMatchObject({ deleted: 3 });
    expect(meter(target('es', 'Buenos años', ' a nadie'))).toMatchObject({ deleted: 1, final: 2 });
    expect(meter(target('es', ' a nadie', ''))).toMatchObject({ deleted: 0, final: 2 });
  });

  it('separates tracks and languages, and counts characters in scripts without blanks', () => {
    const meter = createErasureMeter();
    meter(target('es', '', 'uno dos'));
    meter(target('zh-HANS', '', '你好吗'));
    expect(meter(target('zh-HANS', '你很好', ''))).toEqual({
      track: 'target',
      deleted: 2,
      final: 3,
    });
    const source = { ...segment('one'), language: 'en' };
    const update = { concluded: [source], tentative: [] };
    expect(meter({ type: 'source_transcript_update', ...update })).toEqual({
      track: 'source',
      deleted: 0,
      final: 1,
    });
    expect(meter(target('es', 'uno dos', ''))).toMatchObject({ deleted: 0, final: 2 });
    expect(meter({ type: 'end_of_stream' })).toBeUndefined();
  });

  it('feeds the metrics together with the lag of conclusions', async () => {
    const metrics = createMetrics();
    const session = new SessionMeasures(metrics.voice);
    session.message(target('es', '', 'uno'), 2500);
    session.message(target('es', 'dos', ''), 2500);
    const times = { start_time: 0, end_time: 2000 };
    const concluded = [{ text: 'one', language: 'en', ...times }];
    session.message({ type: 'source_transcript_update', concluded, tentative: [] }, 2500);
    const words = 'dragoman_voice_caption_words';
    expect(await sample(metrics, `${words}_deleted_total{track="target"}`)).toBe(1);
    expect(await sample(metrics, `${words}_final_total{track="source"}`)).toBe(1);
    const lag = 'dragoman_voice_conclusion_lag_seconds';
    expect(await sample(metrics, `${lag}_sum{track="source"}`)).toBe(0.5);
    expect(await sample(metrics, `${lag}_count{track="target"}`)).toBe(1);
  });
});

async function* utterances(count: number): AsyncGenerator<SpeechPiece> {
  for (let index = 0; index < count; index += 1) {
    yield { kind: 'samples', samples: new Uint8Array(32_000), startMs: index * 2000 };
    yield { kind: 'endpoint', atMs: index * 2000 + 1000 };
  }
}

/** Recognises a word in every other utterance. */
function silentEveryOther(): RecognitionEngine {
  return {
    name: 'alternating',
    languages: ['en'],
    detectsLanguage: false,
    usesSpokenTerms: false,
    punctuates: false,
    async *recognise(speech) {
      let startMs = 0;
      for await (const piece of speech) {
        if (piece.kind === 'samples') startMs = piece.startMs;
        else if (startMs % 4000 !== 0) {
          yield { kind: 'final', text: 'word', startMs, endMs: piece.atMs, words: [] };
        }
      }
    },
    close: async () => undefined,
  };
}

function humming(pieces: number): SynthesisEngine {
  return {
    name: 'humming',
    describedAs: 'nobody',
    languages: ['en'],
    async *speak() {
      for (let index = 0; index < pieces; index += 1) {
        yield { samples: new Int16Array(8000), sampleRateHz: 16_000 };
      }
    },
    close: async () => undefined,
  };
}
