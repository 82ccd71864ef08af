/**
 * Apertium's stream format: how a text travels through a pipeline and back. Every request and every
 * answer is one frame that ends with NUL. Reserved characters are escaped; what stands between
 * brackets is a superblank, which no stage translates.
 */

/** Ends a frame in both directions (`-z` of the stages). */
export const FRAME_END = '\0';

const RESERVED = /[\\[\]{}^$/@<>]/g;
/**
 * A tilde wakes the post-generator and disappears; blanks that are not one space would be reduced,
 * and a line break is to stay one, with the blanks beside it.
 */
const PROTECTED = /~|[ \t]*[\n\v\f\r\u0085\u2028\u2029][\s\u0085]*|[ \t]{2,}|\t/g;

/**
 * Text as the body of a request. NUL, which would break the framing, is left out; letters are
 * composed (NFC) because the dictionaries know them only so.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll('\0', '')
    .normalize('NFC')
    .replace(RESERVED, '\\$&')
    .replace(PROTECTED, '[$&]');
}

/** Superblanks of blanks, other superblanks, escapes, runs of spaces, in this order at every place. */
const MARKS = / *\[([\s\u0085]+)\] *|\[([^\]]*)\]|\\(.)| {2,}/gsu;

/** Not line breaks: one that a dropped word has left at an end is kept. */
const OUTER_SPACES = /^[ \t]+|[ \t]+$/g;

/**
 * The body of an answer as text. A rule that drops a word leaves its blanks behind; those are
 * reduced to one space, blanks of the source are kept.
 */
export function unescapeText(body: string): string {
  return body
    .replace(
      MARKS,
      (_mark, blanks?: string, superblank?: string, escaped?: string) =>
        blanks ?? superblank ?? escaped ?? ' ',
    )
    .replace(OUTER_SPACES, '');
}

/**
 * A request: the body, an artificial full stop that makes every stage conclude the sentence, and the
 * serial number of the request as a superblank.
 *
 * The number comes back as the last thing of the answer and proves that the answer is whole and
 * ours: a stage whose neighbour dies passes on the half it has, followed by a NUL of its own.
 */
export function encodeRequest(body: string, serial: number): string {
  return `${body}[].[#${serial}]${FRAME_END}`;
}

const TRAILER = /\.?\s*\[#(\d+)\]\s*$/u;

/**
 * The body of an answer.
 *
 * @param frame without its NUL
 * @returns undefined when the frame is not the whole answer to the request with that serial number
 */
export function decodeAnswer(frame: string, serial: number): string | undefined {
  // The trailer is short: searching a long frame from the start would only cost time.
  const tail = frame.slice(-64);
  const match = TRAILER.exec(tail);
  if (match === null || Number(match[1]) !== serial) return undefined;
  return frame.slice(0, frame.length - tail.length + match.index);
}

/** Symbols of Apertium's dictionaries: what kind of word, and which form of it. */
const SYMBOLS = new Set(
  (
    'n np prn det adj adv pr vblex vbser vbhaver vbmod vbdo vaux cnjcoo cnjsub cnjadv num ij rel preadv ' +
    'predet post part abbr guio apos cm sent lpar rpar m f mf nt fn sg pl sp nd ord card p1 p2 p3 pri prs ' +
    'pii pis fti fts cni imp inf ger pp pprs ifi plq past pres subs actv pasv sint comp sup tn ind dem ' +
    'pos itg def ref enc pro acc dat nom gen obj subj qnt al ant cog loc top org unc GD ND'
  ).split(' '),
);

/**
 * What looks like such a symbol, escaped like text, and the hyphen that has joined it to a word. That of
 * a text may have the marks of a word-bound blank within.
 */
const TAG = /-?\\<(\[\[[^\]]*\]\])?([\w:+-]+)(\[\[\/\]\])?\\>/gu;

/**
 * The body of an answer without the tags that a stage writes for a word of which it has nothing else,
 * `Vas-\<prn\>`. What stands between angle brackets in the request is text and stays, translated or not.
 */
export function withoutTags(answer: string, request: string): string {
  if (!answer.includes('\\<')) return answer;
  const own = new Map<string, number>();
  for (const { 2: name = '' } of request.matchAll(TAG)) own.set(name, (own.get(name) ?? 0) + 1);
  return answer.replace(TAG, (tag, start = '', name: string, end = '') => {
    const left = own.get(name) ?? 0;
    own.set(name, left - 1);
    return left > 0 || !SYMBOLS.has(name) ? tag : `${start}${end}`;
  });
}
