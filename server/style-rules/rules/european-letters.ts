/** Rules for letters of German, French and Spanish. */
import { oneOf, singleRule, type StyleStep } from './mechanical-rule.ts';

/** Replaces letters by two-letter forms, in capitals beside other capitals. */
const doubled = (text: string, letters: RegExp, forms: ReadonlyMap<string, string>): string =>
  text.replace(letters, (letter: string, at: number) => {
    const form = forms.get(letter) ?? letter;
    const isCapital = letter !== letter.toLowerCase();
    const isAmongCapitals =
      isCapital && (/\p{Lu}/u.test(text[at + 1] ?? '') || /\p{Lu}/u.test(text[at - 1] ?? ''));
    return isAmongCapitals ? form.toUpperCase() : form;
  });

const UMLAUTS = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['Ä', 'Ae'],
  ['Ö', 'Oe'],
  ['Ü', 'Ue'],
]);

export const umlautStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'umlauts',
  options: {
    replace_umlauts_with_ae_oe_ue: {
      languages: ['de'],
      apply: (text) => doubled(text, /[äöüÄÖÜ]/g, UMLAUTS),
    },
  },
});

export const eszettStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'eszett',
  options: {
    replace_eszett_with_ss: {
      languages: ['de'],
      apply: (text) =>
        text
          .replaceAll('ẞ', 'SS')
          .replace(/(?<=\p{Lu}\p{Lu})ß(?!\p{Ll})/gu, 'SS')
          .replaceAll('ß', 'ss'),
    },
  },
});

/** Only forms that are unambiguous informal address: `ihr` also means `her` and `they`. */
const ADDRESS =
  'du|dich|dir|dein|deine|deiner|deinem|deinen|deines|euch|euer|eure|eurer|eurem|euren|eures';
const LOWER_ADDRESS = new RegExp(`(?<!\\p{L})(?:${ADDRESS})(?!\\p{L})`, 'gu');
const CAPITAL_ADDRESS = new RegExp(
  `(?<=[\\p{L}\\d,;] )(?:${oneOf(ADDRESS.split('|').map((word) => word.charAt(0).toUpperCase() + word.slice(1)))})(?!\\p{L})`,
  'gu',
);

export const addressStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'informal_address_pronouns',
  options: {
    capitalize_informal_address_pronouns: {
      languages: ['de'],
      apply: (text) =>
        text.replace(LOWER_ADDRESS, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
    },
    do_not_capitalize_informal_address_pronouns: {
      languages: ['de'],
      apply: (text) => text.replace(CAPITAL_ADDRESS, (word) => word.toLowerCase()),
    },
  },
});

const numero = (written: string, gap: string) => (text: string) =>
  text.replace(
    /(?<![\p{L}\p{N}_])([nN])(?:[°ºᵒ⁰]|o\.?)([ \u00A0\u202F]?)(?=\d)/gu,
    (_, letter: string, blank: string) => `${letter}${written}${blank === '' ? gap : blank}`,
  );

export const numeroStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'abbreviating_french_word_numero',
  options: {
    abbreviate_as_n_then_degree_symbol: { languages: ['fr'], apply: numero('°', '\u00A0') },
    abbreviate_as_n_then_o_in_superscript: { languages: ['fr'], apply: numero('ᵒ', '\u00A0') },
    abbreviate_as_no: { languages: ['fr'], apply: numero('o', '\u00A0') },
  },
});

const bare = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
const FRENCH_CAPITALS = /[ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜŸ]/g;
const FRENCH_LETTERS = /[ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜŸàâäçéèêëîïôöùûüÿ]/g;

export const accentStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'accents_and_cedillas',
  options: {
    do_not_use_on_capital_letters: {
      languages: ['fr'],
      apply: (text) => text.replace(FRENCH_CAPITALS, bare),
    },
    never_use: { languages: ['fr'], apply: (text) => text.replace(FRENCH_LETTERS, bare) },
  },
});

export const inversionStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'accents_with_subject_verb_inversion',
  options: {
    use_acute_accent: {
      languages: ['fr'],
      apply: (text) => text.replace(/(?<=\p{L})è(?=-je(?!\p{L}))/gu, 'é'),
    },
    use_grave_accent: {
      languages: ['fr'],
      apply: (text) => text.replace(/(?<=\p{L})é(?=-je(?!\p{L}))/gu, 'è'),
    },
  },
});

/** Verbs like céder, with their accented letter as a hyphen. */
const CEDER =
  'c-d acc-d conc-d déc-d exc-d préc-d proc-d succ-d poss-d c-l rév-l esp-r préf-r diff-r sugg-r g-r ' +
  'dig-r consid-r mod-r tol-r lib-r op-r coop-r r-gn all-g abr-g prot-g rép-t compl-t inqui-t interpr-t s-ch l-ch';
const ENDING = 'er(?:ai|as|a|ons|ez|ont|ais|ait|ions|iez|aient)(?!\\p{L})';
const ceder = (accent: string): RegExp => {
  const forms = CEDER.split(' ').map((stem) => {
    const [before = '', after = ''] = stem.split('-');
    return `(?<=(?<!\\p{L})${before})${accent}(?=${after}${ENDING})`;
  });
  return new RegExp(forms.join('|'), 'giu');
};
const ACUTE_CEDER = ceder('é');
const GRAVE_CEDER = ceder('è');

export const cederStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'accents_in_verbs_conjugated_like_french_word_céder',
  options: {
    use_acute_accent: { languages: ['fr'], apply: (text) => text.replace(GRAVE_CEDER, 'é') },
    use_grave_accent: { languages: ['fr'], apply: (text) => text.replace(ACUTE_CEDER, 'è') },
  },
});

export const spanishSoloStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'spanish_word_solo',
  options: {
    never_use_acute_accent: {
      languages: ['es'],
      apply: (text) =>
        text
          .replace(/(?<!\p{L})([Ss])ólo(?!\p{L})/gu, '$1olo')
          .replace(/(?<!\p{L})SÓLO(?!\p{L})/gu, 'SOLO'),
    },
  },
});
