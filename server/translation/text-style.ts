/** A style rule list at work: what of it engines are told, and what is done to whatever they say. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { styleRuleCategories, type ConfiguredRules } from '../../shared/style-rules/catalogue.ts';
import type { StyledInstruction } from '../style-rules/store.ts';
import { rulesInWords } from '../style-rules/style-rule-wording.ts';
import { applyStyleRules, isMechanical } from '../style-rules/rules/style-rules.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { Translation } from './translation.ts';

export interface TextStyle {
  /** Every rule as a sentence. */
  readonly rules: readonly string[];
  /** Whether there is a rule that only an engine can obey. */
  readonly needsEngine: boolean;
  /** The custom instructions for translations from a language. */
  instructions(source: LanguageTag): string[];
  /** Does what can be done without an engine; twice is as good as once. */
  apply(segment: TextSegment): TextSegment;
}

/** @param target language of the texts, a variant of the list's */
export function createTextStyle({
  target,
  rules,
  instructions,
}: {
  target: LanguageTag;
  rules: ConfiguredRules;
  instructions: readonly Pick<StyledInstruction, 'prompt' | 'sourceLanguage'>[];
}): TextStyle {
  return {
    rules: rulesInWords(rules),
    needsEngine: styleRuleCategories.some((category) =>
      Object.entries(rules[category] ?? {}).some(
        ([rule, option]) => !isMechanical({ category, rule, option, language: target }),
      ),
    ),
    instructions: (source) =>
      instructions
        .filter(({ sourceLanguage }) => isFor(sourceLanguage, source))
        .map(({ prompt }) => prompt),
    apply: (segment) => applyStyleRules(segment, { language: target, rules }),
  };
}

/**
 * Translation in a style: engines that follow instructions are told everything and come first where
 * they are needed; whoever has translated, the mechanical rules are applied to it.
 */
export function styledTranslation(
  translation: Pick<Translation, 'translateSegments'>,
  style: TextStyle,
): Pick<Translation, 'translateSegments'> {
  return {
    async translateSegments(segments, options) {
      // One's own language is left as it is written, and variants of it are.
      if (isSameLanguage(options)) return translation.translateSegments(segments, options);
      const instructions = [...(options.instructions ?? []), ...style.instructions(options.source)];
      const result = await translation.translateSegments(segments, {
        ...options,
        instructions,
        styleRules: style.rules,
        prefersFollower: style.needsEngine,
      });
      return { ...result, segments: result.segments.map((segment) => style.apply(segment)) };
    },
  };
}

/** @throws ServiceError invalid_request for instructions that no running engine can follow */
export function checkStyle(
  style: TextStyle,
  pair: { source: LanguageTag; target: LanguageTag },
  translation: Pick<Translation, 'followsInstructions'>,
): void {
  if (isSameLanguage(pair) || style.instructions(pair.source).length === 0) return;
  if (translation.followsInstructions(pair)) return;
  throw new ServiceError(
    'invalid_request',
    `style_id: the list has custom_instructions, and no running engine can follow them from ${pair.source.toUpperCase()} to ${pair.target.toUpperCase()}. ` +
      'Connect one that does, such as CHAT_URL or DEEPL_URL, or name a list without.',
  );
}

/** An instruction for `en` is one for `en-GB` as well. */
function isFor(sourceLanguage: string | null, source: LanguageTag): boolean {
  return sourceLanguage === null || baseLanguage(sourceLanguage) === baseLanguage(source);
}

function isSameLanguage({ source, target }: { source: LanguageTag; target: LanguageTag }) {
  return baseLanguage(source) === baseLanguage(target);
}
