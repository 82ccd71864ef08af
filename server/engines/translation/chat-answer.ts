/** Reads what a chat model has answered. Only what has the asked-for form counts as a translation. */
import { plainText, type TextSegment } from '../../text/text-segment.ts';
import type { ChatItem } from './chat-prompt.ts';

/**
 * The translations in the order of the items; undefined where there is none that can be believed. An
 * answer with an item that was not asked for, or with one twice, is not believed at all.
 *
 * @param completion body of the server's answer
 */
export function readChatAnswer(
  completion: unknown,
  items: readonly ChatItem[],
): (TextSegment | undefined)[] {
  const texts = answersById(parseContent(contentOf(completion)));
  const known = new Set(items.map(({ id }) => id));
  const isStrange = texts === undefined || [...texts.keys()].some((id) => !known.has(id));
  return items.map(({ id, text: source }) => {
    const answer = isStrange ? undefined : texts.get(id);
    if (answer === undefined) return undefined;
    const segment = source.finish(answer);
    return isPlausible(source.plain, plainText(segment).trim()) ? segment : undefined;
  });
}

/** `choices[0].message.content`, a string or parts with a text each. */
function contentOf(completion: unknown): string {
  const [choice] = listOf(propertyOf(completion, 'choices'));
  const content = propertyOf(propertyOf(choice, 'message'), 'content');
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => propertyOf(part, 'text'));
  return texts.filter((text) => typeof text === 'string').join('');
}

/** JSON, also after a model's thoughts, in a code fence, or between words. */
function parseContent(content: string): unknown {
  const [, ...rest] = content.split(THOUGHTS_END);
  // As it is first: a text may speak of thoughts, too.
  for (const answer of [content, rest.join(THOUGHTS_END)]) {
    const start = answer.search(/[[{]/);
    const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']'));
    for (const candidate of [answer, answer.slice(start, end + 1)]) {
      try {
        return JSON.parse(candidate) as unknown;
      } catch {
        // Not in this form.
      }
    }
  }
  return undefined;
}

const THOUGHTS_END = '</think>';

/** Texts by id, from `{"items":[…]}` or the bare list; undefined for anything else. */
function answersById(answer: unknown): Map<string, string> | undefined {
  const entries = Array.isArray(answer) ? (answer as unknown[]) : propertyOf(answer, 'items');
  if (!Array.isArray(entries)) return undefined;
  const texts = new Map<string, string>();
  for (const entry of entries as unknown[]) {
    const id = propertyOf(entry, 'id');
    const text = propertyOf(entry, 'text');
    if (typeof id !== 'string' || typeof text !== 'string' || texts.has(id)) return undefined;
    texts.set(id, text);
  }
  return texts;
}

/** Lengths in which Chinese, Japanese and Korean signs count as the three letters they stand for. */
function weight(text: string): number {
  let count = 0;
  for (const sign of text) count += DENSE.test(sign) ? 3 : 1;
  return count;
}

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Wide enough for any two languages; chatter, endless repetition and bare summaries are outside. */
const MAX_GROWTH = 3;
const MAX_SHRINKAGE = 5;
/** Short texts may change more: an abbreviation is written out, or made. */
const FREE_CHANGE = 60;

function isPlausible(source: string, translation: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(translation)) return false;
  const asked = weight(source);
  const given = weight(translation);
  return given <= asked * MAX_GROWTH + FREE_CHANGE && given * MAX_SHRINKAGE >= asked - FREE_CHANGE;
}

function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
