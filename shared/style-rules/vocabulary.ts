/** Rules of vocabulary with the options of each, as the public interface names them. */
export const vocabulary = {
  abbreviations: ['write_original_term_then_abbreviation_and_explanation'],
  loanwords: [
    'add_explanation_to_loanword_if_difficult_to_rephrase',
    'rephrase_loanword_in_daily_use_chinese_or_japanese_words_if_possible',
    'rephrase_loanword_with_another_expression_if_not_established',
    'use_loanword_as_is_if_well_established',
  ],
} as const;
