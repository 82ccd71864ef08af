/** The attributes of HTML that people read or hear, and those that say its language. */
import { Tokenizer } from 'htmlparser2';
import { UNTRANSLATED, pairHtml } from '../../../text/markup/pairing.ts';
import { htmlTokens } from '../../../text/markup/html-tokens.ts';
import { endOf } from '../../../text/markup/token.ts';

export interface HtmlAttribute {
  /** Lower case. */
  name: string;
  /** References resolved. */
  value: string;
  /** The name and what follows, in UTF-16 units of the source. */
  start: number;
  end: number;
}

export interface HtmlTag {
  /** Lower case. */
  name: string;
  start: number;
  /** Where its name ends: attributes may be put in here. */
  nameEnd: number;
  attributes: readonly HtmlAttribute[];
}

/** The start tags of a page, in order. */
export function startTags(source: string): HtmlTag[] {
  const reader = new TagReader(source);
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, reader);
  tokenizer.write(source);
  tokenizer.end();
  return reader.tags;
}

const IGNORED = (): void => undefined;

class TagReader {
  readonly tags: HtmlTag[] = [];
  readonly #source: string;
  #name = { start: 0, end: 0 };
  #attributes: HtmlAttribute[] = [];
  #attribute = { start: 0, end: 0 };
  #value = '';

  constructor(source: string) {
    this.#source = source;
  }

  readonly ontext = IGNORED;
  readonly ontextentity = IGNORED;
  readonly onclosetag = IGNORED;
  readonly oncomment = IGNORED;
  readonly oncdata = IGNORED;
  readonly ondeclaration = IGNORED;
  readonly onprocessinginstruction = IGNORED;
  readonly onend = IGNORED;

  onopentagname(start: number, end: number): void {
    this.#name = { start, end };
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    this.#attribute = { start, end };
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(_quote: number, end: number): void {
    const { start, end: nameEnd } = this.#attribute;
    const quote = this.#source.charAt(end);
    const isQuoted = (quote === '"' || quote === "'") && end > nameEnd;
    this.#attributes.push({
      name: this.#source.slice(start, nameEnd).toLowerCase(),
      ...{ value: this.#value, start, end: isQuoted ? end + 1 : end },
    });
  }

  onopentagend(): void {
    const { start, end } = this.#name;
    const name = this.#source.slice(start, end).toLowerCase();
    this.tags.push({ name, start, nameEnd: end, attributes: this.#attributes });
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const EVERYWHERE = names(
  'title aria-label aria-description aria-placeholder aria-roledescription aria-valuetext',
);
const READ: Readonly<Record<string, ReadonlySet<string>>> = {
  img: names('alt'),
  area: names('alt'),
  input: names('alt placeholder'),
  textarea: names('placeholder'),
  th: names('abbr'),
  table: names('summary'),
  option: names('label'),
  optgroup: names('label'),
  track: names('label'),
};
const BUTTONS = names('button submit reset');
const META = names(
  'description keywords abstract title subject og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt application-name apple-mobile-web-app-title',
);

/** Attributes of a page that are translated, in order; those of elements that stay as they are not. */
export function readAttributes(source: string, tags: readonly HtmlTag[]): HtmlAttribute[] {
  const untouched = untouchedRanges(source);
  let next = 0;
  return tags.flatMap((tag) => {
    while ((untouched[next]?.end ?? Infinity) <= tag.start) next += 1;
    if ((untouched[next]?.start ?? Infinity) <= tag.start) return [];
    return tag.attributes.filter(({ name, value }) => /\p{L}/u.test(value) && isRead(tag, name));
  });
}

function isRead(tag: HtmlTag, name: string): boolean {
  if (EVERYWHERE.has(name) || READ[tag.name]?.has(name) === true) return true;
  if (tag.name === 'input' && name === 'value') return BUTTONS.has(valueOf(tag, 'type'));
  if (tag.name !== 'meta' || name !== 'content') return false;
  return META.has(valueOf(tag, 'name')) || META.has(valueOf(tag, 'property'));
}

/** Lower case; empty when the tag has none. */
function valueOf({ attributes }: HtmlTag, wanted: string): string {
  return attributes.find(({ name }) => name === wanted)?.value.toLowerCase() ?? '';
}

/** Places of the page that stay as they are; of fields and programs, the tag itself is not part. */
function untouchedRanges(source: string): { start: number; end: number }[] {
  const tokens = htmlTokens(source);
  pairHtml(tokens);
  const ranges: { start: number; end: number }[] = [];
  for (const { kind, start, end, name, untranslated, scopeEnd } of tokens) {
    if (kind === 'text' || kind === 'close') continue;
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    const rangeEnd = kind === 'open' ? Math.max(end, endOf(tokens, scopeEnd)) : end;
    if (untranslated) ranges.push({ start, end: rangeEnd });
    else if (kind === 'open' && UNTRANSLATED.has(name)) ranges.push({ start: end, end: rangeEnd });
  }
  return ranges;
}
