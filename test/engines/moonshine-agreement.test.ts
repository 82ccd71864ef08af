import { describe, expect, it } from 'vitest';
import { createTentative } from '../../server/engines/recognition/moonshine-agreement.ts';

/** One token for each word; an asterisk marks those of which the model is unsure. */
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

describe('what is told of hypotheses', () => {
  it('is what two of them begin with, up to the end of a word', () => {
    expect(seen('ask not', 'ask not what', 'ask not what your')).toEqual([
      '',
      'ask not',
      'ask not what',
    ]);
  });

  it('is the first word, however unsure, and no unsure one after it until six say so', () => {
    const unsure = 'and* what* you can';
    expect(seen(unsure, unsure, unsure, unsure, unsure, `${unsure} do`)).toEqual([
      ...['', 'and', 'and', 'and', 'and'],
      'and what you can',
    ]);
  });

  it('is no word again that the last one was, until another follows', () => {
    const echo = 'one, zero, zero, zero, zero';
    const more = 'one, zero, zero, zero, one';
    expect(seen(echo, echo, more, `${more} ends`)).toEqual([
      ...['', 'one, zero', 'one, zero'],
      more,
    ]);
    expect(seen('one zero zero one is', 'one zero zero one is')).toEqual(['', 'one zero zero one']);
  });

  it('stays what it was until four say something else', () => {
    const other = 'ask what you';
    const told = seen('and what', 'and what you', other, other, other, other);
    expect(told).toEqual(['', 'and what', 'and what', 'and what', 'and what', other]);
  });

  it('is taken back when four hypotheses are the same and have less', () => {
    const told = seen(
      'hello there world now',
      'hello there world now',
      ...Array<string>(4).fill('hello'),
    );
    expect(told.at(-2)).toBe('hello there world');
    expect(told.at(-1)).toBe('hello');
  });

  it('takes no notice of marks and capitals that come and go', () => {
    expect(seen('well I think', 'well, I think that', 'Well I think that we')).toEqual([
      ...['', 'well, I think', 'Well I think that'],
    ]);
  });
});
