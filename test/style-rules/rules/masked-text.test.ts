/** Protected parts that no rule may change, in texts of each format. */
import { expect, it } from 'vitest';
import { layOutSentences } from '../../../server/text/markup/segment-layout.ts';
import { applyStyleRules } from '../../../server/style-rules/rules/style-rules.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { html, rendered, xml } from '../../text/layouts.ts';
import { untouchables } from './style-samples.ts';

/** Rules that would change any text they reach. */
const rules = {
  punctuation: {
    quotation_mark_and_apostrophe: 'use_curly_quotation_marks_and_apostrophes',
    range_indicator: 'use_en_dash_without_spaces',
    ellipsis: 'use_ellipsis_character',
    sentence_break_indicator: 'use_em_dash_without_space_on_either_side',
    slash: 'use_spaces_before_and_after_slashes',
  },
  numbers: {
    decimal_separator: 'use_comma_as_decimal_separator',
    percentage_format: 'use_numerals_followed_by_space_then_spell_out_percent',
    units_of_measure_spacing: 'use_space_between_numeral_and_unit_of_measure',
  },
};
const choice = { language: 'en', rules };
const styled = (text: string): string => plainText(applyStyleRules([text], choice));

it.each(untouchables)('leaves %s in plain text unchanged', (untouchable) => {
  expect(styled(`"A" ${untouchable} 10-20 km`)).toBe(`“A” ${untouchable} 10–20 km`);
});

it('leaves code, fields and untranslatable elements in HTML unchanged', () => {
  const source =
    '<p>Say "5%" <code>"5%" -- 10-20</code> and <kbd>1.5kg...</kbd> or <span translate="no">"x"</span> "5%".</p><pre><code>a "b"</code></pre><textarea>"5%"</textarea>';
  const layout = html(source);
  const text = rendered(
    layout,
    layout.segments.map((segment) => applyStyleRules(segment, choice)),
  );
  expect(text.replaceAll('\u00A0', ' ')).toBe(
    '<p>Say “5 percent” <code>"5%" -- 10-20</code> and <kbd>1.5kg...</kbd> or <span translate="no">"x"</span> “5 percent”.</p><pre><code>a "b"</code></pre><textarea>"5%"</textarea>',
  );
});

it('leaves ignored elements and all attributes in XML unchanged', () => {
  const layout = xml('<p a="5%">"A" <c>"5%" ...</c> is <b t="1-2">"5%"</b> &amp; more...</p>', {
    ignoreTags: ['c'],
  });
  const text = rendered(
    layout,
    layout.segments.map((segment) => applyStyleRules(segment, choice)),
  );
  expect(text.replaceAll('\u00A0', ' ')).toBe(
    '<p a="5%">“A” <c>"5%" ...</c> is <b t="1-2">“5 percent”</b> &amp; more…</p>',
  );
});

it('applies across formatting within a word', () => {
  const segment = [
    '"',
    { mark: 'open' as const, id: 1 },
    "l'",
    { mark: 'close' as const, id: 1 },
    'art" costs 10-20kg ',
    { mark: 'lone' as const, id: 2 },
    '.',
  ];
  expect(applyStyleRules(segment, choice)).toEqual([
    '“',
    { mark: 'open', id: 1 },
    'l’',
    { mark: 'close', id: 1 },
    'art” costs 10–20\u00A0kg ',
    { mark: 'lone', id: 2 },
    '.',
  ]);
});

it('handles a quotation that continues in the next sentence', () => {
  expect(styled('"Who is it?')).toBe('“Who is it?');
  expect(styled('It is \'me\'," she said."')).toBe('It is ‘me’," she said."');
  expect(styled("It is 'me'.\"")).toBe('It is ‘me’.”');
  expect(styled('A screen of 27"')).toBe('A screen of 27"');
});

it('applies to the sentences of documents', () => {
  const layout = layOutSentences(['He said "yes". It costs 5% of {x}...'], {
    cuts: true,
    language: 'en',
  });
  const styledSentences = layout.segments.map((segment) => applyStyleRules(segment, choice));
  expect(plainText(layout.render(styledSentences)).replaceAll('\u00A0', ' ')).toBe(
    'He said “yes”. It costs 5 percent of {x}…',
  );
});

it('writes no-break spaces where a line must not end', () => {
  const french = { punctuation: { quotation_mark: 'use_guillemets' } };
  expect(applyStyleRules(['"oui"'], { language: 'fr', rules: french })).toEqual([
    '«\u00A0oui\u00A0»',
  ]);
  const thousands = { numbers: { thousands_separator: 'use_space' } };
  expect(applyStyleRules(['1.234'], { language: 'de', rules: thousands })).toEqual(['1\u202F234']);
  expect(styled('5kg')).toBe('5\u00A0kg');
});

it('applies to the variants of a language', () => {
  const units = { numbers: { spelling_out_units: 'always_spell_out_units_of_measure' } };
  expect(applyStyleRules(['5 km'], { language: 'en-GB', rules: units })).toEqual(['5 kilometres']);
  expect(applyStyleRules(['5 km'], { language: 'en-US', rules: units })).toEqual(['5 kilometers']);
});
