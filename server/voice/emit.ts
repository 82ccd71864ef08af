/** Captions to the messages of the voice protocol. */
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import type { CaptionSegment, CaptionUpdate } from './captions.ts';

/** Source captions as messages. `language` is echoed as it was requested, when it was. */
export async function* emitSource(
  updates: AsyncIterable<CaptionUpdate>,
  requested: string | undefined,
): AsyncGenerator<ServerMessage> {
  const segmentOf = (segment: CaptionSegment) => ({
    language: requested ?? segment.language,
    ...timedText(segment),
  });
  for await (const { concluded, tentative } of updates) {
    yield {
      source_transcript_update: {
        concluded: concluded.map(segmentOf),
        tentative: tentative.map(segmentOf),
      },
    };
  }
}

/** Captions of one target language as messages; `language` is echoed as it was requested. */
export async function* emitTarget(
  updates: AsyncIterable<CaptionUpdate>,
  language: string,
): AsyncGenerator<ServerMessage> {
  for await (const { concluded, tentative } of updates) {
    yield {
      target_transcript_update: {
        language,
        concluded: concluded.map(timedText),
        tentative: tentative.map(timedText),
      },
    };
  }
}

/** What tells a client that everything has been said. */
export function* emitEnds(targets: readonly string[]): Generator<ServerMessage> {
  yield { end_of_source_transcript: {} };
  for (const language of targets) yield { end_of_target_transcript: { language } };
  yield { end_of_stream: {} };
}

function timedText({ text, startMs, endMs }: CaptionSegment) {
  return { text, start_time: Math.round(startMs), end_time: Math.round(endMs) };
}
