import { describe, expect, it } from 'vitest';
import { createTentative } from '../../server/engines/recognition/moonshine-agreement.ts';

/** One token for each word; an asterisk marks words of which the model is unsure. */
function seen(...texts: string[]): string[] {
  const words: string[] = [];
  const tokenOf = (word: string): number => {
    if (!words.includes(word)) words.push(word);
    return words.indexOf(word);
  };
  const tentative = createTentative({
    text: (tokens) => tokens.map((token) => words[token]).join(' '),
    beginsWord: () => true,
  });
  const hypotheses = texts.map((text) => {
    const said = text.split(' ');
    return {
      tokens: said.map((word) => tokenOf(word.replace('*', ''))),
      chances: said.map((word) => (word.endsWith('*') ? -1 : 0)),
      score: 0,
    };
  });
  return hypotheses.map((_, at) => {
    tentative.see(hypotheses.slice(0, at + 1), 16_000 * (at + 1));
    return tentative.agreed;
  });
}

describe('the text shown for successive hypotheses', () => {
  it('is the common beginning of two hypotheses, up to the end of a word', () => {
    expect(seen('ask not', 'ask not what', 'ask not what your')).toEqual([
      '',
      'ask not',
      'ask not what',
    ]);
  });

  it('includes an unsure first word, and a later unsure word only after six hypotheses', () => {
    const unsure = 'and* what* you can';
    expect(seen(unsure, unsure, unsure, unsure, unsure, `${unsure} do`)).toEqual([
      ...['', 'and', 'and', 'and', 'and'],
      'and what you can',
    ]);
  });

  it('omits a repeated last word until another word follows', () => {
    const echo = 'one, zero, zero, zero, zero';
    const more = 'one, zero, zero, zero, one';
    expect(seen(echo, echo, more, `${more} ends`)).toEqual([
      ...['', 'one, zero', 'one, zero'],
      more,
    ]);
    expect(seen('one zero zero one is', 'one zero zero one is')).toEqual(['', 'one zero zero one']);
  });

  it('stays the same until four hypotheses differ', () => {
    const other = 'ask what you';
    const told = seen('and what', 'and what you', other, other, other, other);
    expect(told).toEqual(['', 'and what', 'and what', 'and what', 'and what', other]);
  });

  it('is taken back after four identical shorter hypotheses', () => {
    const told = seen(
      'hello there world now',
      'hello there world now',
      ...Array<string>(4).fill('hello'),
    );
    expect(told.at(-2)).toBe('hello there world');
    expect(told.at(-1)).toBe('hello');
  });

  it('ignores changing punctuation and capitals', () => {
    expect(seen('well I think', 'well, I think that', 'Well I think that we')).toEqual([
      ...['', 'well, I think', 'Well I think that'],
    ]);
  });
});
