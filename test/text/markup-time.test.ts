/** Layout time for hostile texts of 16 KiB: it must stay proportional to their length. */
import { describe, expect, it } from 'vitest';
import { layOutPlain } from '../../server/text/markup/segment-layout.ts';
import { type Steps, type TextLayout, withRests } from '../../server/text/markup/text-layout.ts';
import { repairMarks } from '../../server/text/repair.ts';
import { expectSteadyTime } from '../support/machine/processor-time.ts';
import { html, rendered, xml } from './layouts.ts';

const SIZE = 16 * 1024;
const repeated = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

const layouts: Record<string, (text: string) => TextLayout> = {
  xml: (text) => xml(text, { version: 'v1', ignoreTags: ['i'], splittingTags: ['s'] }),
  html: (text) => html(text),
  plain: (text) => layOutPlain(text, { splitting: 'lines-and-sentences', language: 'en' }),
  'xml without outline': (text) => xml(text, { version: 'v1', outlineDetection: false }),
};

const texts: Record<string, (size: number) => string> = {
  prose: (size) => repeated('Dr. Smith paid $3.50 for {name} in No. 5. He left. ', size),
  'short sentences': (size) => repeated('A b. ', size),
  words: (size) => repeated('word ', size),
  'one word': (size) => repeated('a', size),
  'full stops': (size) => repeated('.', size),
  'full stops and quotes': (size) => repeated('.\'".', size),
  blanks: (size) => `a.${repeated(' ', size)}b`,
  'open tags': (size) => repeated('<b>a', size),
  nested: (size) => repeated('<b>', size / 2) + 'a' + repeated('</b>', size / 2),
  'nested with text': (size) => repeated('<b>a', size / 2) + repeated('</b>', size / 2),
  'nested names': (size) =>
    repeated('<b><i><p>', size / 2) + 'a. b' + repeated('</p></i></b>', size / 2),
  'stray end tags': (size) => repeated('<b>', size / 2) + repeated('</i>', size / 2),
  'left-out end tags': (size) => repeated('<p><li><td>', size),
  references: (size) => repeated('&amp;', size),
  'references in sentences': (size) => repeated('A&lt;. ', size),
  ampersands: (size) => repeated('&', size),
  'half references': (size) => repeated('&a', size),
  'angle brackets': (size) => repeated('<', size),
  comments: (size) => repeated('<!---->', size),
  'open comments': (size) => repeated('<!--', size),
  instructions: (size) => repeated('<?', size),
  declarations: (size) => repeated('<!DOCTYPE ', size),
  attributes: (size) => `<a ${repeated('b="c" ', size)}>x</a>`,
  placeholders: (size) => repeated('{a}', size),
  braces: (size) => repeated('{', size),
  'percent signs': (size) => repeated('%a', size),
  addresses: (size) => repeated('a.b@', size),
  'one address': (size) => `http://${repeated('a.', size)}`,
  shortcodes: (size) => repeated('[a][b][c][d][e][f][g][h]', size),
  scripts: (size) => repeated('<script><style>', size),
  colons: (size) => repeated(' :a', size),
  'line breaks': (size) => repeated('\n', size),
  CJK: (size) => repeated('好。', size),
};

/** Translates as an engine that loses every fourth part. */
function translate(layout: TextLayout): string {
  return rendered(
    layout,
    layout.segments.map((segment) =>
      repairMarks(
        segment,
        segment.filter((_, index) => index % 4 !== 1),
      ),
    ),
  );
}

/** Without signs of markup, a text is a text to all that read markup, but in HTML no line break ends it. */
function kindsOf(text: string): string[] {
  if (/[<&]/.test(text)) return Object.keys(layouts);
  return /\s\s/.test(text) ? ['xml', 'html', 'plain'] : ['xml', 'plain'];
}

it.each(
  Object.entries(texts).flatMap(([name, make]) => kindsOf(make(64)).map((kind) => [name, kind])),
)('%s as %s', (name, kind) =>
  expectSteadyTime((size) => translate(layouts[kind]!(texts[name]!(size))), {
    ...{ size: SIZE, littleMs: 13 },
  }),
);

describe('concurrent long texts', () => {
  it('start one after the other, while short ones start at once', async () => {
    const begun: string[] = [];
    const steps = function* (name: string): Steps<string> {
      begun.push(name);
      yield;
      return name;
    };
    const long = ['one', 'two', 'three'].map((name) => withRests(steps(name), 90_000));
    const short = withRests(steps('short'), 90);
    expect(begun).toEqual(['short']);
    const turns: number[] = [];
    for (let turn = 0; begun.length < 4 && turn < 10; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(begun.length);
    }
    expect(await Promise.all([...long, short])).toEqual(['one', 'two', 'three', 'short']);
    expect(turns.every((count, turn) => count - (turns[turn - 1] ?? 1) <= 1)).toBe(true);
  });
});
