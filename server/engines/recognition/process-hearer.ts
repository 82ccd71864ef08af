/**
 * Hears utterances in processes that may die: another process hears the part that was not concluded again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { SAMPLES_PER_MS } from '../engine.ts';
import { ProcessLost, type HearingLine, type HearingListener } from './hearing-process.ts';
import type { HearingProcesses } from './hearing-processes.ts';
import type { Context, HearingOpening, HeardPart } from './hearing-protocol.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';
import type { UtteranceHearer } from './utterance-stream.ts';

/**
 * Pauses after consecutive process deaths during one part, in ms, so that a temporary cause can pass. One
 * more death means that the audio itself kills the process.
 */
const DEATH_PAUSES_MS = [0, 0, 250, 500, 1_000, 2_000];
/** Deaths after which the part is heard in a process of its own: others die with it if its audio is the cause. */
const DEATHS_TOGETHER = 3;
/** Samples sent at a time: half a second. */
const SENT_SAMPLES = 8_000;
/** Smallest frame worth sending, in samples: 40 ms. */
const LEAST_SAMPLES = 640;

interface HearRequest {
  processes: HearingProcesses;
  opening: HearingOpening;
  /** Words and phrases that belong to a process, not to an utterance. */
  hotwords: readonly string[];
  signal: AbortSignal;
  /** Returns the context before the part that begins at a sample position, if any. */
  saidBefore?: (from: number) => Before | undefined;
  /** Called at the end: whether speech continues nevertheless. */
  isCut?: () => boolean;
  /** Waits for samples from a position on; resolves to none when no more will come. */
  read: (from: number) => Promise<Int16Array>;
  listener: HearingListener;
}

/** Reads a complete recording in steps of half a second. */
export function readRecording(samples: Int16Array): HearRequest['read'] {
  return async (from) => samples.subarray(from, from + SENT_SAMPLES);
}

/**
 * Hears one utterance; when its process dies, another process hears the part that was not concluded again.
 *
 * @returns the part that was not concluded before the end
 * @throws ServiceError recognition_failed when processes die repeatedly; the signal's reason when aborted
 */
export async function hearInProcess(request: HearRequest): Promise<HeardPart> {
  const { processes, opening, hotwords, signal, saidBefore, listener } = request;
  /** Samples from the beginning that need not be heard again. */
  let settled = 0;
  let deaths = 0;
  /**
   * Extent of the text shown so far, and the extent a partial must exceed: after a death, repeated text is
   * not news.
   */
  let shown = 0;
  let least = 0;
  for (;;) {
    const from = settled;
    const before = saidBefore?.(from);
    const line = await processes.open(
      { ...opening, hotwords, ...(before !== undefined && { before: before.context }) },
      {
        signal,
        isAlone: deaths >= DEATHS_TOGETHER,
        listener: {
          onPartial(heard) {
            const partial = later(heard, from);
            const length = lengthOf(partial);
            if (length < least) return;
            least = 0;
            shown = length;
            listener.onPartial(partial);
          },
          onPart(part) {
            settled = from + part.settledSamples;
            deaths = shown = least = 0;
            listener.onPart({ ...later(part, from), settledSamples: settled });
          },
        },
      },
    );
    try {
      const sent = sendAll(line, from, before?.samples, request);
      return later(await untilAborted(sent, signal), from);
    } catch (error) {
      if (!(error instanceof ProcessLost)) throw error;
    } finally {
      line.close();
    }
    const pauseMs = DEATH_PAUSES_MS[deaths];
    if (pauseMs === undefined) {
      throw new ServiceError(
        'recognition_failed',
        'The recogniser stopped working several times on this audio. Please start again.',
      );
    }
    deaths += 1;
    least = Math.max(shown, least);
    await untilAborted(delay(pauseMs), signal);
  }
}

/**
 * Creates a hearer that hears the utterances of a session with the processes of a streaming model. The
 * context a model returns for one utterance is passed on with the next.
 */
export function createProcessHearer(
  options: Pick<HearRequest, 'processes' | 'opening' | 'hotwords'>,
): UtteranceHearer {
  let before: Before | undefined;
  return {
    async hear(utterance, onPartial, signal, onPart) {
      const remember = ({ context }: HeardPart): void => {
        if (context === undefined) return;
        const { from, sampleCount } = context;
        const isShort = sampleCount <= LONGEST_BEFORE_MS * SAMPLES_PER_MS;
        const samples = utterance.samples.slice(from, isShort ? from + sampleCount : from);
        before = {
          samples,
          context: { ...context, sampleCount: samples.length },
          endMs: utterance.startMs + (from + sampleCount) / SAMPLES_PER_MS,
        };
      };
      const heard = await hearInProcess({
        ...options,
        signal,
        saidBefore(from) {
          const startMs = utterance.startMs + from / SAMPLES_PER_MS;
          return before && startMs - before.endMs <= LONGEST_GAP_MS ? before : undefined;
        },
        isCut: () => utterance.isCut,
        read: (from) => utterance.read({ from, least: LEAST_SAMPLES, most: SENT_SAMPLES, signal }),
        listener: {
          onPartial: (partial) => onPartial(placed(partial, utterance)),
          onPart(part) {
            remember(part);
            onPart(placed(part, utterance));
          },
        },
      });
      remember(heard);
      return placed(heard, utterance);
    },
    close() {
      before = undefined;
    },
  };
}

/** The previous utterance, as context. */
interface Before {
  samples: Int16Array;
  context: Context;
  endMs: number;
}

/** Gap after which the previous utterance no longer helps, in ms. */
const LONGEST_GAP_MS = 2_000;
/** Longer audio is not worth hearing again, in ms. */
const LONGEST_BEFORE_MS = 5_000;

function lengthOf({ agreed, text, words }: HeardPart): number {
  return agreed?.length ?? words.at(-1)?.endMs ?? text.length;
}

function placed(heard: HeardPart, { lengthMs }: Utterance): HeardUtterance {
  return { ...heard, lengthMs };
}

function later<Part extends HeardPart>(heard: Part, samples: number): Part {
  if (samples === 0) return heard;
  const byMs = samples / SAMPLES_PER_MS;
  const words = heard.words.map(({ startMs, endMs, ...word }) => ({
    ...word,
    startMs: startMs + byMs,
    endMs: endMs + byMs,
  }));
  const { context } = heard;
  const moved = context && { context: { ...context, from: context.from + samples } };
  return { ...heard, words, ...moved };
}

async function sendAll(
  line: HearingLine,
  settled: number,
  before: Int16Array | undefined,
  { isCut = () => false, read, signal }: HearRequest,
): Promise<HeardPart> {
  if (before !== undefined) await line.send(bytesOf(before));
  for (let from = settled; ;) {
    const samples = await read(from);
    signal.throwIfAborted();
    if (samples.length === 0) return await line.conclude(isCut());
    from += samples.length;
    await line.send(bytesOf(samples));
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
  }
}
