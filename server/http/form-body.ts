/**
 * Reads form bodies. Large ones, such as a glossary of megabytes, are decoded in slices between which
 * other requests have their turn.
 */
import { parse, unescape } from 'node:querystring';
import type { FastifyInstance } from 'fastify';

/** Decoded at once: some ms. In UTF-16 units of the body. */
const SLICE_LENGTH = 64 * 1024;
/** More names than any of our requests has, repeated ones included. */
const MAX_NAMES = 10_000;

/** Makes a server take `application/x-www-form-urlencoded`. */
export function useFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) =>
      body.length <= SLICE_LENGTH
        ? { ...parse(body, '&', '=', { maxKeys: MAX_NAMES }) }
        : readLargeForm(body),
  );
}

/** As `parse` of node:querystring reads it: repeated names become lists, `+` is a blank. */
export async function readLargeForm(body: string): Promise<Record<string, string | string[]>> {
  const form = new Map<string, string | string[]>();
  let start = 0;
  for (let count = 0; start <= body.length && count < MAX_NAMES; count += 1) {
    const ampersand = body.indexOf('&', start);
    const end = ampersand < 0 ? body.length : ampersand;
    if (end > start) {
      const equals = body.indexOf('=', start);
      const nameEnd = equals < 0 || equals > end ? end : equals;
      const name = await decoded(body, start, nameEnd);
      const value = await decoded(body, Math.min(nameEnd + 1, end), end);
      const earlier = form.get(name);
      form.set(name, earlier === undefined ? value : [earlier, value].flat());
    }
    start = end + 1;
  }
  return Object.fromEntries(form);
}

async function decoded(body: string, start: number, end: number): Promise<string> {
  let text = '';
  for (let from = start; from < end;) {
    const to = cutBetweenCharacters(body, from, Math.min(from + SLICE_LENGTH, end), end);
    text += unescape(body.slice(from, to).replaceAll('+', ' '));
    from = to;
    if (from < end) await new Promise((resolve) => void setImmediate(resolve));
  }
  return text;
}

/** Bytes of a character beyond the first, as `%80` to `%BF`. */
const CONTINUATION = /^%[89AB][0-9A-F]$/i;
/** `%F0%9F%98%80`: an escaped character has four bytes at most. */
const LONGEST_ESCAPE = 12;

/** The last place at or before a cut where no escaped character is torn apart. */
function cutBetweenCharacters(body: string, from: number, cut: number, end: number): number {
  if (cut >= end) return end;
  for (let at = cut; at > from && at > cut - LONGEST_ESCAPE; at -= 1) {
    const isInEscape = body[at - 1] === '%' || body[at - 2] === '%';
    if (!isInEscape && !CONTINUATION.test(body.slice(at, at + 3))) return at;
  }
  return cut;
}
