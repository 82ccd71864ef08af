import { EVERY, LATIN, type RuleRows } from './row.ts';

const doubleCurly =
  'use_double_curly_quotation_marks_for_primary_quotations_and_single_curly_quotation_marks_for_secondary_quotations';
const alternatingCurly =
  'use_double_curly_quotation_marks_for_primary_quotations_then_alternate_with_single_curly_quotation_marks_for_nested_quotations';
const german =
  'use_double_german_quotation_marks_for_primary_quotations_and_single_german_quotation_marks_for_secondary_quotations';
const doubleStraight =
  'use_double_straight_quotation_marks_for_primary_quotations_and_single_straight_quotation_marks_for_secondary_quotations';
const alternatingStraight =
  'use_double_straight_quotation_marks_for_primary_quotations_then_alternate_with_single_straight_quotation_marks_for_nested_quotations';
const corners =
  'use_corner_brackets_for_primary_quotations_and_double_corner_brackets_for_secondary_quotations';
const guillemets = 'use_guillemets_for_primary_quotations';
const reversed =
  'use_reversed_guillemets_for_primary_quotations_and_single_reversed_guillemets_for_secondary_quotations';
const furtherNested =
  '_double_curly_quotation_marks_for_secondary_quotations_and_single_curly_quotation_marks_for_further_nested_quotations';

const tightColon: RuleRows[string] = {
  do_not_use_space_before_or_after_colon: [[EVERY, '10 : 30 … 3: 1 … 1:2', '10:30 … 3:1 … 1:2']],
};
const noPeriods: RuleRows[string][string] = [
  [LATIN, 'U.N. 2024, N.A.T.O.', 'UN 2024, NATO'],
  ['en', 'The U.S. Army left the U.N. The end.', 'The US Army left the UN. The end.'],
  ['en', 'J.R.R. Tolkien and the U.S. Smith', 'J.R.R. Tolkien and the U.S. Smith'],
];
const japaneseStops = (period: string, comma: string): RuleRows[string][string] => [
  [
    'ja',
    'はい、そう。いや，違う．1,000円',
    `はい${comma}そう${period}いや${comma}違う${period}1,000円`,
  ],
];

export const punctuationRows: RuleRows = {
  abbreviations: {
    separate_each_abbreviated_word_with_period_and_space: [
      ['de', 'z.B. das, d.h. i.d.R. gut', 'z. B. das, d. h. i. d. R. gut'],
    ],
    separate_each_abbreviated_word_with_period_without_space: [
      ['de', 'z. B. das, um 50 v. Chr.', 'z.B. das, um 50 v.Chr.'],
    ],
  },
  acronyms: { do_not_use_periods: noPeriods },
  periods_in_uppercase_initialisms_and_acronyms: { do_not_use: noPeriods },
  ampersand_abbreviation_spacing: {
    do_not_use_spaces_before_and_after_ampersand_as_part_of_abbreviation: [
      [LATIN, 'R & D, Smith & Sons', 'R&D, Smith & Sons'],
    ],
    use_spaces_before_and_after_ampersand_as_part_of_abbreviation: [
      [LATIN, 'R&D, Smith&Sons', 'R & D, Smith&Sons'],
    ],
  },
  ampersand_usage: {
    use_full_width_ampersand: [
      ['ja zh', '山&川 … A&B', '山＆川 … A&B'],
      ['ko', '산&강', '산＆강'],
    ],
    use_half_width_ampersand: [['ja ko zh', '山＆川', '山&川']],
  },
  apostrophe: {
    use_curly_apostrophes: [
      [LATIN, "l'art", 'l’art'],
      ['en', "don't, '90s, 5' tall, 'quoted'", "don’t, ’90s, 5' tall, 'quoted'"],
    ],
    use_straight_apostrophes: [
      [LATIN, 'l’art', "l'art"],
      ['en', 'don’t say ‘no’', "don't say ‘no’"],
    ],
  },
  colon: {
    use_full_width_colon: [
      ['ja zh', '注: 山 … 10:30', '注：山 … 10:30'],
      ['ko', '주: 산', '주：산'],
    ],
    use_half_width_colon: [['ja ko zh', '注：山', '注: 山']],
  },
  colon_between_hours_and_minutes_or_chapters_and_verses: tightColon,
  colon_to_replace_versus_or_to: tightColon,
  comma_after_conjunctive_adverbs: {
    do_not_use: [['en', 'Therefore, we go.', 'Therefore we go.']],
    use: [['en', 'Moreover we agree. We therefore go.', 'Moreover, we agree. We therefore go.']],
  },
  comma_after_i_e_and_e_g: {
    do_not_use: [['en', 'fruit, e.g., apples', 'fruit, e.g. apples']],
    use: [['en', 'fruit, e.g. apples, i.e., food', 'fruit, e.g., apples, i.e., food']],
  },
  corner_brackets_and_periods: {
    do_not_add_period_before_closing_corner_bracket_when_sentence_continues: [
      ['ja', '「行く。」と言う。「はい。」', '「行く」と言う。「はい。」'],
    ],
  },
  dash: {
    use_em_dash: [
      [LATIN, 'oui – non, a-b, 5 - 3', 'oui — non, a-b, 5 - 3'],
      [LATIN, 'x - y, ab – cd = ef', 'x - y, ab – cd = ef'],
      ['ko', '산 - 강', '산 — 강'],
    ],
    use_hyphen: [
      [LATIN, 'oui – non', 'oui - non'],
      ['ko', '산 — 강', '산 - 강'],
    ],
  },
  ellipsis: {
    use_ellipsis_character: [[EVERY, 'a... b … no.... c . . . d', 'a… b … no.... c … d']],
    use_one_ellipsis_character: [[EVERY, 'a……', 'a…']],
    use_six_dots_at_the_bottom: [['ko', '그……', '그......']],
    use_six_dots_in_the_center: [['ko zh', '好......', '好……']],
    use_three_dots_at_the_bottom: [['ko', '그…', '그...']],
    use_three_dots_in_the_center: [['ko', '그...', '그…']],
    use_three_ellipsis_characters: [['ja zh', '好...', '好………']],
    use_three_periods: [[EVERY, 'a…', 'a...']],
    use_three_periods_without_spaces: [[EVERY, 'a . . . b', 'a ... b']],
    use_three_spaced_periods: [['en', 'a … b, foo(...args)', 'a . . . b, foo(...args)']],
    use_two_ellipsis_characters: [['ja zh', '好…', '好……']],
  },
  em_dash: { use_double_em_dash: [['ja zh', '他—她——它', '他——她——它']] },
  highlighting_specific_expressions: {
    use_single_curly_quotation_marks: [['ko', '\'강조\'와 "말"', '‘강조’와 "말"']],
    use_single_straight_quotation_marks: [['ko', '‘강조’와 “말”', "'강조'와 “말”"]],
  },
  parentheses_for_supplementary_information: {
    use_parentheses_without_space_on_either_side: [['ja zh', '山 (川) 好', '山(川)好']],
  },
  periods_and_commas: {
    use_full_width_japanese_periods_and_full_width_japanese_commas: japaneseStops('。', '、'),
    use_full_width_japanese_periods_and_full_width_non_japanese_commas: japaneseStops('。', '，'),
    use_full_width_non_japanese_periods_and_full_width_japanese_commas: japaneseStops('．', '、'),
    use_full_width_non_japanese_periods_and_full_width_non_japanese_commas: japaneseStops(
      '．',
      '，',
    ),
  },
  periods_in_academic_degrees: {
    do_not_use: [['en', 'A Ph.D. and an M.B.A. He has a B.Sc.', 'A PhD and an MBA. He has a BSc.']],
    use: [['en', 'A PhD, a BSc and an LLB.', 'A Ph.D., a B.Sc. and an LL.B.']],
  },
  possessives_of_proper_names_ending_in_s_style: {
    add_apostrophe_only: [
      ['en', "We saw James's cat. Boss's car.", "We saw James' cat. Boss's car."],
    ],
  },
  quotation_mark: {
    use_curly_quotation_marks: [
      ['de', '"Das ist \'gut\'", sagt er.', '„Das ist ‚gut‘“, sagt er.'],
      ['en es fr it', '"a \'b\' c", 5"', '“a ‘b’ c”, 5"'],
      ['es fr it', '« a “b” »', '“a ‘b’”'],
      ['ko', '"산"이라고', '“산”이라고'],
      ['zh', '他说"好"吧', '他说“好”吧'],
    ],
    use_double_curly_quotation_marks: [
      ['de', "'gut'", '„gut“'],
      ['en es fr it', '\'a "b" c\'', '“a ‘b’ c”'],
      ['fr', '« a « b » »', '“a ‘b’”'],
      ['ko zh', '"好"', '“好”'],
    ],
    use_double_straight_quotation_marks: [
      ['de es fr it', '«a ‹b› c»', '"a \'b\' c"'],
      ['en', '‘a’', '"a"'],
      ['ko zh', '“好”', '"好"'],
    ],
    use_guillemets: [
      ['es it', '"a \'b\' c"', '«a “b” c»'],
      ['fr', '"a \'b\' c", «d»', '« a “b” c », « d »'],
    ],
    use_straight_quotation_marks: [
      ['de', '„a“ und ‚b‘', '"a" und \'b\''],
      ['en es fr it', '“a” ‘b’', '"a" \'b\''],
      ['es fr it', '« a “b” »', '"a \'b\'"'],
      ['ko zh', '“好”', '"好"'],
    ],
  },
  quotation_mark_and_apostrophe: {
    use_curly_quotation_marks_and_apostrophes: [
      ['de', '"Wie geht\'s?"', '„Wie geht’s?“'],
      ['en es fr it', '"a l\'b"', '“a l’b”'],
    ],
    use_double_and_single_curly_quotation_marks_and_curly_apostrophes: [
      ['de', '"Wie geht\'s?"', '„Wie geht’s?“'],
      ['en es fr it', "\"a 'l'b'\"", '“a ‘l’b’”'],
    ],
    use_double_and_single_straight_quotation_marks_and_straight_apostrophes: [
      [LATIN, '“a l’b”', '"a l\'b"'],
    ],
    use_guillemets_and_curly_apostrophes: [
      ['es it', '"a l\'b"', '«a l’b»'],
      ['fr', '"a l\'b"', '« a l’b »'],
    ],
    use_guillemets_and_straight_apostrophes: [
      ['es it', '“a l’b”', "«a l'b»"],
      ['fr', '“a l’b”', "« a l'b »"],
    ],
    use_straight_quotation_marks_and_apostrophes: [[LATIN, '“a l’b”', '"a l\'b"']],
  },
  quotation_style: {
    [corners]: [['ja zh', '"好『山』"と“川”', '「好『山』」と「川」']],
    [doubleCurly]: [['en es fr it ko zh', '\'a "b" c\'', '“a ‘b’ c”']],
    [alternatingCurly]: [['en es fr it ko zh', '«a «b «c» b» a»', '“a ‘b “c” b’ a”']],
    [german]: [['de', '»a ›b‹ c« und «d»', '„a ‚b‘ c“ und „d“']],
    [doubleStraight]: [[`${LATIN} ko zh`, '“a ‘b’ c”', '"a \'b\' c"']],
    [alternatingStraight]: [[`${LATIN} ko zh`, '«a ‹b› c»', '"a \'b\' c"']],
    use_double_quotation_marks_for_primary_quotations_and_single_quotation_marks_for_secondary_quotations:
      [['en es it', '‘a “b” c’', '“a ‘b’ c”']],
    use_single_quotation_marks_for_primary_quotations_and_double_quotation_marks_for_secondary_quotations:
      [
        ['en es it', '"a \'b\' c"', '\'a "b" c\''],
        ['en', '“Go,” said ‘she’.', '‘Go,’ said ‘she’.'],
        ['en', '“A ‘b’,” in James’ book', '“A ‘b’,” in James’ book'],
      ],
    [`${guillemets}_and_double_curly_quotation_marks_for_secondary_quotations`]: [
      ['es it', '"a \'b\' c"', '«a “b” c»'],
      ['fr', '"a \'b\' c"', '« a “b” c »'],
    ],
    [`${guillemets}_and_double_straight_quotation_marks_for_secondary_quotations`]: [
      ['es it', '“a ‘b’ c”', '«a "b" c»'],
      ['fr', '“a ‘b’ c”', '« a "b" c »'],
    ],
    [`${guillemets}_and_single_guillemets_for_secondary_quotations`]: [
      ['es it', '“a ‘b’ c”', '«a ‹b› c»'],
      ['fr', '“a ‘b’ c”', '« a ‹ b › c »'],
    ],
    [`${guillemets}${furtherNested}`]: [
      ['es it', '“a ‘b “c” b’ a”', '«a “b ‘c’ b” a»'],
      ['fr', '“a ‘b “c” b’ a”', '« a “b ‘c’ b” a »'],
    ],
    [reversed]: [['de', '„a ‚b‘ c“', '»a ›b‹ c«']],
  },
  range_indicator: {
    use_en_dash_with_spaces: [[LATIN, '10-20 kg … 555-1234', '10 – 20 kg … 555-1234']],
    use_en_dash_without_space_on_either_side: [[EVERY, '1990 - 1995 … 3-1', '1990–1995 … 3-1']],
    use_en_dash_without_spaces: [
      [EVERY, '10-20 % … 2024-05-06 … 1-800-555', '10–20 % … 2024-05-06 … 1-800-555'],
      [EVERY, 'Boeing 737-800, tel 12-34, 123-456', 'Boeing 737-800, tel 12-34, 123-456'],
      ['en', 'ages 10-12, between 3-5', 'ages 10–12, between 3–5'],
    ],
    use_english_word_to: [
      ['en', '10-20 kg, pages 3-5, 1–3', '10 to 20 kg, pages 3 to 5, 1–3'],
      ['en', 'between 10-20 kg', 'between 10-20 kg'],
    ],
    use_full_width_dash: [['ja zh', '10-20人 … 10-20', '10－20人 … 10-20']],
    use_full_width_wave_dash: [['ja', '10-20人', '10〜20人']],
    use_german_word_bis: [
      ['de', '10–20 kg, 1990-1995, 1:3', '10 bis 20 kg, 1990 bis 1995, 1:3'],
      ['de', 'zwischen 1990–1995', 'zwischen 1990–1995'],
    ],
    use_half_width_dash: [['ja ko zh', '10–20', '10-20']],
    use_hyphen: [[EVERY, '10–20', '10-20']],
    use_hyphen_with_space_on_either_side: [[LATIN, '10–20', '10 - 20']],
    use_hyphen_with_spaces: [[LATIN, '1.5–2.5', '1.5 - 2.5']],
    use_hyphen_without_space_on_either_side: [[EVERY, '10 – 20', '10-20']],
    use_hyphen_without_spaces: [[EVERY, '10 – 20', '10-20']],
    use_japanese_word_から: [['ja', '10-20人、1–3', '10から20人、1–3']],
    use_tilde: [['ja ko zh', '10-20 kg … 1–3', '10~20 kg … 1–3']],
  },
  round_brackets: {
    use_full_width_round_brackets: [
      ['ja zh', '山(川)(abc)', '山（川）(abc)'],
      ['ko', '산(강)', '산（강）'],
    ],
    use_half_width_round_brackets: [['ja ko zh', '山（川）', '山(川)']],
  },
  salutation: {
    use_colon_after_salutation: [
      ['de', 'Sehr geehrte Frau Müller,', 'Sehr geehrte Frau Müller:'],
      ['en', 'Dear Ms. Smith,', 'Dear Ms. Smith:'],
      ['es', 'Estimada señora:', 'Estimada señora:'],
      ['fr', 'Chère Madame,', 'Chère Madame:'],
      ['it', 'Gentile dottoressa,', 'Gentile dottoressa:'],
    ],
    use_comma_after_salutation: [
      ['de', 'Liebe Anna!', 'Liebe Anna,'],
      ['en', 'Dear John:', 'Dear John,'],
      ['en', 'Dear me! What a day:', 'Dear me! What a day:'],
      ['es', 'Querida Ana:', 'Querida Ana,'],
      ['fr', 'Cher Paul!', 'Cher Paul,'],
      ['it', 'Caro Marco!', 'Caro Marco,'],
    ],
    use_exclamation_mark_after_salutation: [
      ['de', 'Hallo Anna,', 'Hallo Anna!'],
      ['en', 'Hello Anna,', 'Hello Anna!'],
      ['es', 'Querida Ana,', 'Querida Ana!'],
      ['fr', 'Chers amis,', 'Chers amis!'],
      ['it', 'Cara Anna,', 'Cara Anna!'],
    ],
  },
  sentence_break_indicator: {
    use_em_dash_with_space_on_either_side: [
      [LATIN, 'ab - cd, c—d, e-f', 'ab — cd, c — d, e-f'],
      [LATIN, 'x - y, git commit -- file', 'x - y, git commit -- file'],
    ],
    use_em_dash_without_space_on_either_side: [[LATIN, 'ab – cd -- ef, 5 - 3', 'ab—cd—ef, 5 - 3']],
    use_en_dash_with_space_on_either_side: [[LATIN, 'a—bc - de', 'a – bc – de']],
  },
  serial_comma: {
    do_not_use: [
      ['en', 'We like red, green, and blue.', 'We like red, green and blue.'],
      ['en', 'I came, I saw, and I won.', 'I came, I saw, and I won.'],
    ],
    use: [
      ['en', 'Colours: red, green and blue.', 'Colours: red, green, and blue.'],
      ['en', 'However, cats and dogs fight.', 'However, cats and dogs fight.'],
      ['en', 'Today, cats and dogs', 'Today, cats and dogs'],
      ['en', 'The Monday, Juan and María arrived.', 'The Monday, Juan and María arrived.'],
      ['en', 'In Paris, Ana and Pedro ate.', 'In Paris, Ana and Pedro ate.'],
      ['en', 'Red, white, blue and green', 'Red, white, blue, and green'],
    ],
  },
  slash: {
    do_not_use_spaces_before_and_after_slashes: [[EVERY, 'aa / bb … 1 / 2', 'aa/bb … 1 / 2']],
    use_spaces_before_and_after_slashes: [[LATIN, 'aa/bb … km/h … c/o', 'aa / bb … km/h … c/o']],
  },
  spacing_and_punctuation: {
    do_not_use_space: [['fr', 'Ça va ? « Oui » : 10:30 !', 'Ça va? «Oui»: 10:30!']],
    use_regular_space: [['fr', 'Ça va? «Oui»: 10:30!', 'Ça va ? « Oui » : 10:30 !']],
  },
};
