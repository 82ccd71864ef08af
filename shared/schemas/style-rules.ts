/** Style rule lists, `/v3/style_rules`, compatible with DeepL API clients. */
import { styleLanguages } from '../language.ts';
import Type, { type Static, type TOptional, type TRecord, type TString } from 'typebox';
import { styleRuleCategories, type StyleRuleCategory } from '../style-rules/catalogue.ts';

/** Longest name of a list, in Unicode code points. */
export const MAX_STYLE_NAME_CHARACTERS = 1024;
/**
 * Maximum number of custom instructions in a list; maximum length of a label and a prompt, in code
 * points.
 */
export const MAX_STYLE_INSTRUCTIONS = 200;
export const MAX_STYLE_LABEL_CHARACTERS = 100;
export const MAX_STYLE_PROMPT_CHARACTERS = 300;
/** Largest request body, in bytes: 200 instructions of 400 characters, escaped for JSON, and every rule. */
export const MAX_STYLE_BODY_BYTES = 1024 * 1024;

const MAX_PAGE_SIZE = 25;
/** Limit on page numbers: beyond any list, yet within what every database can count. */
const LAST_PAGE = 2 ** 31 - 1;

type Category = TOptional<TRecord<string, TString>>;

const category = (): Category => Type.Optional(Type.Record(Type.String(), Type.String()));

/** The chosen option of each rule, by category; the service knows the valid ones. */
export const ConfiguredRules = Type.Object(
  Object.fromEntries(styleRuleCategories.map((name) => [name, category()])) as Record<
    StyleRuleCategory,
    Category
  >,
  {
    description: 'The chosen option of each rule, by category.',
    examples: [{ punctuation: { apostrophe: 'use_curly_apostrophes' } }],
  },
);

const name = Type.String({
  description: `At most ${MAX_STYLE_NAME_CHARACTERS} characters.`,
  examples: ['House style'],
});
const language = Type.String({
  description:
    'Language of the translations to which the list applies, ' +
    `including its variants: ${styleLanguages.join(', ')}.`,
  examples: ['en'],
});

/** An instruction, as sent by clients. */
export const StyleInstructionContent = Type.Object({
  label: Type.String({
    description: `Name of the instruction: at most ${MAX_STYLE_LABEL_CHARACTERS} characters.`,
    examples: ['Tone'],
  }),
  prompt: Type.String({
    description: `The instruction itself: at most ${MAX_STYLE_PROMPT_CHARACTERS} characters.`,
    examples: ['Sound like a friendly neighbour.'],
  }),
  source_language: Type.Optional(
    Type.String({
      description:
        'Restricts the instruction to translations from this ' +
        'language. When omitted, it applies to all.',
      examples: ['de'],
    }),
  ),
});

export const StyleInstruction = Type.Object({
  id: Type.String({ format: 'uuid' }),
  ...StyleInstructionContent.properties,
});

export const StyleRuleListCreation = Type.Object({
  name,
  language,
  configured_rules: Type.Optional(ConfiguredRules),
  custom_instructions: Type.Optional(Type.Array(StyleInstructionContent)),
});

export const StyleRuleListChange = Type.Object({ name: Type.Optional(name) });

const described = {
  style_id: Type.String({ format: 'uuid' }),
  name,
  language,
  creation_time: Type.String({ format: 'date-time' }),
  updated_time: Type.String({ format: 'date-time' }),
  version: Type.Integer({ minimum: 1, description: 'Increases by one with every change.' }),
};

/** A list with its complete content. */
export const StyleRuleList = Type.Object({
  ...described,
  configured_rules: ConfiguredRules,
  custom_instructions: Type.Array(StyleInstruction, {
    description: 'In the order in which they were added.',
  }),
});

/** An entry of a listing; rules and instructions are included only on request. */
export const StyleRuleListEntry = Type.Object({
  ...described,
  configured_rules: Type.Optional(ConfiguredRules),
  custom_instructions: Type.Optional(Type.Array(StyleInstruction)),
});

export const StyleRuleLists = Type.Object({ style_rules: Type.Array(StyleRuleListEntry) });

/** The new instruction together with the whole list: some clients expect the one, some the other. */
export const AddedStyleInstruction = Type.Object({
  ...StyleInstruction.properties,
  ...StyleRuleList.properties,
});

export const StyleRulePage = Type.Object({
  detailed: Type.Optional(
    Type.String({
      enum: ['true', 'false', '1', '0'],
      description: 'Whether to include rules and instructions.',
    }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LAST_PAGE,
      default: 0,
      description: 'Page number, from 0.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: 10,
      description: 'Number of lists on a page.',
    }),
  ),
});

/** Accepts any text, because the service answers malformed and unknown ids differently. */
export const StyleRulePath = Type.Object({ style_id: Type.String() });

export const StyleInstructionPath = Type.Object({
  style_id: Type.String(),
  instruction_id: Type.String(),
});

export type StyleInstructionContent = Static<typeof StyleInstructionContent>;
export type StyleInstruction = Static<typeof StyleInstruction>;
export type StyleRuleListCreation = Static<typeof StyleRuleListCreation>;
export type StyleRuleListChange = Static<typeof StyleRuleListChange>;
export type StyleRuleList = Static<typeof StyleRuleList>;
export type StyleRuleListEntry = Static<typeof StyleRuleListEntry>;
export type AddedStyleInstruction = Static<typeof AddedStyleInstruction>;
export type StyleRulePage = Static<typeof StyleRulePage>;
