/** Word error rate: words to insert, delete or replace ÷ words of the reference. */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const expected = words(reference);
  const heard = words(hypothesis);
  let previous = heard.map((_, index) => index + 1);
  expected.forEach((word, row) => {
    const current: number[] = [];
    heard.forEach((other, column) => {
      const above = previous[column] ?? 0;
      const left = column === 0 ? row + 1 : (current[column - 1] ?? 0);
      const diagonal = column === 0 ? row : (previous[column - 1] ?? 0);
      current.push(Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1)));
    });
    previous = current;
  });
  const distance = heard.length === 0 ? expected.length : (previous.at(-1) ?? 0);
  return distance / expected.length;
}

function words(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}'\s]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean);
}
