/** Time of applying style rules to hostile texts: it must stay proportional to their length. */
import { styleLanguages } from '../../../shared/language.ts';
import { it } from 'vitest';
import { applyStyleRules, mechanicalRules } from '../../../server/style-rules/rules/style-rules.ts';
import { expectSteadyTime } from '../../support/machine/processor-time.ts';
import { configured } from './style-samples.ts';

const SIZE = 32 * 1024;
const repeated = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

const units = [
  ...[
    'a',
    'a ',
    'word ',
    '"',
    "'",
    '" ',
    '"a',
    '"a" ',
    "'a' ",
    '“',
    '„',
    '«',
    '« ',
    '“a‘b',
    '`',
    '` ',
    '`` ',
    '`a` ',
  ],
  ...[
    '.',
    '. ',
    '…',
    '. . . ',
    '-',
    '- ',
    ' - a',
    '—',
    '--',
    '/',
    ' / ',
    'a/',
    'a / b',
    '(',
    ')',
    '(a',
    ':',
    ' : ',
    '1:',
  ],
  ...[
    '1',
    '1 ',
    '1.',
    '1,',
    '1,234',
    '1.234,',
    '1-',
    '1-2 ',
    '1 - ',
    '1x',
    '1 x ',
    '1+',
    '1=',
    '1+1=',
    '1%',
    '1 %',
    '1 kg ',
  ],
  ...[
    '$',
    '$1',
    '€ ',
    'EUR 1 ',
    '+49',
    '+49 1',
    '0049 ',
    '00',
    '1 2 ',
    '10:',
    '10:30 ',
    '10:30:',
    '10.30.',
    '1h',
    '10h30',
    'at ',
  ],
  ...[
    '2024-',
    '2024-05-06 ',
    '5 May 2024 ',
    '5. Mai ',
    '2024年',
    '午後3時',
    '1/2/',
    '12/12/2024 ',
    'U.S. ',
    'U.',
    'Ph.D. ',
    'z. ',
  ],
  ...[
    'a, ',
    'a, b and ',
    ': a, b, ',
    'Dear ',
    'A&',
    'A & B ',
    'e.g. ',
    'i.e.,',
    'Moreover, ',
    'é',
    'ß',
    'ü',
    'cède',
    'n° 1 ',
  ],
  ...[
    '好',
    '好 a ',
    '好(',
    '（',
    '。」',
    '、',
    '，1',
    '〇',
    '3か月',
    '<',
    '<a ',
    '<code>',
    '{',
    '{"',
    '[a](',
    '@a',
    '#a',
    'a_',
    'aB',
  ],
  ...[
    '\\',
    'C:\\',
    'a.b',
    'a.b/',
    'a=',
    'a="',
    'x@y.',
    'http://',
    '\uFDD0',
    '\uFDD1',
    '\n',
    '\u00A0',
    '\u202F',
    '1\u202F',
    'I ',
    'XX ',
  ],
];

/** All rules of a language at once, each with its first option. */
const plans = styleLanguages.map((language) => ({
  language,
  rules: configured(mechanicalRules.filter((rule) => rule.languages.includes(language)).reverse()),
}));

it.each(units.map((unit, index) => [unit, plans[index % plans.length]!] as const))(
  'applies rules in linear time to repeated %j',
  (unit, plan) => {
    const style = (size: number) => {
      for (const { language, rules } of [plan, plans[1]!]) {
        applyStyleRules([repeated(unit, size)], { language, rules });
      }
    };
    return expectSteadyTime(style, { size: SIZE / 8, littleMs: 100 });
  },
);

it.each(plans)('applies rules in linear time to a long text of everything in $language', (plan) => {
  const everything = repeated(units.join(' '), SIZE / 2);
  const style = (size: number) => applyStyleRules([everything.slice(0, size)], plan);
  return expectSteadyTime(style, { size: everything.length, littleMs: 200 });
});
