/**
 * Segments as text with tags, for engines that carry inline markup that way: `<m1>…</m1>` for an
 * element, `<m2/>` for a lone mark. Text of users that looks like such a tag stays text.
 */
import { plainText, type Mark, type TextSegment } from '../../text/text-segment.ts';

/**
 * How text stands beside the tags: `xml` and `html` escape it, `raw` leaves it alone, for models that
 * read text and not documents.
 */
export type TagStyle = 'raw' | 'xml' | 'html';

export interface TaggedText {
  text: string;
  /** The tags in reading order; none where the segment has no marks. */
  tags: readonly string[];
  /**
   * Reads a translation. Tags that the source does not have or that come twice vanish, even broken
   * ones; whatever else looks like a tag is text. Marks may be missing or tangled.
   */
  read: (translated: string) => TextSegment;
}

/** Writes a segment with tags; `read` of the result takes the tags back out. */
export function tagText(segment: TextSegment, style: TagStyle): TaggedText {
  const name = unusedName(plainText(segment));
  const kinds = new Map<number, Mark['mark']>();
  const tags: string[] = [];
  let text = '';
  for (const part of segment) {
    if (typeof part === 'string') {
      text += style === 'raw' ? part : escapeText(part);
      continue;
    }
    if (part.mark !== 'close') kinds.set(part.id, part.mark);
    const tag = writeTag(part, name, style);
    tags.push(tag);
    text += tag;
  }
  return { text, tags, read: (translated) => readTags(translated, { name, kinds, style }) };
}

/** A tag name that no text of the segment resembles, so that only our own tags can have it. */
function unusedName(text: string): string {
  let name = 'm';
  while (new RegExp(`<\\s*/?\\s*${name}\\d`, 'i').test(text)) name += 'x';
  return name;
}

function writeTag({ mark, id }: Mark, name: string, style: TagStyle): string {
  if (mark === 'close') return `</${name}${id}>`;
  if (mark === 'open') return `<${name}${id}>`;
  // In HTML only elements known to be void can do without an end.
  return style === 'html' ? `<${name}${id}></${name}${id}>` : `<${name}${id}/>`;
}

interface Tagging {
  name: string;
  /** `open` or `lone` by id. */
  kinds: ReadonlyMap<number, Mark['mark']>;
  style: TagStyle;
}

function readTags(translated: string, { name, kinds, style }: Tagging): TextSegment {
  const tag = new RegExp(`<\\s*(/?)\\s*${name}(\\d+)\\s*/?\\s*>?`, 'gi');
  const parts: (string | Mark)[] = [];
  const seen = new Set<string>();
  const addText = (text: string) => {
    if (text !== '') parts.push(style === 'raw' ? text : unescapeText(text));
  };
  let end = 0;
  for (const match of translated.matchAll(tag)) {
    addText(translated.slice(end, match.index));
    end = match.index + match[0].length;
    const mark = markOf(match[1] === '/', Number(match[2]), kinds);
    if (mark === undefined || seen.has(`${mark.mark} ${mark.id}`)) continue;
    seen.add(`${mark.mark} ${mark.id}`);
    parts.push(mark);
  }
  addText(translated.slice(end));
  return parts;
}

function markOf(isEnd: boolean, id: number, kinds: Tagging['kinds']): Mark | undefined {
  const kind = kinds.get(id);
  if (kind === undefined || (kind === 'lone' && isEnd)) return undefined;
  return { mark: isEnd ? 'close' : kind, id };
}

// XML 1.0 §2.2 has no place for these, escaped or not: a server would refuse the whole text.
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string): string {
  return text
    .replace(NOT_IN_XML, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

const entities: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' },
};

/** In one pass: `&amp;lt;` is `&lt;`. What is no entity stays. */
function unescapeText(text: string): string {
  return text.replace(
    /&(?:([a-z]{2,4})|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, ...codes) => {
      if (typeof name === 'string') return entities[name.toLowerCase()] ?? whole;
      const [decimal, hexadecimal] = codes as (string | undefined)[];
      const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
