/** Temperatures that are written with figures. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import { BLANK, NO_BREAK } from './characters.ts';
import {
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type ChosenStyle,
  type StyleStep,
} from './mechanical-rule.ts';

const WORDS = 'degrees?|Grad|degrés?|grados?|gradi|grado';
const TEMPERATURE = new RegExp(
  `(?<![\\d.,])(\\d[\\d.,\\u00A0\\u202F]{0,20})?(?<=\\d)(${BLANK})` +
    `(?:°${BLANK}([CF])|(℃|℉)|(?:${WORDS}) (Celsius|Fahrenheit|centígrados?))(?!\\p{Script=Latin})`,
  'gu',
);

interface Temperature {
  figures: string;
  blank: string;
  isCelsius: boolean;
}

const writes =
  (write: (temperature: Temperature, style: ChosenStyle) => string | undefined) =>
  (text: string, style: ChosenStyle): string =>
    text.replace(
      TEMPERATURE,
      (
        found: string,
        figures: string | undefined,
        blank: string,
        letter: string | undefined,
        sign: string | undefined,
        name: string | undefined,
      ) => {
        const isCelsius = letter === 'C' || sign === '℃' || /^[Cc]/.test(name ?? '');
        return write({ figures: figures ?? '', blank, isCelsius }, style) ?? found;
      },
    );

const spaced = ({ blank }: Temperature): string => (blank === '' ? NO_BREAK : blank);
const symbolOf = ({ isCelsius }: Temperature): string => (isCelsius ? '°C' : '°F');

const degrees: Partial<Record<StyleRuleLanguage, readonly [one: string, many: string]>> = {
  de: ['Grad', 'Grad'],
  en: ['degree', 'degrees'],
  es: ['grado', 'grados'],
  fr: ['degré', 'degrés'],
  it: ['grado', 'gradi'],
};

function degreeWord({ figures }: Temperature, language: StyleRuleLanguage): string {
  const [one, many] = degrees[language] ?? ['', ''];
  return figures === '1' ? one : many;
}

const spelledOut = writes((temperature, { language }) => {
  const scale = temperature.isCelsius ? 'Celsius' : 'Fahrenheit';
  const { figures } = temperature;
  const gap = temperature.blank === '' ? ' ' : temperature.blank;
  return `${figures}${gap}${degreeWord(temperature, language)} ${scale}`;
});
const withoutScale = writes((temperature, { language }) =>
  temperature.isCelsius
    ? `${temperature.figures}${temperature.blank || ' '}${degreeWord(temperature, language)}`
    : undefined,
);
const withWord = (word: string) =>
  writes(({ figures, isCelsius }) => (isCelsius ? figures + word : undefined));
const unspaced = writes((temperature) => temperature.figures + symbolOf(temperature));

export const temperatureStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'temperature_format',
  options: {
    spell_out_unit: { languages: LATIN_LANGUAGES, apply: spelledOut },
    use_arabic_numerals_followed_by_space_then_spell_out_unit: {
      languages: LATIN_LANGUAGES,
      apply: spelledOut,
    },
    use_numerals_followed_by_space_then_spell_out_unit: {
      languages: LATIN_LANGUAGES,
      apply: spelledOut,
    },
    use_arabic_numerals_followed_by_unit_symbol_without_space: {
      languages: EVERY_LANGUAGE,
      apply: unspaced,
    },
    use_numerals_followed_by_unit_symbol_without_space: {
      languages: EVERY_LANGUAGE,
      apply: unspaced,
    },
    use_numerals_followed_by_space_then_unit_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes(
        (temperature) => temperature.figures + spaced(temperature) + symbolOf(temperature),
      ),
    },
    use_numerals_followed_by_japanese_word_度_without_space: {
      languages: ['ja'],
      apply: withWord('度'),
    },
    use_numerals_followed_by_korean_word_도: { languages: ['ko'], apply: withWord('도') },
    use_italian_word_grado_and_do_not_specify_temperature_scale: {
      languages: ['it'],
      apply: withoutScale,
    },
    use_spanish_word_grado_and_do_not_specify_temperature_scale: {
      languages: ['es'],
      apply: withoutScale,
    },
  },
});
