/** Helpers for the caption tests: recognitions, updates, and what is derived from them. */
import fc from '../../support/suite/properties.ts';
import {
  conflateUpdates,
  type CaptionMode,
  type CaptionSegment,
  type CaptionUpdate,
} from '../../../server/voice/path/captions.ts';
import type { HeardText, Pause } from '../../../server/voice/path/recognise.ts';
import { segment } from '../../../server/voice/path/segment.ts';
import { translate, type TranslateText } from '../../../server/voice/path/translate.ts';

export type Heard = HeardText | Pause;

export async function* of<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

interface HeardDetails {
  startMs?: number;
  endMs?: number;
  language?: string;
  punctuated?: boolean;
  words?: { text: string; startMs: number; endMs: number }[];
}

export function partial(text: string, details: HeardDetails = {}): HeardText {
  const { startMs = 0, endMs = 900, language = 'en', punctuated = false } = details;
  return { kind: 'partial', text, startMs, endMs, language, punctuated };
}

export function final(text: string, details: HeardDetails = {}): HeardText {
  const { startMs = 0, endMs = 1000, language = 'en', punctuated = false, words = [] } = details;
  return { kind: 'final', text, startMs, endMs, language, punctuated, words };
}

/** A silence after an utterance that began and ended at the given times. */
export function pause(utteranceStartMs: number, endpointMs: number, atMs: number): Pause {
  return { kind: 'pause', utteranceStartMs, endpointMs, atMs };
}

/** Joined concluded and tentative texts of each update. */
export function texts(updates: readonly CaptionUpdate[]): string[][] {
  const joined = (segments: readonly CaptionSegment[]) =>
    segments.map(({ text }) => text).join('|');
  return updates.map(({ concluded, tentative }) => [joined(concluded), joined(tentative)]);
}

export function concludedTexts(updates: readonly CaptionUpdate[]): string[] {
  return updates.flatMap(({ concluded }) => concluded.map(({ text }) => text));
}

/** Whole sentences as translators receive them. */
export function sentenceTexts(updates: readonly CaptionUpdate[]): string[] {
  return updates.flatMap(({ sentences }) => (sentences?.concluded ?? []).map(({ text }) => text));
}

export async function segmented(mode: CaptionMode, ...heard: Heard[]): Promise<CaptionUpdate[]> {
  return collect(segment(of(...heard), { mode }));
}

/** An update for translators: whole sentences, and optionally a growing one. */
export function said(sentences: string[], growing?: string, language = 'en'): CaptionUpdate {
  const toSegment = (text: string) => ({ text, startMs: 0, endMs: 1, language });
  const concluded = sentences.map(toSegment);
  const tentative = growing === undefined ? [] : [toSegment(growing)];
  return { concluded, tentative, sentences: { concluded, growing: tentative[0], isUnsure: false } };
}

export const unaborted = new AbortController().signal;

/** Translates updates one at a time: the next one follows once no translation is under way. */
export async function translatedCalmly(
  updates: Iterable<CaptionUpdate> | AsyncIterable<CaptionUpdate>,
  options: { mode: CaptionMode; target?: string; translateText: TranslateText },
  onUpdate: (update: CaptionUpdate) => void = () => undefined,
): Promise<CaptionUpdate[]> {
  const { mode, target = 'es', translateText } = options;
  let underWay = 0;
  async function* oneByOne() {
    for await (const update of updates) {
      yield update;
      do await new Promise((resolve) => setImmediate(resolve));
      while (underWay > 0);
    }
  }
  const told: CaptionUpdate[] = [];
  const counted: TranslateText = async (text, details) => {
    underWay += 1;
    try {
      return await translateText(text, details);
    } finally {
      underWay -= 1;
    }
  };
  const translating = translate(oneByOne(), {
    ...{ mode, target, translateText: counted, signal: unaborted },
  });
  for await (const update of translating) {
    told.push(update);
    onUpdate(update);
  }
  return told;
}

/** Joins runs of updates as a slow reader would receive them. */
export function conflatedAt(updates: readonly CaptionUpdate[], joins: readonly boolean[]) {
  const conflated: CaptionUpdate[] = [];
  for (const [index, update] of updates.entries()) {
    const held = joins[index] === true ? conflated.pop() : undefined;
    conflated.push(held === undefined ? update : conflateUpdates(held, update));
  }
  return conflated;
}

const vocabulary = 'the a and we you river city is not because good time of work my because'.split(
  ' ',
);

/** Streams of several utterances: hypotheses that grow and stray, finals, and pauses of all lengths. */
export const heardStreams: fc.Arbitrary<Heard[]> = fc
  .array(
    fc.record({
      words: fc.array(fc.constantFrom(...vocabulary), { maxLength: 8 }),
      hypotheses: fc.array(fc.array(fc.constantFrom(...vocabulary), { maxLength: 8 }), {
        maxLength: 4,
      }),
      punctuated: fc.boolean(),
      mark: fc.constantFrom('', '.', '?', ',', '. And'),
      silenceMs: fc.integer({ min: 100, max: 4_000 }),
    }),
    { maxLength: 8 },
  )
  .map((utterances) => {
    const heard: Heard[] = [];
    let atMs = 0;
    for (const { words, hypotheses, punctuated, mark, silenceMs } of utterances) {
      const startMs = atMs + 200;
      const endMs = startMs + 400 * (words.length + 1);
      const text = words.join(' ') + (punctuated && words.length > 0 ? mark : '');
      const growing = words.map((_, index) => words.slice(0, index + 1));
      for (const hypothesis of [...hypotheses, ...growing]) {
        heard.push(partial(hypothesis.join(' '), { startMs, endMs, punctuated }));
      }
      heard.push(final(text, { startMs, endMs, punctuated }));
      const endpointMs = endMs + 600;
      for (let mark = endMs + 1_500; mark < endMs + silenceMs; mark += 1_500) {
        heard.push(pause(startMs, endpointMs, mark));
      }
      atMs = Math.max(endpointMs, endMs + silenceMs);
    }
    return heard;
  });

/** The same events from a late recogniser: pauses overtake what was said before them. */
export function withLateRecogniser(heard: readonly Heard[], leads: readonly number[]): Heard[] {
  const late: Heard[] = [];
  for (const [index, event] of heard.entries()) {
    if (event.kind !== 'pause') late.push(event);
    else late.splice(Math.max(0, late.length - (leads[index % leads.length] ?? 0)), 0, event);
  }
  return late;
}
