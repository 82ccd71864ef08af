/** Captions to the messages of the voice protocol. */
import { baseLanguage } from '../../../shared/language.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { CaptionSegment, CaptionUpdate } from './captions.ts';
import type { Progress } from './progress.ts';
import type { MediaChunk } from './synthesise.ts';

/** Source captions as messages. Where the requested language is heard, it is echoed as it was written. */
export async function* emitSource(
  updates: AsyncIterable<CaptionUpdate>,
  {
    requested,
    tellsWords,
    toldSegments = 0,
  }: {
    requested: string | undefined;
    tellsWords: boolean;
    /** Segments that come first and were told before. */
    toldSegments?: number | undefined;
  },
): AsyncGenerator<ServerMessage> {
  const base = requested === undefined ? undefined : baseLanguage(requested);
  const segmentOf = (segment: CaptionSegment) => ({
    language:
      requested !== undefined && baseLanguage(segment.language) === base
        ? requested
        : segment.language,
    ...timedText(segment),
  });
  let shown = '[]';
  let toSkip = toldSegments;
  for await (const { concluded: all, tentative } of updates) {
    const concluded = toSkip === 0 ? all : all.slice(toSkip);
    toSkip = Math.max(0, toSkip - all.length);
    const growing = tentative.map(segmentOf);
    const before = shown;
    shown = JSON.stringify(growing);
    // A pause can end a sentence for the translators and change nothing of what was said.
    if (concluded.length === 0 && shown === before) continue;
    yield {
      type: 'source_transcript_update',
      concluded: concluded.map((segment) => ({
        ...segmentOf(segment),
        ...(tellsWords && wordsOf(segment)),
      })),
      tentative: growing,
    };
  }
}

/** Captions of one target language as messages; `language` is echoed as it was requested. */
export async function* emitTarget(
  updates: AsyncIterable<CaptionUpdate>,
  language: string,
  progress?: Progress,
): AsyncGenerator<ServerMessage> {
  for await (const { concluded, tentative } of updates) {
    const message: ServerMessage = {
      type: 'target_transcript_update',
      language,
      concluded: concluded.map(timedText),
      tentative: tentative.map(timedText),
    };
    const sentence = concluded.at(-1)?.index;
    if (sentence !== undefined) progress?.mark(message, { sentence });
    yield message;
  }
}

/** Translated speech as messages; the first says what kind of stream it is. */
export async function* emitMedia(
  chunks: AsyncIterable<MediaChunk>,
  {
    language,
    contentType,
    isContinued = false,
  }: {
    language: string;
    contentType: string;
    /** Whether it is no stream of its own, but goes on where another server was. */
    isContinued?: boolean;
  },
): AsyncGenerator<ServerMessage> {
  let isFirst = !isContinued;
  for await (const { pieces, durationMs, text, headerCount = 0 } of chunks) {
    yield {
      type: 'target_media_chunk',
      language,
      data: pieces,
      duration: durationMs,
      ...(text !== undefined && { text }),
      ...(isFirst && { content_type: contentType, headers: headerCount }),
    };
    isFirst = false;
  }
}

/** What tells a client that everything has been said. */
export function* emitEnds(
  targets: readonly string[],
  spoken: string | undefined,
): Generator<ServerMessage> {
  yield { type: 'end_of_source_transcript' };
  for (const language of targets) yield { type: 'end_of_target_transcript', language };
  if (spoken !== undefined) yield { type: 'end_of_target_media', language: spoken };
  yield { type: 'end_of_stream' };
}

/** Nothing where the recogniser knows no times. */
function wordsOf({ words = [] }: CaptionSegment) {
  if (words.length === 0) return {};
  return {
    words: words.map(({ confidence, ...word }) => ({
      ...timedText(word),
      ...(confidence !== undefined && { confidence }),
    })),
  };
}

function timedText({ text, startMs, endMs }: Pick<CaptionSegment, 'text' | 'startMs' | 'endMs'>) {
  return { text, start_time: Math.round(startMs), end_time: Math.round(endMs) };
}
