/**
 * Transcript of a voice session: turns the messages of the voice socket into caption lines. Pure: a
 * transcript and a message go in, a new transcript comes out, without page, timers or sockets.
 */
import type { ServerMessage } from '../shared/protocol/messages.ts';
import { endsAbbreviated, type LanguageTag } from '../shared/language.ts';

/**
 * One sentence, or the part of it known so far. `concluded` is only appended to; `tentative` may change until
 * the line is complete.
 */
export interface CaptionLine {
  /** Unique within its track; kept when tentative text becomes concluded. */
  readonly id: number;
  readonly language: LanguageTag;
  readonly concluded: string;
  readonly tentative: string;
  /** Whether nothing more will be added to the line. */
  readonly complete: boolean;
  /** End of its last segment, in ms since the session began. */
  readonly endMs: number;
}

/** The captions of one language. */
export interface CaptionTrack {
  readonly kind: 'source' | 'target';
  /** The requested language; for the source, the language last heard. */
  readonly language: LanguageTag;
  /** Concluded lines, oldest first. Tentative text in them was interrupted and left standing. */
  readonly lines: readonly CaptionLine[];
  /** `lines` with the tentative text appended: what the reader sees. */
  readonly shown: readonly CaptionLine[];
}

/** Languages requested for a session. */
interface RequestedLanguages {
  readonly sourceLanguage: LanguageTag;
  readonly targetLanguages: readonly LanguageTag[];
}

/** All tracks of a session. */
export interface Transcript {
  /** The source first, then the targets in the order requested. */
  readonly tracks: readonly CaptionTrack[];
  /** Targets requested before: their last words may still arrive, and they may be requested again. */
  readonly formerTracks: readonly CaptionTrack[];
  /** The source language, as requested. */
  readonly sourceLanguage: LanguageTag;
}

/** A line that has just become complete, for consumers that need whole sentences. */
export interface CompletedLine {
  readonly kind: CaptionTrack['kind'];
  /** Language of the track. */
  readonly language: LanguageTag;
  readonly line: CaptionLine;
}

interface Segment {
  text: string;
  start_time: number;
  end_time: number;
  language?: string;
}

/** Lines kept per track: more than a day of speech. */
const MAX_LINES = 20_000;
/** Silence after which a new line begins even without an end mark, in ms. */
const PAUSE_MS = 2_500;
/** Longest line, for recognisers without punctuation, which would otherwise grow one endless line. */
const MAX_LINE_CHARACTERS = 240;

/** Creates a transcript with one empty track per requested language. */
export function emptyTranscript(request: RequestedLanguages): Transcript {
  const track = (kind: CaptionTrack['kind'], language: LanguageTag): CaptionTrack => ({
    kind,
    language,
    lines: [],
    shown: [],
  });
  const { sourceLanguage, targetLanguages } = request;
  const targets = targetLanguages.map((language) => track('target', language));
  return {
    tracks: [track('source', sourceLanguage), ...targets],
    formerTracks: [],
    sourceLanguage,
  };
}

/** Applies a message of the server. Returns the new transcript and the lines that the message completed. */
export function receiveMessage(
  transcript: Transcript,
  message: ServerMessage,
): { transcript: Transcript; completed: readonly CompletedLine[] } {
  if (message.type === 'source_transcript_update') {
    const { concluded, tentative } = message;
    const heard = (concluded.at(-1) ?? tentative.at(-1))?.language;
    return updateTrack(transcript, isSource, (track) =>
      extend({ ...track, language: heard ?? track.language }, concluded, tentative),
    );
  }
  if (message.type === 'target_transcript_update') {
    const { language, concluded, tentative } = message;
    return updateTrack(transcript, isTarget(language), (track) =>
      extend(track, concluded, tentative),
    );
  }
  if (message.type === 'end_of_source_transcript') return updateTrack(transcript, isSource, finish);
  if (message.type === 'end_of_target_transcript') {
    return updateTrack(transcript, isTarget(message.language), finish);
  }
  return { transcript, completed: [] };
}

/**
 * Closes a transcript when its connection ends, for whatever reason. Open lines become complete. Tentative
 * text will never be concluded, but readers were reading it: it is kept and closed with an ellipsis. The next
 * connection counts its times from zero.
 */
export function finishTranscript(transcript: Transcript): ReturnType<typeof receiveMessage> {
  return updateTrack(transcript, () => true, interrupt);
}

/**
 * Applies a new set of languages without losing text: kept tracks keep their text, removed tracks are set
 * aside, and tracks that return get their text back.
 */
export function changeLanguages(transcript: Transcript, request: RequestedLanguages): Transcript {
  const [source] = transcript.tracks;
  const targets = [...transcript.tracks, ...transcript.formerTracks].filter(
    ({ kind }) => kind === 'target',
  );
  const isSameSource = request.sourceLanguage === transcript.sourceLanguage;
  const { tracks, sourceLanguage } = emptyTranscript(request);
  return {
    tracks: tracks.map((track) => {
      if (track.kind === 'target') {
        return targets.find(({ language }) => language === track.language) ?? track;
      }
      // The language last heard outranks the one requested then, but not a newly requested one.
      return { ...track, ...source, ...(!isSameSource && { language: sourceLanguage }) };
    }),
    formerTracks: targets.filter(({ language }) => !request.targetLanguages.includes(language)),
    sourceLanguage,
  };
}

/** Returns the concluded text of a track, one sentence per line. */
export function plainText(track: CaptionTrack): string {
  return track.lines
    .map((line) => line.concluded.trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** Finds the track of a language, former tracks included. A target precedes a source of the same language. */
export function findTrack(transcript: Transcript, language: LanguageTag): CaptionTrack | undefined {
  const tracks = [...transcript.tracks, ...transcript.formerTracks];
  return tracks.find(isTarget(language)) ?? tracks.find(hasLanguage(language));
}

/** Returns every language with concluded text, former tracks last. */
export function spokenLanguages({ tracks, formerTracks }: Transcript): LanguageTag[] {
  const said = [...tracks, ...formerTracks].filter((track) => plainText(track) !== '');
  return [...new Set(said.map(({ language }) => language))];
}

const isSource = (track: CaptionTrack): boolean => track.kind === 'source';
const hasLanguage = (language: string) => (track: CaptionTrack) => track.language === language;
const isTarget = (language: string) => (track: CaptionTrack) =>
  track.kind === 'target' && track.language === language;

function updateTrack(
  transcript: Transcript,
  select: (track: CaptionTrack) => boolean,
  change: (track: CaptionTrack) => CaptionTrack,
): ReturnType<typeof receiveMessage> {
  const completed: CompletedLine[] = [];
  const updated = (before: CaptionTrack): CaptionTrack => {
    if (!select(before)) return before;
    const after = change(before);
    completed.push(...newlyComplete(before, after));
    return after;
  };
  const tracks = transcript.tracks.map(updated);
  const formerTracks = transcript.formerTracks.map(updated);
  return { transcript: { ...transcript, tracks, formerTracks }, completed };
}

function newlyComplete(before: CaptionTrack, after: CaptionTrack): CompletedLine[] {
  const last = before.lines.at(-1);
  const firstNew = last === undefined ? 0 : last.complete ? last.id + 1 : last.id;
  return after.lines
    .slice(after.lines.findLastIndex((line) => line.id < firstNew) + 1)
    .filter((line) => line.complete && line.concluded.trim() !== '')
    .map((line) => ({ kind: after.kind, language: after.language, line }));
}

function extend(
  track: CaptionTrack,
  concluded: readonly Segment[],
  tentative: readonly Segment[],
): CaptionTrack {
  const lines = concluded.length === 0 ? track.lines : track.lines.slice(-MAX_LINES);
  const kept = concluded.reduce((sum, segment) => append(sum, segment, track, 'concluded'), lines);
  // The same rules lay out tentative text, so nothing moves when it is concluded.
  const shown = tentative.reduce((sum, segment) => append(sum, segment, track, 'tentative'), kept);
  return { ...track, lines: kept, shown };
}

function finish(track: CaptionTrack): CaptionTrack {
  const lines = complete(track.lines);
  return { ...track, lines, shown: lines };
}

function interrupt(track: CaptionTrack): CaptionTrack {
  const last = track.shown.at(-1);
  const isCut = last !== undefined && last.tentative.trim() !== '' && !endsSentence(last.tentative);
  const shown = isCut
    ? [...track.shown.slice(0, -1), { ...last, tentative: `${last.tentative.trimEnd()}…` }]
    : track.shown;
  const lines = complete(shown);
  return { ...track, lines, shown: lines };
}

function complete(lines: readonly CaptionLine[]): readonly CaptionLine[] {
  const last = lines.at(-1);
  return last === undefined || last.complete
    ? lines
    : [...lines.slice(0, -1), { ...last, complete: true }];
}

/** Appends a segment sentence by sentence: each joins the open line or begins a new one. */
function append(
  lines: readonly CaptionLine[],
  segment: Segment,
  track: CaptionTrack,
  kind: 'concluded' | 'tentative',
): readonly CaptionLine[] {
  // Only the source can change its language between segments.
  const language = (track.kind === 'source' && segment.language) || track.language;
  const before = lines.at(-1);
  const apart =
    before !== undefined &&
    !before.complete &&
    (before.language !== language || segment.start_time - before.endMs > PAUSE_MS);
  let result = apart ? complete(lines) : lines;
  for (const sentence of splitSentences(segment.text)) {
    const last = result.at(-1);
    const open =
      last === undefined || last.complete
        ? { id: (last?.id ?? -1) + 1, language, concluded: '', tentative: '' }
        : last;
    const isEmpty = open.concluded === '' && open.tentative === '';
    const text = open[kind] + (isEmpty ? sentence.trimStart() : sentence);
    if (text === '') continue;
    const line = { ...open, [kind]: text, endMs: segment.end_time };
    const length = line.concluded.length + line.tentative.length;
    const done = endsSentence(line.concluded + line.tentative) || length > MAX_LINE_CHARACTERS;
    result = [...(open === last ? result.slice(0, -1) : result), { ...line, complete: done }];
  }
  return result;
}

const SENTENCE_END = /[.!?…؟।]["'”’»)\]]*(?=\s|$)|[。！？][”’」』）]*/gu;

function endsSentence(text: string): boolean {
  const trimmed = text.trimEnd();
  return /[.!?…؟।。！？]["'”’»)\]」』）]*$/u.test(trimmed) && !endsAbbreviated(trimmed);
}

/** Splits text after each sentence end. The pieces concatenate to the original text. */
function splitSentences(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    const to = match.index + match[0].length;
    if (endsAbbreviated(text.slice(from, to))) continue;
    pieces.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
  return pieces;
}
