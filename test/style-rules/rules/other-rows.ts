import { EVERY, type RuleRows } from './row.ts';

const separate = 'separate_country_code_area_code_local_prefix_and_last_four_digits_with_';

const formatting: RuleRows = {
  email_address_format: {
    use_standard_format: [[EVERY, 'jane@example.org', 'jane@example.org']],
  },
  phone_number_country_code_format: {
    use_00_before_country_code: [
      [EVERY, '+49 30 123456 … +5', '0049 30 123456 … +5'],
      [EVERY, '+100 200 300 400, +250 300 400', '+100 200 300 400, +250 300 400'],
    ],
    use_plus_sign_before_country_code: [
      [EVERY, '0049 30 123456 … 00491234567', '+49 30 123456 … 00491234567'],
    ],
  },
  phone_number_format: {
    do_not_use_spaces: [[EVERY, '+49 30 123-456 … 10 20', '+4930123-456 … 10 20']],
    do_not_use_spaces_or_special_characters_between_digits_of_phone_number: [
      [EVERY, '+1 (212) 555-0123', '+12125550123'],
      [EVERY, '+49 (0)30 123456 … +39 (06) 123456', '+4930123456 … +3906123456'],
    ],
    keep_original_format: [[EVERY, '+1 (212) 555-0123', '+1 (212) 555-0123']],
    [`${separate}hyphens`]: [
      ['en', '+1 (212) 555 0123, +49 30 12345678', '+1-212-555-0123, +49 30 12345678'],
    ],
    [`${separate}periods`]: [['en', '+1 212 555 0123', '+1.212.555.0123']],
    [`${separate}spaces`]: [['en', '+1-212-555-0123', '+1 212 555 0123']],
    use_space_after_country_code: [
      [EVERY, '+4930123456 … +353-1-2345678', '+49 30123456 … +353 1-2345678'],
    ],
  },
  space_between_arabic_numerals_and_unit: {
    do_not_use: [
      ['ja ko zh', '10 kg', '10kg'],
      ['zh', '10 公里', '10公里'],
    ],
  },
  space_between_chinese_and_english: { do_not_use: [['zh', '我用 Mac 电脑 3', '我用Mac电脑 3']] },
  space_between_chinese_characters_and_arabic_numerals: {
    do_not_use: [['zh', '第 3 章 A', '第3章 A']],
  },
};

const spelling: RuleRows = {
  abbreviating_french_word_numero: {
    abbreviate_as_n_then_degree_symbol: [
      ['fr', 'le no 5, nº 6, N° 7, no.', 'le n° 5, n° 6, N° 7, no.'],
    ],
    abbreviate_as_n_then_o_in_superscript: [['fr', 'le n°5', 'le nᵒ 5']],
    abbreviate_as_no: [['fr', 'le n° 5', 'le no 5']],
  },
  accents_and_cedillas: {
    do_not_use_on_capital_letters: [['fr', 'École, ÉTÉ, Ça, été', 'Ecole, ETE, Ca, été']],
    never_use: [['fr', 'École, ça, été, œuvre', 'Ecole, ca, ete, œuvre']],
  },
  accents_in_verbs_conjugated_like_french_word_céder: {
    use_acute_accent: [
      ['fr', 'il cèdera, nous répèterons, il cède', 'il cédera, nous répéterons, il cède'],
    ],
    use_grave_accent: [
      ['fr', 'il cédera, tu préférerais, céder', 'il cèdera, tu préfèrerais, céder'],
    ],
  },
  accents_with_subject_verb_inversion: {
    use_acute_accent: [['fr', 'aimè-je, ai-je', 'aimé-je, ai-je']],
    use_grave_accent: [['fr', 'aimé-je', 'aimè-je']],
  },
  eszett: { replace_eszett_with_ss: [['de', 'Straße, STRAẞE', 'Strasse, STRASSE']] },
  informal_address_pronouns: {
    capitalize_informal_address_pronouns: [
      ['de', 'Hast du dein Buch? Das dunkle.', 'Hast Du Dein Buch? Das dunkle.'],
    ],
    do_not_capitalize_informal_address_pronouns: [
      ['de', 'Du hast Dein Buch. Du auch.', 'Du hast dein Buch. Du auch.'],
    ],
  },
  latin_abbreviations: {
    do_not_use_latin_abbreviations: [
      [
        'en',
        'Fruit, e.g. apples, i.e., food, etc. It is so. Cf. pears, etc.',
        'Fruit, for example, apples, that is, food, and so on. It is so. Compare pears, and so on.',
      ],
    ],
  },
  personal_titles: {
    abbreviate: [['en', 'Doctor Smith and the doctor', 'Dr. Smith and the doctor']],
    do_not_abbreviate: [
      ['en', 'Dr. Smith, Mr Jones, Dr.', 'Doctor Smith, Mister Jones, Dr.'],
      [
        'en',
        'Dear Dr. Smith, 12 Mulholland Dr. Los Angeles',
        'Dear Doctor Smith, 12 Mulholland Dr. Los Angeles',
      ],
    ],
  },
  spanish_word_solo: {
    never_use_acute_accent: [['es', 'Sólo eso, SÓLO, insólito', 'Solo eso, SOLO, insólito']],
  },
  umlauts: {
    replace_umlauts_with_ae_oe_ue: [['de', 'Über ÄRGER, Öl, müde', 'Ueber AERGER, Oel, muede']],
  },
};

/** Rules of the smaller categories. */
export const otherRows = { formatting, spelling };
