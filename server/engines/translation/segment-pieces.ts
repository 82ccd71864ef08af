/**
 * Feeds the pieces of segments to an engine as it takes them: neither time nor memory is spent on what
 * is not yet its turn, and the thread that also carries live audio is never held for long.
 */
import { nextTurn } from '../../text/markup/text-layout.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import { isPlain, type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';

/** Pieces of one call under way: enough for two pipelines in a row, each kept busy by 16. */
const MAX_UNDER_WAY = 32;
/** What a call may cut before it lets other work go on, in UTF-16 units: less than 1 ms. */
const TURN_LENGTH = 2_048;

interface PieceFeed extends TextCutting {
  segments: readonly TextSegment[];
  /** Must reject soon once `call` is aborted. */
  translatePiece: (content: SegmentPiece['content']) => Promise<SegmentPiece['content']>;
  /** Aborted with the first failure of a piece; ends the feed when it is aborted from outside. */
  call: AbortController;
}

/**
 * Translates segments piece by piece, in order, and joins what comes back to one answer per segment.
 *
 * @throws the reason of the abort, or what the first piece that failed was rejected with
 */
export async function feedPieces({
  segments,
  translatePiece,
  call,
  ...cutting
}: PieceFeed): Promise<TextSegment[]> {
  const answers: SegmentPiece['content'][][] = segments.map(() => []);
  // A ring: the engine answers a call in order, so that the oldest piece makes room first.
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
        // Not even a microtask while there is room: a caption is sent at once.
        if (pieceCount > MAX_UNDER_WAY) await underWay[slot];
        const translated = translatePiece(piece.content).then((answer) => {
          parts[place] = seams ? withoutSeams(answer, seams) : answer;
        });
        // The pieces that nobody awaits at that moment fail with it, and so they are handled here.
        translated.catch((error: unknown) => call.abort(error));
        underWay[slot] = translated;
      }
      if (turnLength >= TURN_LENGTH) {
        await nextTurn();
        call.signal.throwIfAborted();
        turnLength = 0;
      }
    }
  }
  await Promise.all(underWay);
  return answers.map(joinPieces);
}

// Cuts segments into pieces as `splitText` below cuts texts; a piece of a marked segment is one too.

/** A part of a segment: a text, or a well nested segment where the whole has marks. */
interface SegmentPiece {
  content: string | TextSegment;
  /** False where there are no letters: it means the same in every language. */
  translatable: boolean;
  /** What it costs to work on, in UTF-16 units. */
  length: number;
  /** Ends of elements that were added where the piece was cut. */
  seams?: Seams;
}

interface Seams {
  /** Elements that began in an earlier piece and end in this one. */
  resumed: ReadonlySet<number>;
  /** Elements that begin in this piece and end in a later one. */
  continued: ReadonlySet<number>;
}

/**
 * An element is better translated in one go: so many pieces, with the blanks between them, may become one
 * before it is cut.
 */
const MAX_JOINED = 4;
const LETTER = /\p{L}/u;

/** Pieces of a segment in reading order, cut as they are consumed. */
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

/** Where marks stand in the text of a segment. */
function marksAt(segment: TextSegment): Set<number> {
  const places = new Set<number>();
  let at = 0;
  for (const part of segment) {
    if (typeof part === 'string') at += part.length;
    else places.add(at);
  }
  return places;
}

/** Translated pieces of one segment as one. */
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

/** A translated piece without the marks that only its cutting has added. */
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
 * The piece with ends for the elements that were cut. Elements that neither begin nor end in it
 * are around it and have no part in its translation.
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

/** Reads a segment in stretches of so much text. */
class PartReader {
  readonly #segment: TextSegment;
  #at = 0;
  #offset = 0;
  #depth = 0;

  constructor(segment: TextSegment) {
    this.#segment = segment;
  }

  /** Whether no element is open where the last stretch has ended. */
  get isBetweenElements(): boolean {
    return this.#depth === 0;
  }

  /**
   * The next stretch, with the lone marks and ends of elements that stand right after it. Once there
   * is no text left, a stretch of none is all the marks that are.
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

// Cuts texts into pieces that are translated one by one, so that a long text never holds back the
// captions of others, and puts outer blanks beyond the reach of the engine.

/** A part of a text; all parts joined are the text again. */
interface Piece {
  text: string;
  /** False for blanks and what has no letters: it means the same in every language. */
  translatable: boolean;
}

const BLANK = /\s/u;

/** What is searched for the ends of sentences at a time, in UTF-16 units: far less than 1 ms. */
const WINDOW_LENGTH = 2_048;
/** Whether a full stop ends a sentence may depend on what follows it, so far in UTF-16 units. */
const LOOKAHEAD_LENGTH = 128;
/** Two line breaks and more, with the blanks between them: nothing goes on behind them. */
const PARAGRAPH_END = /(?:(?:\r\n|[\n\r\u2028\u2029])[^\S\n\r\u2028\u2029]*){2,}/g;

interface TextCutting {
  /** Language of the text, whose rules say where sentences end. */
  language: string;
  /** Longest piece in UTF-16 units. */
  maxLength: number;
  /** Most words of a piece, for an engine that takes its time for each; any number without it. */
  maxWords?: number;
  /** Where marks stand in the text: each is between words. */
  marksAt?: ReadonlySet<number>;
  /**
   * `packed`, the default: as many whole sentences as fit are a piece. `single`: each is one, and
   * each paragraph ends one.
   */
  sentences?: 'packed' | 'single';
}

/**
 * Cuts a text at the ends of sentences; only a sentence that is longer than a piece itself is cut
 * between words. Works piece by piece as it is consumed: no step takes more time than one window.
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

/** What a piece that starts there may have, in UTF-16 units. */
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

/** Letters and digits; all that is not ASCII as well, which is near enough. */
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
 * Where sentences end, found window by window: each window starts where a sentence does, so that
 * the ends are those of the whole text. A sentence that fills a window ends at a blank of it.
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

/** After the last blank within reach; without one, wherever no character is torn in two. */
function cutBetweenWords(text: string, start: number, maxLength: number): number {
  const limit = start + maxLength;
  for (let at = limit; at > start + maxLength / 2; at--) {
    if (BLANK.test(text.charAt(at - 1))) return at;
  }
  const splitsPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return splitsPair ? limit - 1 : limit;
}
