/** Speech synthesis with installed sherpa-onnx voices: Piper and other VITS, Matcha, Kokoro. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LocalModel, ModelVoice } from '../../models/local-model.ts';
import { Change } from '../../process/concurrency.ts';
import type { Logger } from '../../process/log.ts';
import { startChild } from '../../process/index.ts';
import { declareEngine } from '../declaration.ts';
import type { SpokenSamples, SynthesisEngine, SynthesisOptions, Unavailable } from '../engine.ts';
import { RecogniserChild } from '../recognition/hearing-process.ts';
import {
  fromVoice,
  NUMBER_BYTES,
  numbered,
  type SherpaVoiceModel,
  toVoice,
  type VoiceRequest,
} from '../recognition/hearing-protocol.ts';
import { sherpaSettings } from '../recognition/sherpa-config.ts';

interface SherpaVoicesOptions {
  /** Models of any kind; synthesis models become voices. */
  models: readonly LocalModel[];
  log: Logger;
  /** Threads per sentence; 1 by default. */
  threads?: number;
  hangTimeoutMs?: number;
  /** Idle time after which a voice is unloaded, in ms. */
  idleMs?: number;
}

interface Voice extends ModelVoice {
  language: LanguageTag;
  model: SherpaVoice;
}

/** Allows for a long sentence on a slow machine; each further sentence restarts the timeout. */
const HANG_TIMEOUT_MS = 60_000;
const IDLE_MS = 600_000;

/** The engine for installed voices. */
export const sherpaVoices = declareEngine({
  settings: sherpaSettings,
  start: async ({ log, models, settings: { SHERPA_THREADS: threads } }) =>
    createSherpaVoices({ log, models: await models, threads }),
});

/** Creates one engine for all voices, if there are any, and reports the models that cannot be used. */
export async function createSherpaVoices({
  models,
  log,
  threads = 1,
  hangTimeoutMs = HANG_TIMEOUT_MS,
  idleMs = IDLE_MS,
}: SherpaVoicesOptions): Promise<(SynthesisEngine | Unavailable)[]> {
  const speaking = models.filter(({ kind }) => kind === 'synthesis');
  const prepared = await Promise.all(
    speaking.map((model) =>
      prepareVoices(model, {
        model: { family: model.family, files: model.files, threads },
        log,
        hangTimeoutMs,
        idleMs,
      }),
    ),
  );
  const unavailable = prepared.filter((one) => 'reason' in one);
  const voices = prepared.flatMap((one) => ('reason' in one ? [] : one));
  return voices.length === 0 ? unavailable : [engineOf(voices), ...unavailable];
}

async function prepareVoices(
  { name, languages, voices: speakers = [{ speaker: 0 }] }: LocalModel,
  options: SherpaVoiceOptions,
): Promise<Voice[] | Unavailable> {
  const model = new SherpaVoice(options);
  try {
    await model.prepare();
  } catch (error) {
    await model.close();
    const reason = error instanceof Error ? error.message : String(error);
    return { name, reason: `The voice ${name} cannot be used: ${reason}` };
  }
  return speakers.flatMap(({ language, ...speaker }: ModelVoice) =>
    (language === undefined ? languages : [language]).map((tag) => ({
      ...speaker,
      language: tag,
      model,
    })),
  );
}

function engineOf(voices: readonly Voice[]): SynthesisEngine {
  return {
    name: 'sherpa-onnx',
    describedAs: 'a voice model on this server',
    languages: [...new Set(voices.map(({ language }) => baseLanguage(language)))],
    speak(text: string, options: SynthesisOptions) {
      const voice = choose(voices, options);
      if (voice === undefined) {
        throw new ServiceError('synthesis_failed', 'There is no voice for this language.');
      }
      return voice.model.speak({ text, speaker: voice.speaker }, options.signal);
    },
    async close() {
      await Promise.all([...new Set(voices.map(({ model }) => model))].map((one) => one.close()));
    },
  };
}

/** Returns the best voice: a matching language counts more than a matching gender. */
function choose(
  voices: readonly Voice[],
  { language, gender }: SynthesisOptions,
): Voice | undefined {
  const rank = (voice: Voice): number =>
    (voice.language === language ? 2 : 0) +
    (gender !== undefined && voice.gender === gender ? 1 : 0);
  return voices
    .filter((voice) => baseLanguage(voice.language) === baseLanguage(language))
    .reduce<Voice | undefined>(
      (best, voice) => (best === undefined || rank(voice) > rank(best) ? voice : best),
      undefined,
    );
}

// One voice model in its own process, started on demand.

interface SherpaVoiceOptions {
  model: SherpaVoiceModel;
  log: Logger;
  /** Hang timeout, in ms: a process silent for so long while it has text to speak is replaced. */
  hangTimeoutMs: number;
  /** Idle time after which a process is ended, in ms. */
  idleMs: number;
}

interface Text {
  waiting: SpokenSamples[];
  isDone: boolean;
}

/** Tail of stderr that is kept: the last output of a process tells why it ended. */
const LAST_WORDS_BYTES = 2_000;

class SherpaVoice {
  readonly #options: SherpaVoiceOptions;
  readonly #change = new Change();
  readonly #texts = new Map<number, Text>();
  #child: RecogniserChild | undefined;
  #sending: Promise<void> = Promise.resolve();
  #nextNumber = 1;
  #timer: NodeJS.Timeout | undefined;
  #lastWords = '';
  #isClosed = false;

  constructor(options: SherpaVoiceOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Loads the model to verify that it works. Throws Error with the reason when it does not. */
  async prepare(): Promise<void> {
    const child = this.#start();
    try {
      await child.ready;
    } catch (error) {
      await child.gone;
      const own = error instanceof Error ? error.message : String(error);
      throw new Error(this.#lastWords.trim() === '' ? own : this.#lastWords.trim(), {
        cause: error,
      });
    }
    this.#rest();
  }

  /**
   * Speaks a text; yields each sentence when it is synthesised.
   *
   * @throws ServiceError synthesis_failed; the signal's reason when aborted
   */
  async *speak(request: VoiceRequest, signal: AbortSignal): AsyncGenerator<SpokenSamples> {
    for (let isAgain = false; ; isAgain = true) {
      let hasSpoken = false;
      try {
        for await (const samples of this.#speakOnce(request, signal)) {
          hasSpoken = true;
          yield samples;
        }
        return;
      } catch (error) {
        // A text is retried only if none of it was heard yet.
        if (!(error instanceof VoiceLost) || hasSpoken || isAgain) throw error;
      }
    }
  }

  /** Ends the process; resolves when it is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    child?.kill();
    await child?.gone;
  }

  async *#speakOnce(request: VoiceRequest, signal: AbortSignal): AsyncGenerator<SpokenSamples> {
    signal.throwIfAborted();
    const child = this.#start();
    const number = this.#nextNumber++;
    const text: Text = { waiting: [], isDone: false };
    this.#texts.set(number, text);
    const wake = (): void => this.#change.notify();
    signal.addEventListener('abort', wake);
    this.#send(child, toVoice.speak, numbered(number, Buffer.from(JSON.stringify(request))));
    this.#watch();
    try {
      for (;;) {
        signal.throwIfAborted();
        const samples = text.waiting.shift();
        if (samples !== undefined) yield samples;
        else if (text.isDone) return;
        else if (child.isGone) throw new VoiceLost();
        else await this.#change.next();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#texts.delete(number);
      if (!text.isDone) this.#send(child, toVoice.stop, numbered(number));
      if (this.#texts.size === 0) this.#rest();
    }
  }

  #start(): RecogniserChild {
    if (this.#isClosed) throw new ServiceError('synthesis_failed', 'The voice has been closed.');
    if (this.#child?.isGone === false) return this.#child;
    const { model, log } = this.#options;
    const process = startChild(import.meta.url, './sherpa-voice-child', [JSON.stringify(model)]);
    this.#lastWords = '';
    process.stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk.toString('utf8')}`.slice(-LAST_WORDS_BYTES);
    });
    const child = new RecogniserChild({ process, log });
    this.#child = child;
    child.onFrame = (kind, payload) => this.#onFrame(kind, payload);
    void child.gone.then(() => this.#change.notify());
    return child;
  }

  #send(child: RecogniserChild, kind: number, payload: Buffer): void {
    this.#sending = this.#sending.then(() => child.send(kind, payload));
  }

  #onFrame(kind: number, payload: Buffer): void {
    const text = this.#texts.get(payload.readUInt32LE(0));
    if (text !== undefined) {
      if (kind === fromVoice.samples) text.waiting.push(samplesOf(payload.subarray(NUMBER_BYTES)));
      if (kind === fromVoice.done) text.isDone = true;
      this.#change.notify();
    }
    if ([...this.#texts.values()].some(({ isDone }) => !isDone)) this.#watch();
    else this.#rest();
  }

  /** Restarts the hang timeout. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#child?.kill(), this.#options.hangTimeoutMs);
  }

  /** Starts the idle timeout. */
  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#child?.kill(), this.#options.idleMs);
    this.#timer.unref();
  }
}

/** The process ended before it had finished the text. */
class VoiceLost extends ServiceError {
  constructor() {
    super('synthesis_failed', 'The voice stopped speaking. Please try again.');
  }
}

function samplesOf(payload: Buffer): SpokenSamples {
  const samples = new Int16Array((payload.byteLength - 4) >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = payload.readInt16LE(4 + index * 2);
  }
  return { samples, sampleRateHz: payload.readUInt32LE(0) };
}
