/**
 * The catalogue of style rules that a list can configure. It is the union over all languages; a
 * rule that does not apply to a language has no effect in it.
 */
import type { styleLanguages } from '../language.ts';
import { numbers } from './numbers.ts';
import { punctuation } from './punctuation.ts';

export const styleRuleCategories = [
  'dates_and_times',
  'formatting',
  'numbers',
  'punctuation',
  'spelling_and_grammar',
  'style_and_tone',
  'vocabulary',
] as const;

export type StyleRuleCategory = (typeof styleRuleCategories)[number];

/** The options of each rule, by category and rule. */
type StyleRuleCatalogue = Readonly<
  Record<StyleRuleCategory, Readonly<Record<string, readonly string[]>>>
>;

/** A language of style rule lists; each includes its variants. */
export type StyleRuleLanguage = (typeof styleLanguages)[number];

/** The chosen option of each rule, by category and rule. */
export type ConfiguredRules = Partial<Record<StyleRuleCategory, Record<string, string>>>;

/** Rules for dates and times with their options, named as in the public API. */
const datesAndTimes = {
  calendar_era: ['use_bc_and_ad', 'use_bce_and_ce'],
  centuries: ['spell_out', 'use_arabic_numerals', 'use_numerals', 'use_roman_numerals'],
  date_format: [
    'use_dd_period_mm_period_yy_with_leading_zeros_for_single_digit_days_and_months',
    'use_dd_period_mm_period_yyyy',
    'use_dd_period_mm_period_yyyy_with_leading_zeros_for_single_digit_days_and_months',
    'use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period_mai_jun_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days',
    'use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period_mai_juni_juli_aug_period_sept_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days',
    'use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days',
    'use_dd_slash_mm_slash_yyyy',
    'use_dd_slash_mm_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months',
    'use_dd_space_spelled_out_month_space_yyyy',
    'use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month',
    'use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_setiembre_for_ninth_month',
    'use_dd_space_spelled_out_month_space_yyyy_without_leading_zeros_for_single_digit_days',
    'use_historical_eras_and_write_numbers_in_chinese_followed_by_chinese_word_公元前_or_公元后_with_arabic_numerals_in_parentheses',
    'use_mm_slash_dd_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months',
    'use_numerals_only_with_leading_zero_for_single_digits',
    'use_numerals_only_without_leading_zero_for_single_digits',
    'use_spelled_out_month_space_dd_comma_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month',
    'use_spelled_out_month_space_dd_comma_space_yyyy_without_leading_zeros_for_single_digit_days',
    'use_traditional_calendar_system_with_chinese_numbers',
    'use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_with_chinese_numbers',
    'use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_without_leading_zero_for_single_digit_months_and_days',
    'use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for_single_digit_days_and_months',
    'use_yyyy_hyphen_mm_hyphen_dd_with_leading_zeros_for_single_digit_days_and_months',
    'use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일_without_leading_zero_for_single_digit_days_and_months',
    'use_yyyy_period_mm_period_dd',
    'use_yyyy_period_space_mm_period_space_dd_period_space_without_leading_zero_for_single_digit_days_and_months',
    'use_yyyy_slash_mm_slash_dd',
    'use_yyyy_slash_mm_slash_dd_with_leading_zero_for_single_digit_days_and_months',
  ],
  dates_in_numerical_form: [
    'use_dd_hyphen_mm_hyphen_yyyy',
    'use_dd_period_mm_period_yyyy',
    'use_dd_slash_mm_slash_yyyy',
  ],
  decades: [
    'spell_out',
    'use_apostrophe_yy',
    'use_yy_for_20th_century_but_yyyy_for_other_centuries',
    'use_yy_without_apostrophe',
    'use_yyyy',
  ],
  hours_minutes_seconds_separator: ['use_colon', 'use_period'],
  hours_minutes_separator: [
    'use_colon_without_spaces',
    'use_letter_h_with_regular_space_on_either_side',
    'use_letter_h_without_spaces',
  ],
  midnight_in_numerals: ['use_00_00', 'use_24_00'],
  single_digit_days_and_months: ['do_not_use_leading_zero', 'use_leading_zero'],
  single_digit_hours: ['do_not_use_leading_zero', 'use_leading_zero'],
  time_format: [
    'spell_out_time_in_words',
    'use_12_hour_clock_and_do_not_specify_morning_or_evening',
    'use_12_hour_clock_and_lowercase_am_or_pm_with_periods',
    'use_12_hour_clock_and_lowercase_am_or_pm_with_periods_except_use_noon_and_midnight_instead_of_12_am_and_12_pm',
    'use_12_hour_clock_and_lowercase_am_or_pm_without_periods',
    'use_12_hour_clock_and_lowercase_am_or_pm_without_periods_except_use_noon_and_midnight_instead_of_12_am_and_12_pm',
    'use_12_hour_clock_and_specify_morning_or_evening',
    'use_12_hour_clock_and_uppercase_am_or_pm_with_periods',
    'use_12_hour_clock_and_uppercase_am_or_pm_with_periods_except_use_noon_and_midnight_instead_of_12_am_and_12_pm',
    'use_12_hour_clock_and_uppercase_am_or_pm_without_periods',
    'use_12_hour_clock_and_uppercase_am_or_pm_without_periods_except_use_noon_and_midnight_instead_of_12_am_and_12_pm',
    'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals',
    'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals_with_chinese_word_点_for_hours',
    'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals_with_chinese_words_时_and_分_for_hours_and_minutes',
    'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_chinese_numbers_with_chinese_words_时_and_分_for_hours_and_minutes',
    'use_12_hour_clock_with_arabic_numerals_and_colon',
    'use_12_hour_clock_with_korean_words_시_and_분',
    'use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_lowercase_am_or_pm_without_periods',
    'use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_uppercase_am_or_pm_without_periods',
    'use_12_hour_clock_without_leading_zero_use_period_as_separator_and_lowercase_am_or_pm_with_periods_and_spaces',
    'use_24_hour_clock',
    'use_24_hour_clock_with_arabic_numerals_and_colon',
    'use_24_hour_clock_with_colon_as_separator',
    'use_24_hour_clock_with_korean_words_시_and_분',
    'use_24_hour_clock_with_period_as_separator',
    'use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours',
    'use_hh_colon_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours',
    'use_hh_period_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours',
    'use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours',
    'use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours_and_for_full_hours_state_hour_only',
  ],
  writing_dates: ['use_dd_space_spelled_out_month_space_yyyy', 'use_numerals'],
  years: ['use_apostrophe_yy', 'use_common_era', 'use_japanese_imperial_era', 'use_yyyy'],
} as const;

/** Rules for formatting with their options, named as in the public API. */
const formatting = {
  email_address_format: [
    'place_domain_in_parentheses',
    'replace_at_symbol_with_english_word_at_in_brackets_and_replace_periods_with_english_word_dot_in_brackets',
    'replace_at_symbol_with_english_word_at_in_brackets_with_space_on_either_side',
    'replace_at_symbol_with_english_word_at_in_parentheses_with_space_on_either_side',
    'replace_at_symbol_with_english_word_at_with_space_on_either_side',
    'use_standard_format',
  ],
  phone_number_country_code_format: [
    'use_00_before_country_code',
    'use_plus_sign_before_country_code',
  ],
  phone_number_format: [
    'do_not_use_spaces',
    'do_not_use_spaces_or_special_characters_between_digits_of_phone_number',
    'keep_original_format',
    'place_area_code_in_parentheses_followed_by_space',
    'separate_area_code_and_phone_number_with_slash',
    'separate_area_code_and_phone_number_with_space',
    'separate_country_code_area_code_local_prefix_and_last_four_digits_with_hyphens',
    'separate_country_code_area_code_local_prefix_and_last_four_digits_with_periods',
    'separate_country_code_area_code_local_prefix_and_last_four_digits_with_spaces',
    'use_north_american_numbering_plan_format',
    'use_space_after_country_code',
  ],
  space_between_arabic_numerals_and_unit: ['do_not_use'],
  space_between_chinese_and_english: ['do_not_use'],
  space_between_chinese_characters_and_arabic_numerals: ['do_not_use'],
} as const;

/** Rules for spelling and grammar with their options, named as in the public API. */
const spellingAndGrammar = {
  abbreviating_french_word_numero: [
    'abbreviate_as_n_then_degree_symbol',
    'abbreviate_as_n_then_o_in_superscript',
    'abbreviate_as_no',
  ],
  abbreviation_usage: [
    'do_not_use_abbreviations',
    'do_not_use_abbreviations_unless_necessary',
    'use_abbreviations',
    'use_abbreviations_as_needed',
  ],
  accents_and_cedillas: [
    'do_not_use_on_capital_letters',
    'never_use',
    'use_even_on_capital_letters',
  ],
  accents_in_verbs_conjugated_like_french_word_céder: ['use_acute_accent', 'use_grave_accent'],
  accents_with_subject_verb_inversion: ['use_acute_accent', 'use_grave_accent'],
  active_passive_voice: [
    'use_active_voice_if_subject_is_prominent_and_agent_is_clear',
    'use_active_voice_to_describe_operations_with_user_as_subject',
    'use_active_voice_unless_agent_is_unknown_or_irrelevant',
    'use_passive_voice_as_needed',
    'use_passive_voice_for_automatic_operations_from_user_perspective',
    'use_passive_voice_if_agent_is_unknown_or_irrelevant',
  ],
  all_caps: [
    'do_not_use_all_caps_except_for_acronyms_initialisms_or_proper_nouns',
    'do_not_use_all_caps_except_for_acronyms_or_brand_names',
  ],
  complete_sentences: ['always_write_complete_sentences'],
  compound_nouns: ['write_as_one_word', 'write_with_hyphen'],
  conjunctions: ['never_start_sentence_with_coordinating_conjunction'],
  contractions: [
    'do_not_use_contractions',
    'use_contractions',
    'use_contractions_but_avoid_negative_contractions',
  ],
  established_loanwords: ['use_as_is', 'use_native_or_sino_korean_equivalents'],
  eszett: ['replace_eszett_with_ss'],
  foreign_word_translation: [
    'use_equivalent_expressions_in_chinese',
    'use_foreign_forms_or_abbreviations_for_technical_terms_or_brand_names',
    'use_literal_translation',
    'use_localized_names_for_brands_with_official_chinese_translations',
    'use_mixture_of_transliteration_and_translation',
    'use_transliteration',
  ],
  french_verbs_ending_in_eler_and_eter: [
    'transcribe_open_e_sound_by_doubling_next_consonant',
    'transcribe_open_e_sound_with_grave_accent',
  ],
  i_and_u_with_circumflex_accents: [
    'do_not_use_circumflex_accents_except_in_verbs_and_to_distinguish_homophones',
    'use_circumflex_accents',
  ],
  informal_address_pronouns: [
    'capitalize_informal_address_pronouns',
    'do_not_capitalize_informal_address_pronouns',
  ],
  latin_abbreviations: ['do_not_use_latin_abbreviations'],
  passive_voice: ['avoid_passive_voice_when_agent_is_known'],
  past_participle_of_french_word_laisser_followed_by_infinitive: [
    'make_french_word_laisser_agree_with_direct_object_complement_if_it_appears_before_verb',
    'use_invariable_form_french_word_laissé',
  ],
  personal_titles: ['abbreviate', 'do_not_abbreviate'],
  pluralizing_foreign_words: ['use_french_spelling_rules', 'use_original_language_spelling'],
  quotation_modification: [
    'do_not_modify_text_in_quotation_marks',
    'modify_text_in_quotation_marks_according_to_custom_rules',
  ],
  spanish_word_solo: ['never_use_acute_accent', 'use_acute_accent_when_used_as_adverb'],
  special_characters: ['never_use_symbols'],
  spelled_out_numbers: [
    'use_hyphens',
    'use_hyphens_between_elements_under_100_and_not_separated_by_french_word_et',
  ],
  umlauts: ['replace_umlauts_with_ae_oe_ue'],
  unestablished_loanwords: [
    'paraphrase_in_korean',
    'use_as_is',
    'use_as_is_with_explanation_in_parentheses',
  ],
} as const;

/** Rules for style and tone with their options, named as in the public API. */
const styleAndTone = {
  abbreviations: [
    'avoid_abbreviations_and_symbols_that_can_be_spelled_out_easily',
    'use_abbreviations_and_symbols',
  ],
  addressing_non_binary_people: ['use_spanish_word_elle', 'use_spanish_word_ellx'],
  addressing_the_reader: [
    'use_formal_french_word_vous',
    'use_formal_italian_word_lei',
    'use_informal_french_word_tu',
    'use_informal_italian_word_tu',
  ],
  anglicisms: ['avoid_anglicisms_when_there_is_a_french_equivalent'],
  binary_representation_of_gender: [
    'avoid_binary_representation_of_gender_when_gender_neutral_language_can_be_used',
    'replace_binary_representations_of_gender_with_gender_neutral_language',
    'use_neutral_pronouns',
  ],
  complex_sentences: ['avoid_unnecessarily_complex_sentences'],
  country_names: ['use_long_form', 'use_short_form'],
  declarative_endings: [
    'mix_hapsho_and_haeyo_styles',
    'use_hae_style',
    'use_haeyo_style',
    'use_hapsho_style',
    'use_hara_style',
  ],
  default_first_person_pronoun: [
    'do_not_use_first_person_pronouns',
    'omit_first_person_subject_when_clear_from_context',
    'use_first_person_pronouns',
  ],
  default_second_person_pronoun: [
    'do_not_use_second_person_pronouns',
    'use_second_person_pronouns',
  ],
  directional_language: ['do_not_use_directional_language'],
  double_negatives: ['do_not_use_double_negatives', 'use_double_negatives'],
  formality: ['use_casual_tone', 'use_formal_tone'],
  gender_neutral_language_readability: [
    'use_generic_masculine_for_common_compound_nouns_if_it_increases_readability',
  ],
  gender_unspecified: [
    'use_both_masculine_and_feminine_forms',
    'use_gender_neutral_terms',
    'use_masculine_form_only',
    'use_middle_dots',
    'use_parentheses',
    'use_periods',
  ],
  gender_unspecified_or_mixed: [
    'use_both_feminine_and_masculine_forms',
    'use_feminine_form_only',
    'use_inclusive_nouns_and_adjectives',
    'use_masculine_form_only',
    'use_neutral_nouns_and_adjectives',
  ],
  idioms_colloquialisms_and_culture_specific_references: ['do_not_use'],
  inflected_words_masculine_noun_agreement: ['place_masculine_nouns_closest_to_inflected_words'],
  instructions_style: [
    'use_imperative',
    'use_indicative',
    'use_infinitive',
    'use_modal_verbs',
    'use_passive_voice',
  ],
  mixing_styles: ['do_not_mix_desu_masu_style_and_dearu_style'],
  modal_verbs: ['avoid_modal_verbs'],
  personal_vs_impersonal_style: ['use_impersonal_style', 'use_personal_style'],
  positive_vs_negative_language: ['use_positive_language'],
  proximity_agreement: ['use'],
  reader_action_required: ['use_you_must_when_action_is_required_from_reader'],
  redundant_introductory_phrases: [
    'avoid_redundant_introductory_phrases',
    'do_not_use_redundant_phrases_that_refer_to_current_text',
  ],
  redundant_phrases: ['avoid_relativizing_and_redundant_phrases', 'do_not_use_redundant_phrases'],
  referring_to_non_binary_people: ['use_the_singular_and_plural_schwa'],
  short_vs_long_words: ['use_short_words'],
  simple_words_and_sentences: [
    'use_simple_words_and_sentences_avoid_hard_to_translate_words_and_figures_of_speech',
  ],
  text_position_references: [
    'avoid_directional_terms_as_only_reference_to_position_in_text_specify_exact_position_instead',
  ],
  tone: [
    'use_dearu_style_to_give_impression_content_is_accurate_and_rigorous_or_to_convey_sense_of_confidence_and_reliability',
    'use_desu_masu_style_to_give_impression_content_is_plain_and_straightforward_or_to_give_reader_reassuring_or_soft_impression',
  ],
  verbal_vs_nominal_style: ['use_nominal_style', 'use_verbal_style'],
} as const;

/** Rules for vocabulary with their options, named as in the public API. */
const vocabulary = {
  abbreviations: ['write_original_term_then_abbreviation_and_explanation'],
  loanwords: [
    'add_explanation_to_loanword_if_difficult_to_rephrase',
    'rephrase_loanword_in_daily_use_chinese_or_japanese_words_if_possible',
    'rephrase_loanword_with_another_expression_if_not_established',
    'use_loanword_as_is_if_well_established',
  ],
} as const;

/** The complete catalogue: 159 rules with 518 options. */
export const styleRuleCatalogue: StyleRuleCatalogue = {
  dates_and_times: datesAndTimes,
  formatting,
  numbers,
  punctuation,
  spelling_and_grammar: spellingAndGrammar,
  style_and_tone: styleAndTone,
  vocabulary,
};
