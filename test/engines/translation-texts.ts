/** Texts for the tests of translation engines, the same in every run. */

const things = ['house', 'book', 'river', 'city', 'table', 'friend', 'door', 'window'];

/** Returns different sentences, each with a number that identifies its answer. */
export function sentences(count: number, first = 1000): string[] {
  return Array.from(
    { length: count },
    (_, i) => `The ${things[i % things.length]} number ${first + i} is new.`,
  );
}

const hostileParts =
  '$5.00|a^b|[x]|{y}|<b>|</b>|@home|C:\\dir|and/or|~|*|#|+|😀|日本|naïve|e\u0301|don’t|"quote"|«x»|me@x.org|' +
  '...|.|¿|?|3.14|50%|&amp;|[[t:b:1]]|[[/]]|[#7]|\\0|\0|\u0001|\u001b|\u200b|\u00a0|\u202f|\ufeff|İ|ﬁ|\ud800|\t|  |\n|\r\n|\u2028|no|house|a';

/** Returns texts of characters that break formats, each with a number of its own at the end. */
export function hostileTexts(count: number): { text: string; tag: string }[] {
  const parts = hostileParts.split('|');
  const random = randomSource(42);
  return Array.from({ length: count }, (_, i) => {
    const length = Math.floor(random() * 14);
    const chosen = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]);
    const tag = `Q${10_000 + i}Z`;
    return { text: `${chosen.join(random() < 0.8 ? ' ' : '')} ${tag}`, tag };
  });
}

/** Returns a generator of numbers from 0 to 1, the same in every run (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Starts twelve calls for one account, then one for another, and returns how many calls are answered before
 * that last one.
 */
export async function answeredBefore(
  translate: (texts: readonly string[], account: string) => Promise<unknown>,
): Promise<number> {
  let answered = 0;
  const many = Array.from({ length: 12 }, async (_, index) => {
    await translate(sentences(12, 1000 + 100 * index), 'many');
    answered += 1;
  });
  await translate(sentences(12, 3000), 'few');
  const before = answered;
  await Promise.all(many);
  return before;
}
