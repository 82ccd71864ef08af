/** Random texts that style rules affect, and random choices of rules. */
import { styleLanguages } from '../../../shared/language.ts';
import fc, { codePoint } from '../../support/suite/properties.ts';
import {
  mechanicalRules,
  type MechanicalRule,
} from '../../../server/style-rules/rules/style-rules.ts';
import {
  type ConfiguredRules,
  type StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';

/** Parts that must stay unchanged. */
export const untouchables = [
  'https://example.org/a-b?x=1.5&y="z"',
  'jane.doe@example.org',
  '`a -- "b" 1,234.5`',
  '```x = "1.5 kg"```',
  '{name}',
  '%1$s',
  'report-2.1.txt',
  'src/main/app-2.ts',
  '/usr/local/bin',
  'C:\\temp\\a b',
  'snake_case_1',
  'camelCase',
  'run("a")',
  '<a href="x">',
  '<code>1,5 - "x"</code>',
  '192.168.100.200',
  'v1.2.3',
  'ISO-8601',
  'name="value"',
  'hélène@exemple.fr',
  'jörg.müller@firma.de',
  're\u0301sume\u0301.pdf',
  'münchen.de',
  '/home/müller/x.txt',
  'C:\\Übungen\\a.txt',
  'größe_max',
  '%(größe)s',
  'öffne()',
  'отчёт.pdf',
  '日本語2.pdf',
  'foo(...args)',
];

const words = [
  ...[
    'word',
    'Straße',
    'Über',
    'l’été',
    "don't",
    "dogs'",
    'École',
    'sólo',
    'Sólo',
    'und/oder',
    'and / or',
  ],
  ...[
    'du',
    'Dein',
    'cédera',
    'aimé-je',
    'R & D',
    'e.g.',
    'i.e.,',
    'etc.',
    'Ph.D.',
    'PhD',
    'U.S.',
    'z.B.',
  ],
  ...[
    'Dr. Smith',
    'Mister Jones',
    "James's",
    'red, green, and blue',
    ': a, b and c',
    'Moreover we',
    'Dear John,',
  ],
  ...[
    '好',
    '你好',
    'です。',
    '「行く。」と',
    '안녕',
    '그는',
    '（注）',
    '(注)',
    '他—她',
    '三か月',
    '二零二四年',
    'Mac 电脑',
  ],
];
const figures = [
  ...[
    '1,234.56',
    '1.234,56',
    '1,234',
    '1.234',
    '1 234',
    '1\u00A0234',
    '3.5 kg',
    '3,5',
    '10kg',
    '10 kg',
    '.5',
    '0.5',
  ],
  ...[
    '5%',
    '5 %',
    '5 percent',
    '10 Prozent',
    '20 °C',
    '20°C',
    '20 degrees Celsius',
    '€10',
    '10 €',
    'EUR 10',
    '$5m',
  ],
  ...[
    '¥1,000',
    '10 mio',
    '10-20',
    '10 - 20 kg',
    '1990–1995',
    '10x20 cm',
    '2+2=4',
    '15:30',
    'at 15:30',
    '3:30 p.m.',
  ],
  ...[
    '3 pm',
    '10h30',
    '10.30 Uhr',
    'um 9:05',
    'a las 15:30',
    'à 9:30',
    '午後3時',
    '15:30に',
    '오후 3시',
    '下午3点',
    '10:20:30',
  ],
  ...[
    '5 May 2024',
    'May 5, 2024',
    '05/06/2024',
    '20/05/2024',
    '5. Mai 2024',
    '1er mai 2024',
    '5 de mayo de 2024',
  ],
  ...[
    '2024-05-06',
    '2024年5月6日',
    '2024년 5월 6일',
    '2024. 5. 6.',
    '44 BC',
    'AD 79',
    '79 CE',
    '19th century',
    'XIXe siècle',
  ],
  ...[
    'siglo XIX',
    'the 1990s',
    "'90s",
    '令和6年',
    '1985年',
    '+49 30 123456',
    '0049 30 123456',
    '+1 212 555 0123',
    'no 5',
  ],
  ...['n° 5', '5"', "6'", '10 km/h', '3か月', '１２，３４５', '3 : 1', '101.5 MHz'],
];
const signs = [
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    '',
    ', ',
    '. ',
    '.',
    '; ',
    ': ',
    ':',
    ' - ',
    ' – ',
    '—',
    '--',
    '...',
    '…',
    '. . .',
    '-',
    '–',
  ],
  ...[
    '"',
    '"',
    '“',
    '”',
    '„',
    '«',
    '»',
    '« ',
    ' »',
    "'",
    '’',
    '‘',
    '‹',
    '›',
    '「',
    '」',
    '『',
    '』',
    '(',
    ')',
    ' ! ',
    '?',
    '/',
  ],
  ...[
    '\n',
    '\u00A0',
    '\u202F',
    '`',
    '&',
    '&',
    '＆',
    '：',
    '、',
    '，',
    '。',
    '%',
    '+',
    '0',
    '7',
    'x',
    'a',
    'é',
    '好',
    '\uFDD0',
  ],
];

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  { weight: 4, arbitrary: fc.constantFrom(...figures) },
  { weight: 5, arbitrary: fc.constantFrom(...signs) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 3 }) },
);

/** Texts of fragments, with blanks between most of them. */
export const styledTexts: fc.Arbitrary<string> = fc
  .array(fc.tuple(fragment, fc.constantFrom(' ', ' ', '')), { maxLength: 14 })
  .map((parts) => parts.flat().join(''));

/** Segments with marks between such texts. */
export const styledSegments: fc.Arbitrary<TextSegment> = fc
  .array(fc.tuple(styledTexts, fc.constantFrom('lone', 'element', 'none')), { maxLength: 5 })
  .map((parts) =>
    parts.flatMap(([text, mark], index): TextSegment[number][] => {
      const id = index + 1;
      if (mark === 'none') return [text];
      if (mark === 'lone') return [text, { mark: 'lone' as const, id }];
      return [{ mark: 'open' as const, id }, text, { mark: 'close' as const, id }];
    }),
  );

export interface Choice {
  language: StyleRuleLanguage;
  rules: ConfiguredRules;
}

/** A language and some of its mechanical rules, one option each. */
export function choices(
  isWanted: (rule: MechanicalRule) => boolean = () => true,
): fc.Arbitrary<Choice> {
  return fc.constantFrom(...styleLanguages).chain((language) => {
    const own = mechanicalRules.filter(
      (rule) => rule.languages.includes(language) && isWanted(rule),
    );
    return fc
      .oneof(
        fc.subarray(own, { maxLength: 3 }),
        fc.subarray(own, { minLength: Math.floor(own.length / 3) }),
      )
      .map((chosen) => ({ language, rules: configured(chosen) }));
  });
}

/** Returns the rules in the form of a list. */
export function configured(chosen: readonly MechanicalRule[]): ConfiguredRules {
  const rules: ConfiguredRules = {};
  for (const { category, rule, option } of chosen) (rules[category] ??= {})[rule] = option;
  return rules;
}
