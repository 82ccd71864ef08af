/**
 * What the voice socket said, as lines to show. Pure: a transcript and a message go in, a new
 * transcript comes out; nothing here knows of the page, of timers or of sockets.
 */
import type { ServerMessage } from '../shared/protocol/messages.ts';
import type { LanguageTag } from '../shared/language.ts';

/**
 * One sentence, or as much of it as is known; `concluded` never changes, `tentative` may until the
 * line is complete.
 */
export interface CaptionLine {
  /** Unique within its track and kept while a tentative line becomes concluded. */
  readonly id: number;
  readonly language: LanguageTag;
  readonly concluded: string;
  readonly tentative: string;
  /** Nothing will be added to it any more. */
  readonly complete: boolean;
  /** End of its last segment, in ms since the session began. */
  readonly endMs: number;
}

/** The captions of one language. */
export interface CaptionTrack {
  readonly kind: 'source' | 'target';
  /** The language as it was requested; for the source as it was last heard. */
  readonly language: LanguageTag;
  /** Lines that stay, oldest first; tentative text in them was interrupted and left standing. */
  readonly lines: readonly CaptionLine[];
  /** `lines` with the tentative text in its place: what the reader sees. */
  readonly shown: readonly CaptionLine[];
}

/** Languages a session is asked for. */
interface RequestedLanguages {
  readonly sourceLanguage: LanguageTag;
  readonly targetLanguages: readonly LanguageTag[];
}

/** All that was said. */
export interface Transcript {
  /** The source first, then the targets in the order they were requested. */
  readonly tracks: readonly CaptionTrack[];
  /** Targets that were requested before: their last words may still come, and they may return. */
  readonly formerTracks: readonly CaptionTrack[];
  /** The source language as it was requested. */
  readonly sourceLanguage: LanguageTag;
}

/** A line that has just become complete, for those who wait for whole sentences. */
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

/** Lines kept for each track: more than a day of talking. */
const MAX_LINES = 20_000;
/** A silence this long begins a new line even when the sentence has no end mark. */
const PAUSE_MS = 2_500;
/** A recogniser without punctuation must not grow one endless line. */
const MAX_LINE_CHARACTERS = 240;

/** A transcript with one empty track for every language that was asked for. */
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

/** The transcript after a message of the server, and the lines that it completed. */
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
 * The transcript when its connection is over, well or not. Open lines are complete; tentative text
 * will never be concluded but was being read, so it is left standing, closed with an ellipsis. The
 * next connection counts its times from zero.
 */
export function finishTranscript(transcript: Transcript): ReturnType<typeof receiveMessage> {
  return updateTrack(transcript, () => true, interrupt);
}

/**
 * The transcript when other languages are asked for. Nothing of it is lost: tracks that stay keep
 * their text, those that go are kept aside, and those that return have the text they had.
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
      // What was heard last says more than the request it was heard under, not than a new one.
      return { ...track, ...source, ...(!isSameSource && { language: sourceLanguage }) };
    }),
    formerTracks: targets.filter(({ language }) => !request.targetLanguages.includes(language)),
    sourceLanguage,
  };
}

/** The concluded text of one track, a sentence on each line. */
export function plainText(track: CaptionTrack): string {
  return track.lines
    .map((line) => line.concluded.trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** The track of a language, a former one too: a target before the source when both have it. */
export function findTrack(transcript: Transcript, language: LanguageTag): CaptionTrack | undefined {
  const tracks = [...transcript.tracks, ...transcript.formerTracks];
  return tracks.find(isTarget(language)) ?? tracks.find(hasLanguage(language));
}

/** Every language of which something was concluded, former ones last. */
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
  // The tentative text is laid out by the same rules, so nothing moves when it is concluded.
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

/** Adds a segment sentence by sentence: each goes to the open line or begins a new one. */
function append(
  lines: readonly CaptionLine[],
  segment: Segment,
  track: CaptionTrack,
  kind: 'concluded' | 'tentative',
): readonly CaptionLine[] {
  // Only what was heard can change its language in between.
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
/** An initial or a title before the full stop: the sentence goes on. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}|Mrs?|Ms|Dr|Drs|Prof|St|Sr|Sra|Jr|vs|e\.g|i\.e)\.$/u;

function endsSentence(text: string): boolean {
  const trimmed = text.trimEnd();
  return /[.!?…؟।。！？]["'”’»)\]」』）]*$/u.test(trimmed) && !ABBREVIATION.test(trimmed);
}

/** Cuts text after each end of a sentence; the pieces joined are the text again. */
function splitSentences(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    const to = match.index + match[0].length;
    if (ABBREVIATION.test(text.slice(from, to))) continue;
    pieces.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
  return pieces;
}
