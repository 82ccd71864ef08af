/** What of a style rule request can be judged without the database. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import { styleLanguages, canonicalLanguage } from '../../shared/language.ts';
import {
  MAX_STYLE_INSTRUCTIONS,
  MAX_STYLE_LABEL_CHARACTERS,
  MAX_STYLE_NAME_CHARACTERS,
  MAX_STYLE_PROMPT_CHARACTERS,
  type StyleInstructionContent,
} from '../../shared/schemas/style-rules.ts';
import {
  styleRuleCatalogue,
  type ConfiguredRules,
  type StyleRuleCategory,
  type StyleRuleLanguage,
} from '../../shared/style-rules/catalogue.ts';
import { checkedUuid } from '../../shared/uuid.ts';
import type { StyledInstruction } from './store.ts';
import { countCodePoints } from '../text/code-points.ts';

/** Control characters but tabs and line breaks, and halves of characters: no database keeps them all. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|\p{Surrogate}/u;

/** An id in the spelling of the database. @throws ServiceError invalid_request */
export function checkedStyleId(id: string, name: 'style_id' | 'instruction_id' = 'style_id') {
  return checkedUuid(id, name);
}

/** @throws ServiceError invalid_request */
export function checkedStyleName(name: string): string {
  return checkedText(name, 'name', MAX_STYLE_NAME_CHARACTERS);
}

/** A language that lists are made for. @throws ServiceError invalid_request */
export function checkedStyleLanguage(given: string): StyleRuleLanguage {
  const tag = canonicalLanguage(given);
  const language = styleLanguages.find((each) => each === tag);
  if (language !== undefined) return language;
  throw invalid(`Value for 'language' not supported. Possible: ${styleLanguages.join(', ')}.`);
}

/**
 * Rules and options that the catalogue has.
 *
 * @param given may have come from anywhere, as far as its shape goes
 * @throws ServiceError invalid_request, with what is possible
 */
export function checkedRules(given: ConfiguredRules): ConfiguredRules {
  const rules: ConfiguredRules = {};
  for (const [category, chosen = {}] of Object.entries(given)) {
    if (!isCategory(category)) throw unknownName('configured_rules', category, styleRuleCatalogue);
    const known = styleRuleCatalogue[category];
    for (const [rule, option] of Object.entries(chosen)) {
      const options = Object.hasOwn(known, rule) ? known[rule] : undefined;
      if (options === undefined) throw unknownName(`configured_rules.${category}`, rule, known);
      if (!options.includes(option)) {
        throw invalid(
          `Value for 'configured_rules.${category}.${rule}' not supported. Possible: ${options.join(', ')}.`,
        );
      }
    }
    if (Object.keys(chosen).length > 0) rules[category] = chosen;
  }
  return rules;
}

/** New instructions of a list. @throws ServiceError invalid_request */
export function newInstructions(given: readonly StyleInstructionContent[]): StyledInstruction[] {
  if (given.length > MAX_STYLE_INSTRUCTIONS) throw tooManyInstructions();
  return given.map((content, index) =>
    toInstruction(randomUUID(), content, `custom_instructions.${index}.`),
  );
}

/** @throws ServiceError invalid_request */
export function toInstruction(
  instructionId: string,
  { label, prompt, source_language: source }: StyleInstructionContent,
  place = '',
): StyledInstruction {
  return {
    instructionId,
    label: checkedText(label, `${place}label`, MAX_STYLE_LABEL_CHARACTERS),
    prompt: checkedText(prompt, `${place}prompt`, MAX_STYLE_PROMPT_CHARACTERS),
    sourceLanguage: checkedSource(source, `${place}source_language`),
  };
}

export function tooManyInstructions(): ServiceError {
  return invalid(
    `A style rule list has at most ${MAX_STYLE_INSTRUCTIONS} custom_instructions: delete one first.`,
  );
}

function checkedSource(given: string | undefined, name: string): string | null {
  if (given === undefined || given.trim() === '') return null;
  const tag = canonicalLanguage(given);
  if (tag !== undefined) return tag;
  throw invalid(`Value for '${name}' not supported: it must be a language code, such as 'de'.`);
}

function checkedText(text: string, name: string, maxCharacters: number): string {
  const fault = (what: string) => invalid(`Value for '${name}' not supported: it ${what}.`);
  if (text.trim() === '') throw fault('is empty');
  // A character has at most two units: what has more is not worth counting.
  if (text.length > 2 * maxCharacters || countCodePoints(text) > maxCharacters) {
    throw fault(`is longer than ${maxCharacters} characters`);
  }
  if (FORBIDDEN.test(text)) throw fault('contains a control character');
  return text;
}

function isCategory(name: string): name is StyleRuleCategory {
  return Object.hasOwn(styleRuleCatalogue, name);
}

function unknownName(place: string, name: string, known: object): ServiceError {
  return invalid(
    `Value for '${place}' not supported: there is no '${shortened(name)}'. Possible: ${Object.keys(known).join(', ')}.`,
  );
}

/** What callers sent is told back to them only as far as it could be a name. */
function shortened(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 100)}…`;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
