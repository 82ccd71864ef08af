/**
 * Feeds segments to an engine piece by piece, at the pace of the engine. Pieces are cut only when they are
 * needed, and the thread, which also carries live audio, is never held for long.
 */
import { setMaxListeners } from 'node:events';
import { nextTurn } from '../../text/markup/text-layout.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import { isPlain, type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';

/**
 * Maximum number of pieces in flight per call: enough for two consecutive pipelines, each kept busy by 16.
 */
const MAX_UNDER_WAY = 32;
/** Amount of text a call may cut before it yields, in UTF-16 units: less than 1 ms of work. */
const TURN_LENGTH = 2_048;

interface PieceFeed extends TextCutting {
  segments: readonly TextSegment[];
  /** Must reject soon after the call has ended, which the first piece that fails does. */
  translatePiece: (
    content: SegmentPiece['content'],
    call: FedCall,
  ) => Promise<SegmentPiece['content']>;
  signal: AbortSignal;
  /** Removes the pieces of this call from the queues of the engine. */
  abandon: (reason: unknown) => void;
}

/** Whether somebody still waits for the pieces of a call. */
export type FedCall = Pick<AbortSignal, 'throwIfAborted'>;

/** Ends a call once. A controller with a signal of its own would take 2 % of the time of a short request. */
class FeedCall implements FedCall {
  readonly #abandon: PieceFeed['abandon'];
  #end: { reason: unknown } | undefined;

  constructor(abandon: PieceFeed['abandon']) {
    this.#abandon = abandon;
  }

  abort(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    this.#abandon(reason);
  }

  throwIfAborted(): void {
    if (this.#end !== undefined) throw this.#end.reason;
  }
}

/**
 * Translates segments piece by piece, in order, and joins the pieces to one result per segment.
 *
 * @throws the reason of the abort, or the error of the first piece that failed
 */
export async function feedPieces({ signal, abandon, ...feed }: PieceFeed): Promise<TextSegment[]> {
  signal.throwIfAborted();
  const call = new FeedCall(abandon);
  const onAbort = () => call.abort(signal.reason);
  // Many calls may follow one signal; that is no leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', onAbort);
  try {
    return await feedUntilAborted(feed, call);
  } catch (error) {
    call.abort(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function feedUntilAborted(
  { segments, translatePiece, ...cutting }: Omit<PieceFeed, 'signal' | 'abandon'>,
  call: FeedCall,
): Promise<TextSegment[]> {
  const answers: SegmentPiece['content'][][] = segments.map(() => []);
  // A ring buffer: the engine answers a call in order, so the oldest piece makes room first.
  const underWay: Promise<void>[] = [];
  let pieceCount = 0;
  let turnLength = 0;
  for (const [i, parts] of answers.entries()) {
    for (const piece of splitSegment(segments[i] ?? [], cutting)) {
      const { seams } = piece;
      const place = parts.push(seams ? withoutSeams(piece.content, seams) : piece.content) - 1;
      turnLength += piece.length;
      if (piece.translatable) {
        const slot = pieceCount++ % MAX_UNDER_WAY;
        // Awaits nothing, not even a microtask, while there is room: a caption is sent at once.
        if (pieceCount > MAX_UNDER_WAY) await underWay[slot];
        const translated = translatePiece(piece.content, call).then((answer) => {
          parts[place] = seams ? withoutSeams(answer, seams) : answer;
        });
        // Pieces not awaited at that moment fail too, so their rejections are handled here.
        translated.catch((error: unknown) => call.abort(error));
        underWay[slot] = translated;
      }
      if (turnLength >= TURN_LENGTH) {
        await nextTurn();
        call.throwIfAborted();
        turnLength = 0;
      }
    }
  }
  await Promise.all(underWay);
  return answers.map(joinPieces);
}

// Cuts segments as `splitText` below cuts texts; a piece of a marked segment is a well-nested segment.

/** A part of a segment: a text, or a well-nested segment where the whole has marks. */
interface SegmentPiece {
  content: string | TextSegment;
  /** False when it has no letters and so is the same in every language. */
  translatable: boolean;
  /** Length in UTF-16 units, as a measure of the work. */
  length: number;
  /** Element boundaries that were added where the piece was cut. */
  seams?: Seams;
}

interface Seams {
  /** Elements that begin in an earlier piece and end in this one. */
  resumed: ReadonlySet<number>;
  /** Elements that begin in this piece and end in a later one. */
  continued: ReadonlySet<number>;
}

/** Number of pieces that may be joined before an element is cut: an element translates better as a whole. */
const MAX_JOINED = 4;
const LETTER = /\p{L}/u;

/** Yields the pieces of a segment in reading order; cuts them as they are consumed. */
export function* splitSegment(
  segment: TextSegment,
  cutting: TextCutting,
): Generator<SegmentPiece, void, undefined> {
  const text = plainText(segment);
  if (isPlain(segment)) {
    for (const { text: content, translatable } of splitText({ text, ...cutting })) {
      yield { content, translatable, length: content.length };
    }
    return;
  }
  const isShort = text.length <= (cutting.maxWords ?? Infinity);
  const markedCutting = isShort ? cutting : { ...cutting, marksAt: marksAt(segment) };
  if (isOnePiece(text, markedCutting)) {
    yield pieceOf(segment, LETTER.test(text));
    return;
  }
  const reader = new PartReader(segment);
  let taken: TextSegment[] = [];
  let translatable = false;
  for (const piece of splitText({ text, ...markedCutting })) {
    taken.push(reader.take(piece.text.length));
    translatable ||= piece.translatable;
    if (!reader.isBetweenElements && taken.length < MAX_JOINED) continue;
    yield closed(pieceOf(taken.flat(), translatable));
    taken = [];
    translatable = false;
  }
  const last = [...taken, reader.take(0)].flat();
  if (last.length > 0) yield closed(pieceOf(last, translatable));
}

/** Returns the positions of marks in the text of a segment. */
function marksAt(segment: TextSegment): Set<number> {
  const places = new Set<number>();
  let at = 0;
  for (const part of segment) {
    if (typeof part === 'string') at += part.length;
    else places.add(at);
  }
  return places;
}

/** Joins the translated pieces of a segment. */
export function joinPieces(contents: readonly SegmentPiece['content'][]): TextSegment {
  const parts: (string | Mark)[] = [];
  let text = '';
  for (const content of contents) {
    for (const part of typeof content === 'string' ? [content] : content) {
      if (typeof part === 'string') text += part;
      else {
        if (text !== '') parts.push(text);
        text = '';
        parts.push(part);
      }
    }
  }
  if (text !== '' || parts.length === 0) parts.push(text);
  return parts;
}

/** Removes from a translated piece the marks that its cutting added. */
export function withoutSeams(content: SegmentPiece['content'], seams: Seams): TextSegment {
  if (typeof content === 'string') return [content];
  return content.filter((part) => {
    if (typeof part === 'string') return true;
    if (part.mark === 'open') return !seams.resumed.has(part.id);
    return part.mark !== 'close' || !seams.continued.has(part.id);
  });
}

function pieceOf(segment: TextSegment, translatable: boolean): SegmentPiece {
  const text = plainText(segment);
  return { content: segment, translatable, length: text.length + segment.length };
}

/**
 * Adds the missing boundaries of elements that were cut. Elements that neither begin nor end in the piece
 * surround it and take no part in its translation.
 */
function closed(piece: SegmentPiece): SegmentPiece {
  const open: number[] = [];
  const resumed: number[] = [];
  const { content } = piece;
  if (typeof content === 'string') return piece;
  for (const part of content) {
    if (typeof part === 'string' || part.mark === 'lone') continue;
    if (part.mark === 'open') open.push(part.id);
    else if (open.pop() === undefined) resumed.push(part.id);
  }
  if (open.length === 0 && resumed.length === 0) return piece;
  const opens = resumed.toReversed().map((id): Mark => ({ mark: 'open', id }));
  const closes = open.toReversed().map((id): Mark => ({ mark: 'close', id }));
  return {
    ...piece,
    content: [...opens, ...content, ...closes],
    seams: { resumed: new Set(resumed), continued: new Set(open) },
  };
}

/** Reads a segment in stretches of a given text length. */
class PartReader {
  readonly #segment: TextSegment;
  #at = 0;
  #offset = 0;
  #depth = 0;

  constructor(segment: TextSegment) {
    this.#segment = segment;
  }

  /** Whether no element is open at the end of the last stretch. */
  get isBetweenElements(): boolean {
    return this.#depth === 0;
  }

  /**
   * Returns the next stretch, with the lone marks and closing marks directly after it. Once no text is left,
   * a stretch of length 0 returns all remaining marks.
   */
  take(length: number): TextSegment {
    const taken: (string | Mark)[] = [];
    let missing = length;
    for (; this.#at < this.#segment.length; this.#at++) {
      const part = this.#segment[this.#at] ?? '';
      if (typeof part !== 'string') {
        if (part.mark === 'open' && missing === 0 && length > 0) break;
        if (part.mark === 'open') this.#depth++;
        if (part.mark === 'close') this.#depth--;
        taken.push(part);
        continue;
      }
      const text = part.slice(this.#offset, this.#offset + missing);
      if (text !== '') taken.push(text);
      missing -= text.length;
      this.#offset += text.length;
      if (this.#offset < part.length) break;
      this.#offset = 0;
    }
    return taken;
  }
}

// Cuts texts into pieces that are translated one by one, so that a long text never holds back other sessions'
// captions, and keeps outer blanks away from the engine.

/** A part of a text; all parts joined give the text again. */
interface Piece {
  text: string;
  /** False for blanks and text without letters, which is the same in every language. */
  translatable: boolean;
}

const BLANK = /\s/u;

/** Amount of text searched for sentence ends at a time, in UTF-16 units: far less than 1 ms of work. */
const WINDOW_LENGTH = 2_048;
/** Text after a full stop that may decide whether it ends a sentence, in UTF-16 units. */
const LOOKAHEAD_LENGTH = 128;
/** Two or more line breaks, with the blanks between them: no sentence continues across them. */
const PARAGRAPH_END = /(?:(?:\r\n|[\n\r\u2028\u2029])[^\S\n\r\u2028\u2029]*){2,}/g;

interface TextCutting {
  /** Language of the text, whose rules determine sentence ends. */
  language: string;
  /** Longest piece in UTF-16 units. */
  maxLength: number;
  /** Most words per piece, for an engine whose time depends on the number of words; unlimited by default. */
  maxWords?: number;
  /** Positions of marks in the text; each counts as a word boundary. */
  marksAt?: ReadonlySet<number>;
  /**
   * `packed`, the default: a piece holds as many whole sentences as fit. `single`: each sentence is a piece,
   * and a paragraph end also ends one.
   */
  sentences?: 'packed' | 'single';
}

/**
 * Cuts a text at sentence ends; only a sentence longer than a piece is cut between words. Works piece by
 * piece as it is consumed: no step takes longer than one window.
 */
export function* splitText({
  text,
  ...cutting
}: TextCutting & { text: string }): Generator<Piece, void, undefined> {
  if (isOnePiece(text, cutting)) yield* trimmed(text);
  else for (const part of cutText(text, cutting)) yield* trimmed(part);
}

function* trimmed(part: string): Generator<Piece> {
  if (!LETTER.test(part)) {
    if (part !== '') yield { text: part, translatable: false };
    return;
  }
  const core = part.trim();
  const start = part.length - part.trimStart().length;
  if (start > 0) yield { text: part.slice(0, start), translatable: false };
  yield { text: core, translatable: true };
  const rest = part.slice(start + core.length);
  if (rest !== '') yield { text: rest, translatable: false };
}

function isOnePiece(text: string, cutting: TextCutting): boolean {
  return cutting.sentences !== 'single' && lengthFrom(0, text, cutting) >= text.length;
}

/** Returns the maximum length of a piece that starts at a position, in UTF-16 units. */
function lengthFrom(
  start: number,
  text: string,
  { maxLength, maxWords = maxLength, marksAt }: TextCutting,
): number {
  const most = Math.min(maxLength, text.length - start);
  if (most <= maxWords) return maxLength;
  let words = 0;
  let isWithin = false;
  for (let length = 0; length < most; length += 1) {
    const wasWithin = isWithin && marksAt?.has(start + length) !== true;
    isWithin = isOfWord(text.charCodeAt(start + length));
    if (isWithin && !wasWithin && ++words > maxWords) return length;
  }
  return maxLength;
}

/** Whether a UTF-16 unit is a letter or digit; all non-ASCII counts as well, which is accurate enough. */
function isOfWord(unit: number): boolean {
  const lower = unit | 0x20;
  return unit >= 0x80 || (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

function* cutText(text: string, cutting: TextCutting): Generator<string> {
  const { language, sentences = 'packed' } = cutting;
  let start = 0;
  let end = 0;
  let most = lengthFrom(start, text, cutting);
  for (const next of endsOf(text, language, sentences)) {
    const isFull = sentences === 'single' || next - start > most;
    if (isFull && end > start) {
      yield text.slice(start, end);
      start = end;
      most = lengthFrom(start, text, cutting);
    }
    end = next;
    while (end - start > most) {
      const cut = cutBetweenWords(text, start, most);
      yield text.slice(start, cut);
      start = cut;
      most = lengthFrom(start, text, cutting);
    }
  }
  if (end > start) yield text.slice(start, end);
}

/**
 * Yields sentence ends, found window by window. Each window starts at the start of a sentence, so the ends
 * are those of the whole text. A sentence that fills a window ends at a blank in it.
 */
function* endsOf(
  text: string,
  language: string,
  sentences: TextCutting['sentences'],
): Generator<number> {
  for (let start = 0; start < text.length;) {
    const windowStart = start;
    const window = text.slice(windowStart, windowStart + WINDOW_LENGTH);
    const isLast = windowStart + WINDOW_LENGTH >= text.length;
    const trustedEnd = windowStart + (isLast ? WINDOW_LENGTH : WINDOW_LENGTH - LOOKAHEAD_LENGTH);
    const ends = sentenceEnds(window, { language, atLineBreaks: false });
    if (sentences === 'single') {
      for (const match of window.matchAll(PARAGRAPH_END)) ends.push(match.index + match[0].length);
      ends.sort((one, other) => one - other);
    }
    for (const each of ends) {
      const end = windowStart + each;
      if (end <= start) continue;
      if (end > trustedEnd) break;
      start = end;
      yield end;
    }
    if (start > windowStart) continue;
    start = cutBetweenWords(text, windowStart, WINDOW_LENGTH);
    yield start;
  }
}

/** Returns the position after the last blank within reach, or else one that splits no surrogate pair. */
function cutBetweenWords(text: string, start: number, maxLength: number): number {
  const limit = start + maxLength;
  for (let at = limit; at > start + maxLength / 2; at--) {
    if (BLANK.test(text.charAt(at - 1))) return at;
  }
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return splitsPair ? limit - 1 : limit;
}
