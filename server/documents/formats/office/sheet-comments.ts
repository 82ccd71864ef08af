/** Comments of worksheets: notes with fonts, and threads of newer programs. */
import { hasLetters, type Mark } from '../../../text/text-segment.ts';
import type { PartVisitor } from './part-reading.ts';
import { decodeString, encodeString, readRichString } from './sheet-text.ts';
import { type TextExchange } from './text-exchange.ts';
import {
  attribute,
  childOf,
  elementsOf,
  serialise,
  setAttribute,
  textOf,
  type XmlElement,
} from './xml-element.ts';
import { encodeText } from './xml-text.ts';

/** A visitor for the comments of a sheet. */
export function commentsVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'x:text',
    tree: (element) => {
      const text = readRichString(element);
      const translated = text && exchange(text.segment, 'paragraph');
      if (text === undefined || translated === undefined) return undefined;
      return serialise({ ...element, children: [text.write(translated)] });
    },
  };
}

/** A visitor for threads of comments. */
export function threadedCommentsVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'tc:threadedComment',
    tree: (comment) => exchangeThreaded(comment, exchange),
  };
}

interface Mention {
  element: XmlElement;
  start: number;
  text: string;
}

/** Mentions of people stay as they are, wherever they come to stand, and are said to stand there. */
function exchangeThreaded(comment: XmlElement, exchange: TextExchange): string | undefined {
  const element = childOf(comment, 'tc:text');
  if (element === undefined) return undefined;
  const text = decodeString(textOf(element));
  const mentions = mentionsOf(comment, text);
  const segment: (string | Mark)[] = [];
  const kept: string[] = [];
  const keep = (piece: string): void => {
    segment.push({ mark: 'lone', id: kept.push(piece) });
  };
  const addText = (piece: string): void => {
    for (const part of piece.split(/(\s*\n\s*)/)) {
      if (part.includes('\n')) keep(part);
      else if (part !== '') segment.push(part);
    }
  };
  let at = 0;
  for (const mention of mentions) {
    addText(text.slice(at, mention.start));
    keep(mention.text);
    at = mention.start + mention.text.length;
  }
  addText(text.slice(at));
  if (!hasLetters(segment)) return undefined;
  const translated = exchange(segment, 'paragraph');
  if (translated === undefined) return undefined;
  const written = translated
    .map((part) => (typeof part === 'string' ? part : (kept[part.id - 1] ?? '')))
    .join('');
  moveMentions(mentions, written);
  element.children = [encodeText(encodeString(written))];
  return serialise(comment);
}

function mentionsOf(comment: XmlElement, text: string): Mention[] {
  const mentions = childOf(comment, 'tc:mentions');
  let end = 0;
  return (mentions === undefined ? [] : elementsOf(mentions))
    .map((element) => {
      const start = Number(attribute(element, 'startIndex'));
      return {
        element,
        start,
        text: text.slice(start, start + Number(attribute(element, 'length'))),
      };
    })
    .sort((a, b) => a.start - b.start)
    .filter(({ start, text }) => {
      if (text === '' || start < end) return false;
      end = start + text.length;
      return true;
    });
}

function moveMentions(mentions: readonly Mention[], written: string): void {
  const taken: number[] = [];
  for (const { element, text } of mentions) {
    let start = written.indexOf(text);
    while (taken.includes(start)) start = written.indexOf(text, start + 1);
    taken.push(start);
    setAttribute(element, 'startIndex', `${start}`);
  }
}
