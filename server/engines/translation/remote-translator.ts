/**
 * Common parts of translators that run on another server: segments are sent in batches, the number of
 * parallel requests is limited, accounts take turns, and only an answer of the expected form becomes a
 * translation.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { FairPlaces, type Turn, linkAbort } from '../../process/concurrency.ts';
import { repairMarks } from '../../text/repair.ts';
import { isPlain, type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';
import type { TranslationOptions } from '../engine.ts';
import { entities } from './marked-text.ts';

interface RemoteTranslatorOptions {
  /** Name of the engine, for error messages. */
  engine: string;
  /** Maximum number of parallel requests, over all callers. */
  maxParallel: number;
  /** Chooses how a segment's text is combined with tags; only texts of the same style share a request. */
  styleOf: (segment: TextSegment) => TagStyle;
  /** Limits of one request; a longer text is sent alone. `maxCharacters` counts UTF-16 units. */
  maxItems: number;
  maxCharacters: number;
  /** Number of times a text is tried alone before it is given up. */
  maxTries: number;
}

/**
 * Sends texts in one request. The result is undefined for texts without a usable translation, which are then
 * requested again in smaller requests.
 */
export type SendBatch = (
  texts: readonly OutboundText[],
  options: { style: TagStyle; signal: AbortSignal },
) => Promise<(TextSegment | undefined)[]>;

/** Sends the texts of one call, on behalf of an account. */
export interface BatchSender extends Pick<TranslationOptions, 'signal' | 'account'> {
  send: SendBatch;
}

/** Content of one initial request. */
interface Batch {
  style: TagStyle;
  texts: OutboundText[];
  /** Indexes of the texts among the segments. */
  indexes: number[];
  characters: number;
}

export class RemoteTranslator {
  readonly #options: RemoteTranslatorOptions;
  readonly #closing = new AbortController();
  readonly #places: FairPlaces;

  constructor(options: RemoteTranslatorOptions) {
    this.#options = options;
    this.#places = new FairPlaces(options.maxParallel);
  }

  /**
   * Translates segments with as many calls of `send` as necessary; order is kept.
   *
   * @throws ServiceError translation_failed for a text without a usable answer, engine_unavailable once
   *   closed; errors thrown by `send`; the signal's reason when aborted
   */
  async translate(
    segments: readonly TextSegment[],
    { send, signal, account }: BatchSender,
  ): Promise<TextSegment[]> {
    const turn: Turn = { account };
    const { controller: call, unlink } = linkAbort(signal, this.#closing.signal);
    call.signal.addEventListener('abort', () => this.#places.abandon(turn, call.signal.reason));
    const results = [...segments];
    try {
      call.signal.throwIfAborted();
      await Promise.all(
        this.#batches(segments).map(async ({ style, texts, indexes }) => {
          const sendOne = (some: readonly OutboundText[]) =>
            send(some, { style, signal: call.signal });
          const answers = await this.#places.hold(turn, async () => {
            call.signal.throwIfAborted();
            return this.#answerAll(texts, sendOne);
          });
          for (const [i, index] of indexes.entries()) results[index] = answers[i] ?? [];
        }),
      );
      return results;
    } catch (error) {
      // The call has failed, so its other batches are pointless.
      call.abort(error);
      call.signal.throwIfAborted();
      throw error;
    } finally {
      unlink();
    }
  }

  /** Rejects pending and all future calls. */
  close(): void {
    const { engine } = this.#options;
    this.#closing.abort(
      new ServiceError('engine_unavailable', `The translator ${engine} is being stopped.`),
    );
  }

  #batches(segments: readonly TextSegment[]): Batch[] {
    const { styleOf, maxItems, maxCharacters } = this.#options;
    const batches: Batch[] = [];
    const growing = new Map<TagStyle, Batch>();
    for (const [index, segment] of segments.entries()) {
      const style = styleOf(segment);
      const text = outboundText(segment, style);
      if (text === undefined) continue;
      let batch = growing.get(style);
      const characters = (batch?.characters ?? 0) + text.text.length;
      if (batch === undefined || batch.texts.length === maxItems || characters > maxCharacters) {
        batch = { style, texts: [], indexes: [], characters: 0 };
        growing.set(style, batch);
        batches.push(batch);
      }
      batch.texts.push(text);
      batch.indexes.push(index);
      batch.characters += text.text.length;
    }
    return batches;
  }

  /** Requests missing translations again; a batch without any usable answer is split in half. */
  async #answerAll(
    texts: readonly OutboundText[],
    send: (texts: readonly OutboundText[]) => ReturnType<SendBatch>,
    tries = 1,
  ): Promise<TextSegment[]> {
    const answers = (await send(texts)).map(unlessEmpty);
    const missing = texts.filter((_, i) => answers[i] === undefined);
    if (missing.length === 0) return answers.filter((answer) => answer !== undefined);
    const again: TextSegment[] = [];
    if (missing.length < texts.length) again.push(...(await this.#answerAll(missing, send)));
    else if (texts.length > 1) {
      const middle = Math.ceil(texts.length / 2);
      again.push(...(await this.#answerAll(texts.slice(0, middle), send)));
      again.push(...(await this.#answerAll(texts.slice(middle), send)));
    } else if (tries < this.#options.maxTries) {
      again.push(...(await this.#answerAll(texts, send, tries + 1)));
    } else throw this.#noUsableAnswer();
    let next = 0;
    return answers.map((answer) => answer ?? again[next++] ?? []);
  }

  #noUsableAnswer(): ServiceError {
    return new ServiceError(
      'translation_failed',
      `The translator ${this.#options.engine} has no usable answer to one of the texts. ` +
        'Rephrase or shorten it and try again.',
    );
  }
}

/** Returns the segments of a batch from an answer with one text each; from any other, none can be used. */
export function finishAll(
  texts: readonly OutboundText[],
  answers: readonly string[],
): (TextSegment | undefined)[] {
  if (answers.length !== texts.length) return texts.map(() => undefined);
  return texts.map((text, index) => text.finish(answers[index] ?? ''));
}

/** Rejects an empty translation: only texts with words are sent, and none of them may vanish. */
function unlessEmpty(answer: TextSegment | undefined): TextSegment | undefined {
  return answer === undefined || plainText(answer).trim() === '' ? undefined : answer;
}

// Converts segments to texts for a remote translator and back: outer blanks are not sent, and line breaks
// travel as marks, which a translator must not move.

export interface OutboundText {
  text: string;
  /** The text without its tags. */
  plain: string;
  /** Tags in the text, in reading order. */
  tags: readonly string[];
  /** Converts the translated text to a segment. */
  finish(translated: string): TextSegment;
}

/** Returns undefined when there is nothing to translate: only blanks, signs or marks. */
export function outboundText(segment: TextSegment, style: TagStyle): OutboundText | undefined {
  const plain = plainText(segment);
  if (!/[\p{L}\p{N}]/u.test(plain)) return undefined;
  const { leading, core, trailing } = trimmed(joined(segment));
  const { carried, breaks } = withBreakMarks(core);
  const { text, tags, read } = tagText(carried, style);
  return {
    text,
    plain: plain.trim(),
    tags,
    finish(translated) {
      const answer = read(translated.trim());
      const inner = breaks.size === 0 ? answer : withBreaks(carried, answer, breaks);
      return [leading, ...inner, trailing].filter((part) => part !== '');
    },
  };
}

/** Joins adjacent strings. */
function joined(segment: TextSegment): (string | Mark)[] {
  if (isPlain(segment)) return [plainText(segment)];
  const parts: (string | Mark)[] = [];
  for (const part of segment) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
  return parts;
}

function trimmed(parts: (string | Mark)[]) {
  const core = [...parts];
  const first = core[0];
  let leading = '';
  if (typeof first === 'string') {
    leading = first.slice(0, first.length - first.trimStart().length);
    core[0] = first.trimStart();
  }
  const last = core.at(-1);
  let trailing = '';
  if (typeof last === 'string') {
    trailing = last.slice(last.trimEnd().length);
    core[core.length - 1] = last.trimEnd();
  }
  return { leading, core, trailing };
}

/** Replaces every run of blanks that contains a line break by a lone mark. */
function withBreakMarks(parts: readonly (string | Mark)[]) {
  const breaks = new Map<number, string>();
  let nextId = parts.reduce(
    (id, part) => (typeof part === 'string' ? id : Math.max(id, part.id + 1)),
    1,
  );
  const carried = parts.flatMap((part): TextSegment => {
    if (typeof part !== 'string' || !LINE_BREAK.test(part)) return [part];
    // The separators are at the odd indexes.
    return part.split(/(\s+)/).map((piece, index) => {
      if (index % 2 === 0 || !LINE_BREAK.test(piece)) return piece;
      breaks.set(nextId, piece);
      return { mark: 'lone', id: nextId++ };
    });
  });
  return { carried: breaks.size === 0 ? parts : carried, breaks };
}

const LINE_BREAK = /[\n\r\u2028\u2029]/;

/** Restores the line breaks, without blanks that a translator put beside their marks. */
function withBreaks(
  source: TextSegment,
  translated: TextSegment,
  breaks: ReadonlyMap<number, string>,
): TextSegment {
  const parts = joined(repairMarks(source, translated));
  const breakAt = (index: number) => {
    const part = parts[index];
    return typeof part === 'object' ? breaks.get(part.id) : undefined;
  };
  return parts.map((part, index) => {
    if (typeof part !== 'string') return breakAt(index) ?? part;
    const text = breakAt(index - 1) === undefined ? part : part.trimStart();
    return breakAt(index + 1) === undefined ? text : text.trimEnd();
  });
}

// Segments as text with tags, for engines that carry inline markup as tags: `<m1>…</m1>` for an element,
// `<m2/>` for a lone mark. Original text that looks like such a tag stays text.

/**
 * Form of the text beside the tags: `xml` and `html` escape it; `raw` leaves it unchanged, for models that
 * read plain text.
 */
export type TagStyle = 'raw' | 'xml' | 'html';

interface TaggedText {
  text: string;
  /** The tags in reading order; empty for a segment without marks. */
  tags: readonly string[];
  /**
   * Reads a translation. Tags that the source does not have, or that occur twice, are removed, even malformed
   * ones; anything else that looks like a tag is text. Marks may be missing or tangled.
   */
  read: (translated: string) => TextSegment;
}

/** Writes a segment with tags; `read` of the result parses them. */
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

/**
 * Returns a tag name that the text does not contain, so that matching tags can only come from this module.
 */
function unusedName(text: string): string {
  let name = 'm';
  while (new RegExp(`<\\s*/?\\s*${name}\\d`, 'i').test(text)) name += 'x';
  return name;
}

function writeTag({ mark, id }: Mark, name: string, style: TagStyle): string {
  if (mark === 'close') return `</${name}${id}>`;
  if (mark === 'open') return `<${name}${id}>`;
  // In HTML only known void elements may lack an end tag.
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

// XML 1.0 §2.2 forbids these characters even in escaped form: a server would refuse the whole text.
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string): string {
  return text
    .replace(NOT_IN_XML, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Unescapes entities in one pass, so `&amp;lt;` becomes `&lt;`. Unknown entities stay. */
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
