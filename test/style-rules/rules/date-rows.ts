import { EVERY, LATIN, type RuleRows } from './row.ts';

const clock12 = 'use_12_hour_clock_and_';
const noon = '_except_use_noon_and_midnight_instead_of_12_am_and_12_pm';
const plain12 =
  'use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_';
const chinese12 =
  'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals';
const uhr = 'mm_german_word_uhr_with';

export const dateRows: RuleRows = {
  calendar_era: {
    use_bc_and_ad: [
      ['en', 'In 44 BCE and 79 CE, with a CE mark.', 'In 44 BC and AD 79, with a CE mark.'],
      ['en', 'the 5th century BCE', 'the 5th century BC'],
      ['en', 'from 50 to 100 CE, 300 CE marks', 'from 50 to 100 CE, 300 CE marks'],
    ],
    use_bce_and_ce: [
      ['en', 'It was in 44 BC, AD 79 and 300 B.C.', 'It was in 44 BCE, 79 CE and 300 BCE.'],
      ['en', '300 AD users, 12 BC schools, AD 79–85', '300 AD users, 12 BC schools, AD 79–85'],
      ['en', 'the BC government', 'the BC government'],
    ],
  },
  centuries: {
    spell_out: [
      ['en', 'the 19th century on the 19th floor', 'the nineteenth century on the 19th floor'],
      ['en', 'the 15th and early 16th centuries', 'the 15th and early 16th centuries'],
    ],
    use_numerals: [['en', 'a twenty-first-century idea', 'a 21st-century idea']],
    use_arabic_numerals: [
      ['es', 'en el siglo XIX', 'en el siglo 19'],
      ['es', 'siglos XV y XVI, siglos XV-XVI', 'siglos XV y XVI, siglos XV-XVI'],
      ['fr', 'au XIXe siècle', 'au 19e siècle'],
      [
        'fr',
        'du XVe au XVIe siècle, XVe et XVIe siècles',
        'du XVe au XVIe siècle, XVe et XVIe siècles',
      ],
      ['it', 'nel XIX secolo', 'nel 19º secolo'],
      ['it', 'I secoli passano.', 'I secoli passano.'],
    ],
    use_roman_numerals: [
      ['es', 'en el siglo 21', 'en el siglo XXI'],
      ['fr', 'au 1er siècle', 'au Ier siècle'],
      ['it', 'nel 18° secolo', 'nel XVIII secolo'],
      ['it', 'tra il 15º e il 16º secolo', 'tra il 15º e il 16º secolo'],
    ],
  },
  date_format: {
    use_dd_period_mm_period_yy_with_leading_zeros_for_single_digit_days_and_months: [
      ['de', 'am 5. Mai 2024, am 5. Mai 1824', 'am 05.05.24, am 05.05.1824'],
      ['it', 'il 5/12/2024', 'il 05.12.24'],
    ],
    use_dd_period_mm_period_yyyy: [['de it', '05/12/2024 … 2024-12-05', '05.12.2024 … 05.12.2024']],
    use_dd_period_mm_period_yyyy_with_leading_zeros_for_single_digit_days_and_months: [
      ['de', 'am 5. Mai 2024 und am 2024-06-07', 'am 05.05.2024 und am 07.06.2024'],
      ['it', 'il 5 maggio 2024', 'il 05.05.2024'],
      ['de', 'Adresse 1.2.2024.5', 'Adresse 1.2.2024.5'],
      ['de', 'am 3. und 5. Mai 2024', 'am 3. und 5. Mai 2024'],
      ['de', 'vom 5. Mai 2024 bis zum 7. Juni 2024', 'vom 05.05.2024 bis zum 07.06.2024'],
      ['it', 'dal 3 al 5 maggio 2024', 'dal 3 al 5 maggio 2024'],
    ],
    use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period_mai_jun_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
      [['de', 'am 05.03.2024', 'am 5. Mrz. 2024']],
    use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period_mai_juni_juli_aug_period_sept_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
      [['de', 'am 5. September 2024', 'am 5. Sept. 2024']],
    use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days: [
      ['de', 'am 05.10.2024', 'am 5. Oktober 2024'],
      ['de', '3.5.–7.5.2024, am 3. und 5.5.2024', '3.5.–7.5.2024, am 3. und 5.5.2024'],
    ],
    use_dd_slash_mm_slash_yyyy: [
      ['en', 'on 20.05.2024 (not 5.6.2024)', 'on 20/05/2024 (not 5.6.2024)'],
      ['es fr it', '05.06.2024', '05/06/2024'],
    ],
    use_dd_slash_mm_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months: [
      ['en', 'on May 5, 2024', 'on 05/05/2024'],
      ['en', 'the 3rd to 5 May 2024, 3–5 May 2024', 'the 3rd to 5 May 2024, 3–5 May 2024'],
      ['en', 'May 3 to May 5, 2024 and 2025', 'May 3 to May 5, 2024 and 2025'],
      ['en', '15:30, 5 May 2024–7 May 2024', '15:30, 05/05/2024–07/05/2024'],
      ['es', 'el 5 de mayo de 2024', 'el 05/05/2024'],
      ['es', 'del 3 al 5 de mayo de 2024', 'del 3 al 5 de mayo de 2024'],
      ['es', 'del 3 de mayo al 5 de mayo de 2024', 'del 3 de mayo al 5 de mayo de 2024'],
      [
        'fr',
        'du 3 au 5 mai 2024, le 3 et le 5 mai 2024',
        'du 3 au 5 mai 2024, le 3 et le 5 mai 2024',
      ],
      ['fr', 'le 1er mai 2024', 'le 01/05/2024'],
      ['it', 'il 5 maggio 2024', 'il 05/05/2024'],
    ],
    use_dd_space_spelled_out_month_space_yyyy: [
      ['en', 'On Sunday, May 5th, 2024, and 2024-06-07', 'On Sunday, 5 May 2024, and 7 June 2024'],
      ['es', 'el 05/09/2024', 'el 5 de septiembre de 2024'],
      ['fr', 'le 01/05/2024', 'le 1er mai 2024'],
      ['it', 'il 05-05-2024', 'il 5 maggio 2024'],
    ],
    use_dd_space_spelled_out_month_space_yyyy_without_leading_zeros_for_single_digit_days: [
      ['en', 'on 05 May 2024', 'on 5 May 2024'],
      ['es', 'el 05 de mayo de 2024', 'el 5 de mayo de 2024'],
      ['fr', 'le 05 mai 2024', 'le 5 mai 2024'],
      ['it', 'il 05 maggio 2024', 'il 5 maggio 2024'],
    ],
    use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month: [
      ['es', 'el 5 de setiembre de 2024', 'el 5 de septiembre de 2024'],
    ],
    use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_setiembre_for_ninth_month: [
      ['es', 'el 05/09/2024', 'el 5 de setiembre de 2024'],
    ],
    use_mm_slash_dd_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months: [
      ['en', 'on 5 May 2024, not 5/6/2024', 'on 05/05/2024, not 5/6/2024'],
    ],
    use_spelled_out_month_space_dd_comma_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month:
      [['es', 'el 05/09/2024', 'el septiembre 5, 2024']],
    use_spelled_out_month_space_dd_comma_space_yyyy_without_leading_zeros_for_single_digit_days: [
      ['en', 'on 05 Dec. 2024', 'on December 5, 2024'],
      ['en', 'on 25/12/2024', 'on December 25, 2024'],
    ],
    use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_with_chinese_numbers: [
      ['zh', '2024年5月20日', '二〇二四年五月二十日'],
    ],
    use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_without_leading_zero_for_single_digit_months_and_days:
      [['ja zh', '2024-05-06', '2024年5月6日']],
    use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for_single_digit_days_and_months: [
      ['de', 'am 5. Mai 2024', 'am 2024-05-05'],
      ['en', 'on May 5, 2024', 'on 2024-05-05'],
      ['es', 'el 5 de mayo de 2024', 'el 2024-05-05'],
      ['fr', 'le 5/5/2024', 'le 2024-05-05'],
      ['it', 'il 5 maggio 2024', 'il 2024-05-05'],
      ['ja zh', '2024年5月6日', '2024-05-06'],
      ['ja', '2024年5月3日〜5日', '2024年5月3日〜5日'],
      ['ko', '2024년 5월 6일', '2024-05-06'],
    ],
    use_yyyy_hyphen_mm_hyphen_dd_with_leading_zeros_for_single_digit_days_and_months: [
      [EVERY, '2024/5/6', '2024-05-06'],
    ],
    'use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일_without_leading_zero_for_single_digit_days_and_months':
      [['ko', '2024-05-06까지', '2024년 5월 6일까지']],
    use_yyyy_period_mm_period_dd: [['ja ko zh', '2024/05/06', '2024.05.06']],
    use_yyyy_period_space_mm_period_space_dd_period_space_without_leading_zero_for_single_digit_days_and_months:
      [['ko', '2024년 5월 6일', '2024. 5. 6.']],
    use_yyyy_slash_mm_slash_dd: [['ja ko zh', '2024.05.06', '2024/05/06']],
    use_yyyy_slash_mm_slash_dd_with_leading_zero_for_single_digit_days_and_months: [
      ['ja ko zh', '2024-5-6', '2024/05/06'],
    ],
  },
  writing_dates: {
    use_dd_space_spelled_out_month_space_yyyy: [
      ['en', 'on 2024-05-06', 'on 6 May 2024'],
      ['es', 'el 06/05/2024', 'el 6 de mayo de 2024'],
      ['fr', 'le 06/05/2024', 'le 6 mai 2024'],
      ['it', 'il 06/05/2024', 'il 6 maggio 2024'],
    ],
    use_numerals: [
      ['es', 'el 6 de mayo de 2024', 'el 6/5/2024'],
      ['fr', 'le 6 mai 2024', 'le 6/5/2024'],
      ['it', 'il 6 maggio 2024', 'il 6/5/2024'],
    ],
  },
  dates_in_numerical_form: {
    use_dd_hyphen_mm_hyphen_yyyy: [['de es fr it', '05/12/2024', '05-12-2024']],
    use_dd_period_mm_period_yyyy: [['de es fr it', '5/12/2024', '5.12.2024']],
    use_dd_slash_mm_slash_yyyy: [['de es fr it', '05.12.2024', '05/12/2024']],
  },
  single_digit_days_and_months: {
    do_not_use_leading_zero: [
      ['de es fr it', '05/06/2024', '5/6/2024'],
      ['en', '05 May 2024 and 05/20/2024', '5 May 2024 and 5/20/2024'],
      ['ja ko zh', '2024/05/06', '2024/5/6'],
      [EVERY, '2024-05-06', '2024-05-06'],
    ],
    use_leading_zero: [
      ['de es fr it', '5.6.2024', '05.06.2024'],
      ['en', '5/20/2024', '05/20/2024'],
      ['ja ko zh', '2024/5/6', '2024/05/06'],
    ],
  },
  decades: {
    use_apostrophe_yy: [
      ['en', 'the 1990s, the 1890s, the 1900s', 'the ’90s, the 1890s, the 1900s'],
    ],
    use_yy_for_20th_century_but_yyyy_for_other_centuries: [
      ['en', 'the 1990s and the 2010s', 'the 90s and the 2010s'],
    ],
    use_yy_without_apostrophe: [['en', "the 1980s and the '90s", 'the 80s and the 90s']],
  },
  years: {
    use_common_era: [
      ['ja', '令和6年と平成元年、昭和99年', '2024年と1989年、昭和99年'],
      ['ja', '昭和50年代', '昭和50年代'],
    ],
    use_japanese_imperial_era: [
      ['ja', '2024年と1985年、2019年、1995年間', '令和6年と昭和60年、2019年、1995年間'],
      ['ja', '2024–2025年', '2024–2025年'],
      ['ja', '1990年代、2000年前、2000年以前', '1990年代、2000年前、平成12年以前'],
    ],
  },
  hours_minutes_seconds_separator: {
    use_period: [[LATIN, '10:20:30', '10.20.30']],
    use_colon: [['de', '10.20.30 Uhr, 10.12.15', '10:20:30 Uhr, 10.12.15']],
  },
  hours_minutes_separator: {
    use_colon_without_spaces: [['fr', 'à 10h30 et 11 h 05', 'à 10:30 et 11:05']],
    use_letter_h_with_regular_space_on_either_side: [
      ['fr', 'de 9 à 10h30', 'de 9 à 10h30'],
      ['fr', 'à 10:30, dès 11h05, Jean 3:16', 'à 10 h 30, dès 11 h 05, Jean 3:16'],
    ],
    use_letter_h_without_spaces: [['fr', 'à 10:30 et 11 h 05', 'à 10h30 et 11h05']],
  },
  single_digit_hours: {
    do_not_use_leading_zero: [
      ['de', 'um 09:30', 'um 9:30'],
      ['en', 'at 09:30', 'at 9:30'],
      ['es', 'a las 09:30', 'a las 9:30'],
      ['fr', 'à 09h30', 'à 9h30'],
      ['it', 'alle 09:30', 'alle 9:30'],
    ],
    use_leading_zero: [
      ['de', '9.30 Uhr', '09.30 Uhr'],
      ['en', 'at 9:30 (9:30 p.m., 3:2)', 'at 09:30 (9:30 p.m., 3:2)'],
      ['es', 'a las 9:30', 'a las 09:30'],
      ['fr', 'à 9 h 30', 'à 09 h 30'],
      ['it', 'alle 9:30', 'alle 09:30'],
    ],
  },
  time_format: {
    [`${clock12}lowercase_am_or_pm_with_periods`]: [
      [
        'en',
        'At 15:30, 3PM, at 9:30 or at 09:30. We meet at 10:30 tonight.',
        'At 3:30 p.m., 3 p.m., at 9:30 or at 9:30 a.m. We meet at 10:30 tonight.',
      ],
      ['en', 'It ends at 3 PM. It rains.', 'It ends at 3 p.m. It rains.'],
    ],
    [`${clock12}lowercase_am_or_pm_with_periods${noon}`]: [
      ['en', 'by 12 PM or 12:30 PM', 'by noon or 12:30 p.m.'],
    ],
    [`${clock12}lowercase_am_or_pm_without_periods`]: [
      ['en', 'It is 3 p.m. We go at 4 p.m. Monday.', 'It is 3 pm. We go at 4 pm Monday.'],
      ['en', '9 a.m.–5 p.m.', '9 am–5 pm'],
      ['en', 'Opening hours until 5 p.m.', 'Opening hours until 5 p.m.'],
    ],
    [`${clock12}lowercase_am_or_pm_without_periods${noon}`]: [
      ['en', '12:00 a.m. today', 'midnight today'],
    ],
    [`${clock12}uppercase_am_or_pm_with_periods`]: [['en', '3:05 pm', '3:05 P.M.']],
    [`${clock12}uppercase_am_or_pm_with_periods${noon}`]: [['en', '12pm or 1pm', 'noon or 1 P.M.']],
    [`${clock12}uppercase_am_or_pm_without_periods`]: [['en', 'since 16:05', 'since 4:05 PM']],
    [`${clock12}uppercase_am_or_pm_without_periods${noon}`]: [
      ['en', '12 a.m. or 1 a.m. today', 'midnight or 1 AM today'],
    ],
    [`${plain12}lowercase_am_or_pm_without_periods`]: [
      ['en', '03:00 PM, 3.15 PM', '3 pm, 3:15 pm'],
    ],
    [`${plain12}uppercase_am_or_pm_without_periods`]: [['en', 'at 15:00', 'at 3 PM']],
    use_12_hour_clock_without_leading_zero_use_period_as_separator_and_lowercase_am_or_pm_with_periods_and_spaces:
      [['es', 'A las 15:30.', 'A las 3.30 p. m.']],
    [chinese12]: [
      ['zh', '下午3点30分', '下午3:30'],
      ['zh', '晚上12点30分，傍晚6点30分，晚上11点半', '晚上12点30分，傍晚6点30分，下午11:30'],
    ],
    [`${chinese12}_with_chinese_word_点_for_hours`]: [
      ['zh', '15点30分，3点意见', '下午3点30分，3点意见'],
    ],
    [`${chinese12}_with_chinese_words_时_and_分_for_hours_and_minutes`]: [
      ['zh', '上午9:05', '上午9时5分'],
    ],
    use_12_hour_clock_with_korean_words_시_and_분: [
      ['ko', '15:30에 3시간', '오후 3시 30분에 3시간'],
      ['ko', '밤 11시에, 밤 11:30에, 오후 3시 반에', '밤 11시에, 밤 11:30에, 오후 3시 30분에'],
    ],
    use_24_hour_clock_with_korean_words_시_and_분: [['ko', '오후 3시', '15시']],
    use_24_hour_clock: [
      ['en', '3:30 pm or 9 a.m. today', '15:30 or 09:00 today'],
      ['en', 'from 9 a.m. to 5 pm', 'from 09:00 to 17:00'],
      ['en', '9 to 5 p.m., 2–4 pm, 10 and 11 am', '9 to 5 p.m., 2–4 pm, 10 and 11 am'],
      ['en', 'from 8:30 to 10 p.m. today', 'from 8:30 to 10 p.m. today'],
      ['es', 'a las 3:30 p. m. de hoy', 'a las 15:30 de hoy'],
      ['ja', '午後3時30分と3時間', '15:30と3時間'],
      ['ja', '午後3時から10時', '午後3時から10時'],
      ['ja', '夜の11時に、午後3時5分前、午後3時半に', '夜の11時に、午後3時5分前、15:30に'],
      ['ko', '오후 3시 30분', '15:30'],
      ['zh', '下午3点', '15:00'],
      ['zh', '晚上1点。晚上9点。上午12点。', '晚上1点。21:00。上午12点。'],
      ['zh', '下午3点半，下午3点一刻', '15:30，下午3点一刻'],
    ],
    use_24_hour_clock_with_arabic_numerals_and_colon: [
      ['ja', '午前9時5分', '9:05'],
      ['ko', '오전 9시 5분', '9:05'],
      ['zh', '上午9点5分', '9:05'],
    ],
    use_24_hour_clock_with_colon_as_separator: [
      ['en', '3.30 PM', '15:30'],
      ['es', '15.30 h', '15:30'],
      ['it', 'alle 15:30', 'alle 15:30'],
      ['ko', '오후 3시', '15:00'],
    ],
    use_24_hour_clock_with_period_as_separator: [
      ['en', 'at 15:30', 'at 15.30'],
      ['es', 'a las 15:30', 'a las 15.30'],
      ['it', 'alle 15:30', 'alle 15.30'],
    ],
    [`use_hh_colon_${uhr}_leading_zeros_for_single_digit_hours`]: [
      ['de', 'um 9.05 Uhr', 'um 09:05 Uhr'],
      ['de', 'zwischen 9.30 und 10.30 Uhr', 'zwischen 9.30 und 10.30 Uhr'],
    ],
    [`use_hh_colon_${uhr}out_leading_zeros_for_single_digit_hours`]: [
      ['de', 'um 09:05', 'um 9:05 Uhr'],
    ],
    [`use_hh_period_${uhr}_leading_zeros_for_single_digit_hours`]: [
      ['de', '9:05 Uhr', '09.05 Uhr'],
    ],
    [`use_hh_period_${uhr}out_leading_zeros_for_single_digit_hours`]: [
      ['de', '09:05 Uhr', '9.05 Uhr'],
    ],
    [`use_hh_period_${uhr}out_leading_zeros_for_single_digit_hours_and_for_full_hours_state_hour_only`]:
      [['de', 'um 09:00 Uhr oder um 15:30', 'um 9 Uhr oder um 15.30 Uhr']],
  },
};
