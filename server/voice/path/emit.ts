/** Turns captions and speech into messages of the voice protocol. */
import { baseLanguage } from '../../../shared/language.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { CaptionSegment, CaptionUpdate } from './captions.ts';
import type { Progress } from './progress.ts';
import type { MediaChunk } from './synthesise.ts';

/** Emits source captions. The requested language, where it is heard, is echoed as the client wrote it. */
export async function* emitSource(
  updates: AsyncIterable<CaptionUpdate>,
  {
    requested,
    tellsWords,
    toldSegments = 0,
  }: {
    requested: string | undefined;
    tellsWords: boolean;
    /** Number of leading segments that the client already has. */
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
    // A pause can end a sentence for the translators without changing the source captions.
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

/** Emits captions of one target language; `language` is echoed as requested. */
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

/** Emits translated speech; the first message describes the stream. */
export async function* emitMedia(
  chunks: AsyncIterable<MediaChunk>,
  {
    language,
    contentType,
    isContinued = false,
  }: {
    language: string;
    contentType: string;
    /** Whether the chunks continue a stream that another server began. */
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

/** Emits the end marks of a session. */
export function* emitEnds(
  targets: readonly string[],
  spoken: string | undefined,
): Generator<ServerMessage> {
  yield { type: 'end_of_source_transcript' };
  for (const language of targets) yield { type: 'end_of_target_transcript', language };
  if (spoken !== undefined) yield { type: 'end_of_target_media', language: spoken };
  yield { type: 'end_of_stream' };
}

/** Returns nothing when the recogniser reports no word times. */
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
