import { EVERY, LATIN, type RuleRows } from './row.ts';

const comma = 'use_comma_as_decimal_separator';
const point = 'use_period_as_decimal_separator';
const radio = '_and_period_for_radio_stations';
const grouped = (separator: string): string => `_and_${separator}_as_thousands_separator`;
const noScale = '_and_do_not_specify_temperature_scale';

const pairsOfSigns = (few: boolean): RuleRows[string] => {
  // The rule for the other size leaves these unchanged.
  const [a, b] = few ? ['1', '234'] : ['12', '345'];
  const other = few ? '12,345.6' : '1,234.5';
  return {
    [comma + grouped('period')]: [[LATIN, `${a},${b}.5 … ${other}`, `${a}.${b},5 … ${other}`]],
    [comma + grouped('space')]: [[LATIN, `${a},${b}.5`, `${a} ${b},5`]],
    [`${comma}_period_as_thousands_separator${radio}`]: [
      [LATIN, `${a},${b}.5 … 10.5 MHz`, `${a}.${b},5 … 10.5 MHz`],
    ],
    [`${comma}_space_as_thousands_separator${radio}`]: [[LATIN, `${a},${b}.5`, `${a} ${b},5`]],
    [point + grouped('comma')]: [[LATIN, `${a}.${b},5`, `${a},${b}.5`]],
    [point + grouped('space')]: [[LATIN, `${a}.${b},5`, `${a} ${b}.5`]],
  };
};

export const numberRows: RuleRows = {
  currency_format: {
    use_amount_followed_by_currency_symbol_without_space: [
      [LATIN, '€10, EUR 5, $7', '10€, 5€, 7$'],
      [LATIN, "€1'250.50 … EUR 10 USD 20", "1'250.50€ … EUR 10 USD 20"],
      [LATIN, '€3M, $5K, €5,-', '€3M, $5K, €5,-'],
    ],
    use_amount_followed_by_space_then_currency_symbol: [
      [LATIN, '€10, 5€ … €5-10 … CHF 5', '10 €, 5 € … €5-10 … CHF 5'],
      [LATIN, '€5 000 … €5\u202F000', '€5 000 … 5 000 €'],
    ],
    use_amount_followed_by_space_then_iso_code: [
      [LATIN, '€10, CHF 5, $7', '10 EUR, 5 CHF, $7'],
      ['en', '€5 million', '€5 million'],
    ],
    use_currency_symbol_but_use_iso_code_if_no_symbol_exists: [
      [LATIN, 'EUR 10, 5 GBP, CHF 7', '€10, 5 £, CHF 7'],
    ],
    use_currency_symbol_followed_by_amount_in_arabic_numerals_without_space: [
      ['ja ko zh', '10 € … ¥ 1,000', '€10 … ¥1,000'],
    ],
    use_currency_symbol_followed_by_amount_without_space: [
      [EVERY, '10 €, £ 5', '€10, £5'],
      [EVERY, '5 000 €, 1 250,50 €, 10 € 5', '5 000 €, 1 250,50 €, 10 € 5'],
      [EVERY, '5\u2009000 €', '€5\u2009000'],
    ],
    use_currency_symbol_followed_by_space_then_amount: [[EVERY, '10€, £5', '€ 10, £ 5']],
    use_currency_symbol_followed_by_space_then_amount_in_arabic_numerals: [
      ['ja ko zh', '10€', '€ 10'],
    ],
    use_full_width_currency_symbol_followed_by_amount_without_space: [
      ['ja ko zh', '¥1,000 … €5', '￥1,000 … €5'],
    ],
    use_half_width_currency_symbol_followed_by_amount_without_space: [
      ['ja ko zh', '￥1,000', '¥1,000'],
    ],
    use_half_width_currency_symbol_followed_by_space_then_amount: [
      ['ja ko zh', '￥1,000', '¥ 1,000'],
    ],
    use_iso_code: [[EVERY, '€10, 5 £, $7', 'EUR 10, 5 GBP, $7']],
    use_iso_code_followed_by_space_then_amount: [[EVERY, '10 €, US$5', 'EUR 10, USD 5']],
    use_iso_code_followed_by_space_then_amount_in_arabic_numerals: [['ja ko zh', '10€', 'EUR 10']],
  },
  decimal_numbers_less_than_one: {
    always_use_0_before_decimal_separator: [
      ['en ja ko zh', '.5 mm … 1.5 mm … a.7z', '0.5 mm … 1.5 mm … a.7z'],
      ['en', 'a .45 caliber, a .22 rifle', 'a .45 caliber, a .22 rifle'],
    ],
  },
  decimal_separator: {
    use_comma_and_do_not_use_thousands_separator: [[LATIN, '1,234.5', '1234,5']],
    use_comma_as_decimal_separator: [
      [LATIN, '1,234.5 … 3.5 kg … $3.50', '1.234,5 … 3,5 kg … $3,50'],
      ['en', 'Python 3.11, section 3.5, 1.234, 12,345', 'Python 3.11, section 3.5, 1.234, 12.345'],
      ['de', 'um 10.30 Uhr am 12.05.2024', 'um 10.30 Uhr am 12.05.2024'],
      ['en', '1.5-2.5 kg, 1.5 to 2.5 kg', '1,5-2,5 kg, 1,5 to 2,5 kg'],
    ],
    use_comma_do_not_use_thousands_separator_and_use_period_only_for_radio_stations: [
      [LATIN, '1,234.5 … 101.5 MHz', '1234,5 … 101.5 MHz'],
    ],
    use_period_and_do_not_use_thousands_separator: [[LATIN, '1.234,5', '1234.5']],
    use_period_as_decimal_separator: [
      [LATIN, '1.234,5 … 3,5 kg', '1,234.5 … 3.5 kg'],
      ['de es fr it', '3,5 … 1,234', '3.5 … 1,234'],
    ],
  },
  dimensions_separator: {
    use_multiplication_sign_between_dimensions_with_space_on_either_side: [
      [EVERY, '10x20 cm … 4x4 … 0x10', '10 × 20 cm … 4x4 … 0x10'],
    ],
    use_multiplication_sign_between_dimensions_without_space_on_either_side: [
      [EVERY, '1920 x 1080', '1920×1080'],
    ],
    use_x_between_dimensions_with_space_on_either_side: [[EVERY, '2×3×4 m', '2 x 3 x 4 m']],
    use_x_between_dimensions_without_space_on_either_side: [[EVERY, '10 cm × 5 cm', '10 cmx5 cm']],
  },
  large_sums_of_money: {
    spell_out_italian_words_milione_and_miliardo: [
      ['it', 'Costa 5 mio di euro e 1 mrd.', 'Costa 5 milioni di euro e 1 miliardo.'],
    ],
    use_italian_words_mio_and_mrd_instead_of_italian_words_milione_and_miliardo: [
      ['it', '5 milioni di euro, 2 miliardi', '5 mio euro, 2 mrd'],
    ],
  },
  large_sums_of_money_format: {
    use_amount_followed_by_abbreviation_for_million_or_billion_without_space: [
      ['en', '$5 million and €3.5 billion', '$5m and €3.5bn'],
    ],
    use_amount_followed_by_space_then_abbreviation_for_million_or_billion: [
      ['en', '$5 million', '$5 m'],
    ],
    use_amount_followed_by_space_then_english_word_million_or_billion: [
      ['en', '$5m, £3bn and a 5m rope', '$5 million, £3 billion and a 5m rope'],
    ],
  },
  mathematical_expression_spacing: {
    use_space_between_elements_of_mathematical_expression_or_equation: [
      [EVERY, '2+2=4 … C++11 … 1+1', '2 + 2 = 4 … C++11 … 1+1'],
    ],
  },
  number_format: {
    use_half_width_comma_to_separate_large_numbers_into_units_of_three_except_for_calendar_years_and_use_half_width_period_as_decimal_separator:
      [['ja ko zh', '1，234．5と、2024', '1,234.5と、2024']],
  },
  numbers_up_to_4_digits: pairsOfSigns(true),
  numbers_of_5_digits_or_more: pairsOfSigns(false),
  percentage_format: {
    use_arabic_numerals_followed_by_percent_symbol_without_space: [
      ['ja ko', '5 ％', '5%'],
      ['zh', '百分之5 … 10 %', '5% … 10%'],
      ['zh', '百分之1 000', '百分之1 000'],
      ['zh', '百分之10到20，百分之10到百分之20', '百分之10到20，10%到20%'],
    ],
    use_numerals_followed_by_full_width_percent_symbol_without_space: [
      ['ja zh', '5 %です', '5％です'],
    ],
    use_numerals_followed_by_japanese_word_パーセント_without_space: [
      ['ja', '5%の', '5パーセントの'],
    ],
    use_numerals_followed_by_korean_word_퍼센트: [['ko', '5 %의', '5퍼센트의']],
    use_numerals_followed_by_percent_symbol: [
      ['de', '5 Prozent, 5 Prozentpunkte', '5%, 5 Prozentpunkte'],
      ['en', '5 percent, 10 per cent, 5 %', '5%, 10%, 5%'],
      ['es', 'el 5 por ciento', 'el 5%'],
      ['fr', '5 pour cent', '5%'],
      ['it', 'il 5 per cento', 'il 5%'],
      ['ja', '5パーセント', '5%'],
      ['ko', '5퍼센트', '5%'],
      ['zh', '5 ％', '5%'],
    ],
    use_numerals_followed_by_space_then_german_word_prozent: [
      ['de', '5% und 3,5 %', '5 Prozent und 3,5 Prozent'],
    ],
    use_numerals_followed_by_space_then_half_width_percent_symbol: [['ja ko zh', '5％', '5 %']],
    use_numerals_followed_by_space_then_italian_word_per_cento: [['it', 'il 5%', 'il 5 per cento']],
    use_numerals_followed_by_space_then_italian_word_percento: [['it', 'il 5%', 'il 5 percento']],
    use_numerals_followed_by_space_then_korean_word_퍼센트: [['ko', '5%의', '5 퍼센트의']],
    use_numerals_followed_by_space_then_percent_symbol: [
      [EVERY, '5% … 50%d … %20', '5 % … 50%d … %20'],
    ],
    use_numerals_followed_by_space_then_spell_out_per_cent: [['en', '5%', '5 per cent']],
    use_numerals_followed_by_space_then_spell_out_percent: [
      ['en', '5% or 3.5 %.', '5 percent or 3.5 percent.'],
    ],
    use_spanish_word_por_cien: [['es', 'el 5 %', 'el 5 por cien']],
    use_spanish_word_por_ciento: [['es', 'el 5%', 'el 5 por ciento']],
  },
  spelling_out_units: {
    abbreviate_units_of_measure_when_used_with_numeral_but_spell_out_when_used_without_numeral: [
      ['de', '10 Kilometer und ein Kilometer', '10 km und ein Kilometer'],
      ['en', '10 kilometers, 1 metre, ten metres', '10 km, 1 m, ten metres'],
      ['es', '10 kilómetros', '10 km'],
      ['fr', '10 kilomètres', '10 km'],
      ['it', '10 chilometri', '10 km'],
    ],
    spell_out_units_of_measure_when_used_with_spelled_out_numbers_but_abbreviate_when_used_with_numeral:
      [
        ['de', '5 Gramm', '5 g'],
        ['en', '5 grams', '5 g'],
        ['es', '5 gramos', '5 g'],
        ['fr', '5 grammes', '5 g'],
        ['it', '5 grammi', '5 g'],
      ],
    always_abbreviate_units_of_measure: [
      ['de', '5 Liter', '5 l'],
      ['en', '5 liters', '5 l'],
      ['es', '5 litros', '5 l'],
      ['fr', '5 litres', '5 l'],
      ['it', '5 litri', '5 l'],
    ],
    always_spell_out_units_of_measure: [
      ['de', '10 km', '10 Kilometer'],
      ['en', '10kg, 1 km, 5 m/s, $5m', '10 kilograms, 1 kilometer, 5 m/s, $5m'],
      ['en', 'EUR 5 m, € 5 m', 'EUR 5 m, € 5 m'],
      ['es', '10 cm', '10 centímetros'],
      ['fr', '1,5 l et 2 l', '1,5 litre et 2 litres'],
      ['it', '10 kg', '10 chilogrammi'],
    ],
  },
  temperature_format: {
    spell_out_unit: [
      ['de', '20°C', '20 Grad Celsius'],
      ['en', '1 °C and -5.5 °F', '1 degree Celsius and -5.5 degrees Fahrenheit'],
      ['es', '20 °C', '20 grados Celsius'],
      ['fr', '20 °C', '20 degrés Celsius'],
      ['it', '20 °C', '20 gradi Celsius'],
    ],
    use_arabic_numerals_followed_by_space_then_spell_out_unit: [
      ['de', '20 °C', '20 Grad Celsius'],
      ['en', '20℃', '20 degrees Celsius'],
      ['es', '20℃', '20 grados Celsius'],
      ['fr', '20℃', '20 degrés Celsius'],
      ['it', '20℃', '20 gradi Celsius'],
    ],
    use_numerals_followed_by_space_then_spell_out_unit: [
      ['de', '20℉', '20 Grad Fahrenheit'],
      ['en', '20℉', '20 degrees Fahrenheit'],
      ['es', '20℉', '20 grados Fahrenheit'],
      ['fr', '20℉', '20 degrés Fahrenheit'],
      ['it', '20℉', '20 gradi Fahrenheit'],
    ],
    use_arabic_numerals_followed_by_unit_symbol_without_space: [[EVERY, '20 °C', '20°C']],
    use_numerals_followed_by_unit_symbol_without_space: [
      [EVERY, '20 ℃', '20°C'],
      ['en', '20 degrees Celsius, 45 degrees', '20°C, 45 degrees'],
    ],
    use_numerals_followed_by_space_then_unit_symbol: [
      [EVERY, '20°C', '20 °C'],
      ['de', '20 Grad Celsius', '20 °C'],
    ],
    use_numerals_followed_by_japanese_word_度_without_space: [
      ['ja', '気温は20 °Cです', '気温は20度です'],
    ],
    use_numerals_followed_by_korean_word_도: [['ko', '20°C입니다', '20도입니다']],
    [`use_italian_word_grado${noScale}`]: [['it', '20°C e 1°C', '20 gradi e 1 grado']],
    [`use_spanish_word_grado${noScale}`]: [['es', '20 °C', '20 grados']],
  },
  thousands_separator: {
    do_not_use: [[LATIN, '1,234,567.8', '1234567.8']],
    do_not_use_thousands_separator: [[LATIN, '1.234.567,8', '1234567,8']],
    use_comma: [[LATIN, '1.234.567', '1,234,567']],
    use_comma_to_separate_large_numbers_into_units_of_three: [[LATIN, "1'234'567", '1,234,567']],
    use_period: [[LATIN, '1,234,567', '1.234.567']],
    use_period_as_thousands_separator: [
      [LATIN, '1,234,567 in 1234567', '1.234.567 in 1234567'],
      ['en', '1,234.5', '1,234.5'],
    ],
    use_space: [
      [LATIN, '1,234,567', '1 234 567'],
      ['de', '1.234 am 12.05.2024', '1 234 am 12.05.2024'],
    ],
    use_space_as_thousands_separator: [[LATIN, '1,234,567.5', '1 234 567.5']],
    use_space_to_separate_large_numbers_into_units_of_three: [
      [LATIN, '1.234.567,5', '1 234 567,5'],
    ],
    use_straight_apostrophe_as_thousands_separator: [[LATIN, '1,234,567.5', "1'234'567.5"]],
  },
  units_of_measure_spacing: {
    do_not_use_space_between_numeral_and_unit_of_measure: [
      [EVERY, '10 kg … 5.5 km', '10kg … 5.5km'],
      ['fr', "10 l'eau", "10 l'eau"],
    ],
    use_space_between_numeral_and_unit_of_measure: [
      [EVERY, '10kg … 10km/h', '10 kg … 10 km/h'],
      ['en', '$10m, the 90s, 5G, A4kg', '$10m, the 90s, 5G, A4kg'],
    ],
  },
  use_of_hiragana_and_kanji: {
    use_hiragana_japanese_word_か所_or_か月_when_using_arabic_numerals_in_horizontal_writing_but_use_kanji_japanese_word_箇所_or_箇月_when_using_kanji_numbers:
      [['ja', '3ヶ月と三か月、2カ所', '3か月と三箇月、2か所']],
  },
  writing_numbers: {
    use_full_width_arabic_numerals_and_only_use_kanji_numbers_where_it_would_otherwise_sound_unnatural:
      [
        ['ja', '3人とMP3と1,000円', '３人とMP3と1,000円'],
        [
          'ja',
          '日時：2024年3月5日（10～20人、は 5人）',
          '日時：２０２４年３月５日（１０～２０人、は ５人）',
        ],
        ['ja', 'iPhone 15を', 'iPhone 15を'],
      ],
    use_half_width_arabic_numerals_and_only_use_kanji_numbers_where_it_would_otherwise_sound_unnatural:
      [['ja', '３人と１２個', '3人と12個']],
  },
  zero_format: {
    use_chinese_word_〇_for_numbering: [['zh', '二零二四年，零度', '二〇二四年，零度']],
  },
};
