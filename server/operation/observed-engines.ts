/** Wraps engines so that their answers are timed and counted; their behaviour is unchanged. */
import type {
  ImprovementEngine,
  Recognition,
  RecognitionEngine,
  SpeechPiece,
  SynthesisEngine,
  TranslationEngine,
} from '../engines/engine.ts';
import { countCodePoints } from '../text/code-points.ts';
import { plainText } from '../text/text-segment.ts';

export type EngineKind = 'recognition' | 'translation' | 'synthesis' | 'improvement';

/** An engine's answer, or its failure; a request that its caller aborted counts as neither. */
export interface EngineAnswer {
  kind: EngineKind;
  engine: string;
  outcome: 'ok' | 'failed';
  latencyMs: number;
}

export interface EngineMeasures {
  engineAnswered(answer: EngineAnswer): void;
  charactersTranslated(engine: string, count: number): void;
  speechSynthesised(engine: string, durationMs: number): void;
}

/** Times each translation and counts its characters (Unicode code points of the source). */
export function observedTranslator(
  engine: TranslationEngine,
  measures: EngineMeasures,
): TranslationEngine {
  const { name } = engine;
  const translate: TranslationEngine['translate'] = async (segments, options) => {
    const time = startTiming({ kind: 'translation', name, measures, signal: options.signal });
    try {
      const translated = await engine.translate(segments, options);
      time.ok();
      const characters = segments.map((segment) => countCodePoints(plainText(segment)));
      measures.charactersTranslated(
        name,
        characters.reduce((sum, count) => sum + count, 0),
      );
      return translated;
    } catch (error) {
      time.failed();
      throw error;
    }
  };
  return likeness(engine, { translate });
}

/** Times each utterance from its endpoint to its final text. */
export function observedRecogniser(
  engine: RecognitionEngine,
  measures: EngineMeasures,
): RecognitionEngine {
  const { name } = engine;
  async function* recognise(
    ...[speech, options]: Parameters<RecognitionEngine['recognise']>
  ): AsyncGenerator<Recognition> {
    const { signal } = options;
    const endpoints: { atMs: number; time: Timing }[] = [];
    const onEndpoint = (atMs: number) =>
      endpoints.push({
        atMs,
        time: startTiming({ kind: 'recognition', name, measures, signal }),
      });
    try {
      for await (const recognition of engine.recognise(watched(speech, onEndpoint), options)) {
        if (recognition.kind === 'final') {
          // Utterances without recognised words produce no final.
          while ((endpoints[0]?.atMs ?? Infinity) <= recognition.startMs) endpoints.shift();
          endpoints[0]?.time.ok();
        }
        yield recognition;
      }
    } catch (error) {
      startTiming({ kind: 'recognition', name, measures, signal }).failed();
      throw error;
    }
  }
  return likeness(engine, { recognise });
}

/** Times from a text to its first samples, and counts the duration of the speech. */
export function observedSpeaker(
  engine: SynthesisEngine,
  measures: EngineMeasures,
): SynthesisEngine {
  const { name } = engine;
  async function* speak(...[text, options]: Parameters<SynthesisEngine['speak']>) {
    const time = startTiming({ kind: 'synthesis', name, measures, signal: options.signal });
    try {
      for await (const spoken of engine.speak(text, options)) {
        time.ok();
        measures.speechSynthesised(name, (spoken.samples.length / spoken.sampleRateHz) * 1000);
        yield spoken;
      }
      time.ok();
    } catch (error) {
      time.failed();
      throw error;
    }
  }
  return likeness(engine, { speak });
}

/** Times each request of an engine that improves texts. */
export function observedImprover(
  engine: ImprovementEngine,
  measures: EngineMeasures,
): ImprovementEngine {
  const { name } = engine;
  const improve: ImprovementEngine['improve'] = async (texts, options) => {
    const time = startTiming({ kind: 'improvement', name, measures, signal: options.signal });
    try {
      const improved = await engine.improve(texts, options);
      time.ok();
      return improved;
    } catch (error) {
      time.failed();
      throw error;
    }
  };
  return likeness(engine, { improve });
}

/**
 * Returns the engine with some methods replaced. Everything else is read from the engine each time, as its
 * languages and abilities may change while it runs.
 */
function likeness<Engine extends object>(engine: Engine, own: Partial<Engine>): Engine {
  return new Proxy(engine, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key) as unknown;
      const value: unknown = Reflect.get(target, key);
      // Methods that use private fields need the original object as `this`.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function* watched(
  speech: AsyncIterable<SpeechPiece>,
  onEndpoint: (atMs: number) => void,
): AsyncGenerator<SpeechPiece> {
  for await (const piece of speech) {
    if (piece.kind === 'endpoint') onEndpoint(piece.atMs);
    yield piece;
  }
}

interface Timing {
  ok(): void;
  failed(): void;
}

/** Starts to time an answer, which is counted once. */
function startTiming({
  kind,
  name: engine,
  measures,
  signal,
}: {
  kind: EngineKind;
  name: string;
  measures: EngineMeasures;
  signal: AbortSignal;
}): Timing {
  const startMs = performance.now();
  let isCounted = false;
  const count = (outcome: EngineAnswer['outcome']) => {
    if (isCounted) return;
    isCounted = true;
    measures.engineAnswered({ kind, engine, outcome, latencyMs: performance.now() - startMs });
  };
  return {
    ok: () => count('ok'),
    failed: () => {
      if (!signal.aborted) count('failed');
    },
  };
}
