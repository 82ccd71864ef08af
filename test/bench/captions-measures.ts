/** How calm and how late captions were, from all that was shown and when. */
import { captionTokens } from '../../server/voice/path/captions.ts';

/** What was seen of one transcript from then on, times in ms since the stream began. */
export interface Sight {
  atMs: number;
  concluded: readonly { text: string; startMs: number; endMs: number }[];
  tentative: readonly { text: string }[];
}

/** The measures of one transcript, lags in ms; one value for each concluded segment. */
export interface CaptionMeasures {
  /** Tokens that were shown and taken back or changed. */
  deleted: number;
  /** Tokens of the concluded text, and those that stood there before it was concluded. */
  final: number;
  early: number;
  /** From the beginning of the first word to the first sight of the segment. */
  firstWordLagsMs: number[];
  /** From the end of the last word to the conclusion. */
  conclusionLagsMs: number[];
  /** Length-adaptive average lagging of the tokens as they stand in the end. */
  averageLagsMs: number[];
}

/** English, Spanish and French are measured, which are written with blanks. */
function tokensOf(segments: readonly { text: string }[]): string[] {
  return segments.flatMap(({ text }) => captionTokens(text, 'en'));
}

interface Span {
  from: number;
  to: number;
  startMs: number;
  endMs: number;
  concludedAtMs: number;
}

export function measureCaptions(sights: Iterable<Sight>): CaptionMeasures {
  const concluded: string[] = [];
  const spans: Span[] = [];
  /** By place: since when its token stands, and when a token was first seen there. */
  const standsSince: number[] = [];
  const firstSeen: number[] = [];
  let shown: string[] = [];
  let deleted = 0;
  let early = 0;
  for (const { atMs, concluded: segments, tentative } of sights) {
    const before = concluded.length;
    for (const segment of segments) {
      const from = concluded.length;
      concluded.push(...tokensOf([segment]));
      spans.push({ ...segment, from, to: concluded.length, concludedAtMs: atMs });
    }
    early += Math.max(0, commonPrefix(shown, concluded) - before);
    const now = [...concluded, ...tokensOf(tentative)];
    const kept = commonPrefix(shown, now);
    deleted += shown.length - kept;
    standsSince.length = kept;
    // What was seen behind the end of a segment that turned out shorter was part of that segment.
    if (segments.length > 0) firstSeen.length = Math.min(firstSeen.length, concluded.length);
    for (let place = kept; place < now.length; place += 1) {
      standsSince[place] = atMs;
      firstSeen[place] ??= atMs;
    }
    shown = now;
  }
  const told = spans.filter(({ from, to }) => to > from);
  return {
    deleted,
    final: concluded.length,
    early,
    firstWordLagsMs: told.map(({ from, startMs }) => (firstSeen[from] ?? Infinity) - startMs),
    conclusionLagsMs: told.map(({ concludedAtMs, endMs }) => concludedAtMs - endMs),
    averageLagsMs: told.map((span) => averageLagging(span, standsSince)),
  };
}

/**
 * Mean of how much later than ideal each token came to stand, up to the first that did so after the
 * end of speech; ideally, tokens come evenly while the segment is spoken.
 */
function averageLagging(
  { from, to, startMs, endMs }: Span,
  standsSince: readonly number[],
): number {
  const spokenMs = endMs - startMs;
  let sum = 0;
  let count = 0;
  for (let place = from; place < to; place += 1) {
    const delayMs = (standsSince[place] ?? Infinity) - startMs;
    sum += delayMs - ((place - from) * spokenMs) / (to - from);
    count += 1;
    if (delayMs >= spokenMs) break;
  }
  return sum / count;
}

function commonPrefix(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

/** The measures of several transcripts as those of one. */
export function together(all: readonly CaptionMeasures[]): CaptionMeasures {
  return {
    deleted: all.reduce((sum, { deleted }) => sum + deleted, 0),
    final: all.reduce((sum, { final }) => sum + final, 0),
    early: all.reduce((sum, { early }) => sum + early, 0),
    firstWordLagsMs: all.flatMap(({ firstWordLagsMs }) => firstWordLagsMs),
    conclusionLagsMs: all.flatMap(({ conclusionLagsMs }) => conclusionLagsMs),
    averageLagsMs: all.flatMap(({ averageLagsMs }) => averageLagsMs),
  };
}
