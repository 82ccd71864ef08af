/** Concluded captions to samples of speech: which are spoken, in order, and what to do about failures. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import type { SpokenSamples, SynthesisEngine, VoiceGender } from '../../engines/engine.ts';
import type { CaptionUpdate } from './captions.ts';
import { createChannel, createSignal } from './streams.ts';

/** What is told of each segment that is spoken: its text, its samples, its end. */
export type SpeechEvent =
  { kind: 'begin'; text: string } | ({ kind: 'samples' } & SpokenSamples) | { kind: 'end' };

export interface SpeakOptions {
  engine: SynthesisEngine;
  language: LanguageTag;
  gender: VoiceGender | undefined;
  signal: AbortSignal;
}

/** How long to wait before a sentence that failed is tried again, in ms. */
const SECOND_TRY_AFTER_MS = 250;

/** How far speech is made ahead of its encoding, in ms: about two long sentences. */
const AHEAD_MS = 20_000;

/**
 * Speaks concluded segments one after the other. Each begins as soon as the one before is made, up
 * to {@link AHEAD_MS} before anybody reads it.
 *
 * @throws ServiceError synthesis_failed when a segment fails twice; what the source throws; the
 *   signal's reason
 */
export async function* speakAhead(
  updates: AsyncIterable<CaptionUpdate>,
  options: SpeakOptions,
): AsyncGenerator<SpeechEvent> {
  const controller = new AbortController();
  const { signal } = options;
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });

  let aheadMs = 0;
  const room = createSignal();
  const events = createChannel<SpeechEvent>((event) => {
    aheadMs -= lengthMs(event);
    room.raise();
  });
  controller.signal.addEventListener('abort', () => {
    events.fail(controller.signal.reason);
    room.raise();
  });
  if (controller.signal.aborted) events.fail(controller.signal.reason);

  async function speakAll(): Promise<void> {
    for await (const event of speakEach(updates, { ...options, signal: controller.signal })) {
      events.push(event);
      aheadMs += lengthMs(event);
      while (aheadMs > AHEAD_MS && !controller.signal.aborted) await room.raised();
    }
  }

  speakAll().then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events;
  } finally {
    signal.removeEventListener('abort', abort);
    controller.abort(new Error('Nobody listens any more.'));
  }
}

function lengthMs(event: SpeechEvent): number {
  return event.kind === 'samples' ? (event.samples.length / event.sampleRateHz) * 1000 : 0;
}

async function* speakEach(
  updates: AsyncIterable<CaptionUpdate>,
  options: SpeakOptions,
): AsyncGenerator<SpeechEvent> {
  for await (const { concluded } of updates) {
    for (const { text } of concluded) {
      if (!isSpeakable(text)) continue;
      yield { kind: 'begin', text };
      yield* speakTwice(spoken(text), options);
      yield { kind: 'end' };
    }
  }
}

/** Punctuation alone makes no sound, or a voice that says "dot dot dot". */
function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** A caption as it is given to engines: one line, without what is not text. */
function spoken(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cs}\p{Co}]+/gu, ' ').trim();
}

/** A sentence that fails is tried once more, and goes on where it had broken off. */
async function* speakTwice(text: string, options: SpeakOptions): AsyncGenerator<SpeechEvent> {
  let saidMs = 0;
  try {
    for await (const samples of options.engine.speak(text, options)) {
      const event = { kind: 'samples' as const, ...samples };
      saidMs += lengthMs(event);
      yield event;
    }
    return;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
  }
  const { signal } = options;
  await delay(SECOND_TRY_AFTER_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  for await (const samples of options.engine.speak(text, options)) {
    const event = { kind: 'samples' as const, ...samples };
    const length = lengthMs(event);
    const skipped = Math.round((Math.min(saidMs, length) * samples.sampleRateHz) / 1000);
    saidMs = Math.max(0, saidMs - length);
    const rest = samples.samples.subarray(skipped);
    if (rest.length > 0) yield { ...event, samples: rest };
  }
}
