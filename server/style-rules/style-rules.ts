/** Style rule lists: created and changed by their accounts, used by their translations. */
import { randomUUID } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import {
  baseLanguage,
  type LanguageTag,
  styleLanguages,
  canonicalLanguage,
} from '../../shared/language.ts';
import {
  MAX_STYLE_INSTRUCTIONS,
  type AddedStyleInstruction,
  type StyleInstruction,
  type StyleInstructionContent,
  type StyleRuleList,
  type StyleRuleListChange,
  type StyleRuleListCreation,
  type StyleRuleListEntry,
  type StyleRulePage,
  MAX_STYLE_LABEL_CHARACTERS,
  MAX_STYLE_NAME_CHARACTERS,
  MAX_STYLE_PROMPT_CHARACTERS,
} from '../../shared/schemas/style-rules.ts';
import {
  type ConfiguredRules,
  styleRuleCatalogue,
  type StyleRuleCategory,
  type StyleRuleLanguage,
} from '../../shared/style-rules/catalogue.ts';
import { checkedUuid } from '../../shared/uuid.ts';
import type {
  StyledInstruction,
  StyleRuleList as StoredList,
  StyleRuleListInfo,
  StyleRuleStore,
} from './store.ts';
import { createTextStyle, type TextStyle } from './text-style.ts';
import { countCodePoints } from '../text/code-points.ts';

/** Maximum number of lists of an account. */
const MAX_LISTS = 1000;

/**
 * Every method throws ServiceError invalid_request for malformed input and not_found for a missing list or
 * instruction.
 */
export interface StyleRuleLists {
  /** @throws ServiceError quota_exceeded if the account has the maximum number of lists */
  create(accountId: string, creation: StyleRuleListCreation): Promise<StyleRuleList>;
  list(accountId: string, page: StyleRulePage): Promise<StyleRuleListEntry[]>;
  get(accountId: string, styleId: string): Promise<StyleRuleList>;
  change(accountId: string, styleId: string, change: StyleRuleListChange): Promise<StyleRuleList>;
  replaceRules(accountId: string, styleId: string, rules: ConfiguredRules): Promise<StyleRuleList>;
  delete(accountId: string, styleId: string): Promise<void>;
  addInstruction(
    accountId: string,
    styleId: string,
    content: StyleInstructionContent,
  ): Promise<AddedStyleInstruction>;
  getInstruction(
    accountId: string,
    styleId: string,
    instructionId: string,
  ): Promise<StyleInstruction>;
  /** Replaces an instruction; fields left out of the content are removed. */
  replaceInstruction(
    accountId: string,
    styleId: string,
    instructionId: string,
    content: StyleInstructionContent,
  ): Promise<StyleInstruction>;
  deleteInstruction(accountId: string, styleId: string, instructionId: string): Promise<void>;
  /**
   * Returns the list of a translation. @throws ServiceError invalid_request for a target in another language
   */
  styleFor(wanted: { accountId: string; id: string; target: LanguageTag }): Promise<TextStyle>;
}

interface StyleRuleListsOptions {
  styleRules: StyleRuleStore;
  now?: () => number;
}

export function createStyleRuleLists(options: StyleRuleListsOptions): StyleRuleLists {
  return { ...createWholes(options), ...createInstructions(options) };
}

type Instructions = Pick<
  StyleRuleLists,
  'addInstruction' | 'getInstruction' | 'replaceInstruction' | 'deleteInstruction'
>;

function createWholes({
  styleRules: store,
  now = Date.now,
}: StyleRuleListsOptions): Omit<StyleRuleLists, keyof Instructions> {
  return {
    async create(accountId, { name, language, ...content }) {
      const atMs = now();
      const list = {
        styleId: randomUUID(),
        name: checkedStyleName(name),
        language: checkedStyleLanguage(language),
        createdAtMs: atMs,
        updatedAtMs: atMs,
        version: 1,
        configuredRules: checkedRules(content.configured_rules ?? {}),
        instructions: newInstructions(content.custom_instructions ?? []),
      };
      if (await store.create(accountId, list, MAX_LISTS)) return toList(list);
      throw new ServiceError(
        'quota_exceeded',
        `An account has at most ${MAX_LISTS} style rule lists: delete one first.`,
      );
    },

    async list(accountId, { detailed, page = 0, page_size: limit = 10 }) {
      const place = { offset: page * limit, limit };
      const isDetailed = detailed === 'true' || detailed === '1';
      return isDetailed
        ? (await store.listDetailed(accountId, place)).map(toList)
        : (await store.list(accountId, place)).map(toEntry);
    },

    get: async (accountId, styleId) => toList(await findList(store, accountId, styleId)),

    async change(accountId, styleId, { name }) {
      const id = checkedStyleId(styleId);
      // Without a change, the list is returned as it is.
      if (name === undefined) return toList(await findList(store, accountId, id));
      const change = { name: checkedStyleName(name), atMs: now() };
      return toList(known(await store.change(accountId, id, change)));
    },

    async replaceRules(accountId, styleId, rules) {
      const id = checkedStyleId(styleId);
      const change = { configuredRules: checkedRules(rules), atMs: now() };
      return toList(known(await store.change(accountId, id, change)));
    },

    async delete(accountId, styleId) {
      if (!(await store.delete(accountId, checkedStyleId(styleId)))) throw unknown();
    },

    async styleFor({ accountId, id, target }) {
      const { language, configuredRules, instructions } = await findList(store, accountId, id);
      if (baseLanguage(target) === language) {
        return createTextStyle({ target, rules: configuredRules, instructions });
      }
      throw new ServiceError(
        'invalid_request',
        'Style rule language does not match the translate request target language: ' +
          `the list is for ${language.toUpperCase()}.`,
      );
    },
  };
}

function createInstructions({
  styleRules: store,
  now = Date.now,
}: StyleRuleListsOptions): Instructions {
  return {
    async addInstruction(accountId, styleId, content) {
      const id = checkedStyleId(styleId);
      const instruction = toInstruction(randomUUID(), content);
      const list = await store.addInstruction(accountId, id, instruction, {
        atMs: now(),
        maxInstructions: MAX_STYLE_INSTRUCTIONS,
      });
      if (list === 'missing') throw unknown();
      if (list === 'full') throw tooManyInstructions();
      return { ...toList(list), ...toAnswer(instruction) };
    },

    async getInstruction(accountId, styleId, instructionId) {
      const { instructions } = await findList(store, accountId, styleId);
      const id = checkedStyleId(instructionId, 'instruction_id');
      const found = instructions.find((each) => each.instructionId === id);
      if (found === undefined) throw unknownInstruction();
      return toAnswer(found);
    },

    async replaceInstruction(accountId, styleId, instructionId, content) {
      const listId = checkedStyleId(styleId);
      const id = checkedStyleId(instructionId, 'instruction_id');
      const instruction = toInstruction(id, content);
      const isReplaced = await store.replaceInstruction(accountId, listId, instruction, now());
      if (!isReplaced) throw unknownInstruction();
      return toAnswer(instruction);
    },

    async deleteInstruction(accountId, styleId, instructionId) {
      const listId = checkedStyleId(styleId);
      const id = checkedStyleId(instructionId, 'instruction_id');
      const isDeleted = await store.deleteInstruction(accountId, listId, id, now());
      if (!isDeleted) throw unknownInstruction();
    },
  };
}

async function findList(store: StyleRuleStore, accountId: string, id: string): Promise<StoredList> {
  return known(await store.find(accountId, checkedStyleId(id)));
}

function known(list: StoredList | undefined): StoredList {
  if (list === undefined) throw unknown();
  return list;
}

function toEntry(info: StyleRuleListInfo): StyleRuleListEntry {
  return {
    style_id: info.styleId,
    name: info.name,
    language: info.language,
    creation_time: new Date(info.createdAtMs).toISOString(),
    updated_time: new Date(info.updatedAtMs).toISOString(),
    version: info.version,
  };
}

function toList(list: StoredList): StyleRuleList {
  return {
    ...toEntry(list),
    configured_rules: list.configuredRules,
    custom_instructions: list.instructions.map(toAnswer),
  };
}

function toAnswer(instruction: StyledInstruction): StyleInstruction {
  const { instructionId: id, label, prompt, sourceLanguage } = instruction;
  return { id, label, prompt, ...(sourceLanguage !== null && { source_language: sourceLanguage }) };
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'There is no style rule list with this style_id.');
}

function unknownInstruction(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no custom instruction with this instruction_id in this style rule list.',
  );
}

// Checks of a request that need no database.

/**
 * Control characters except tabs and line breaks, and unpaired surrogates: not every database can store them.
 */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|\p{Surrogate}/u;

/** Returns an id as spelled in the database. @throws ServiceError invalid_request */
function checkedStyleId(id: string, name: 'style_id' | 'instruction_id' = 'style_id') {
  return checkedUuid(id, name);
}

/** @throws ServiceError invalid_request */
function checkedStyleName(name: string): string {
  return checkedText(name, 'name', MAX_STYLE_NAME_CHARACTERS);
}

/** Returns a language that lists can have. @throws ServiceError invalid_request */
function checkedStyleLanguage(given: string): StyleRuleLanguage {
  const tag = canonicalLanguage(given);
  const language = styleLanguages.find((each) => each === tag);
  if (language !== undefined) return language;
  throw invalid(`Value for 'language' not supported. Possible: ${styleLanguages.join(', ')}.`);
}

/**
 * Returns rules, having checked that the catalogue contains them.
 *
 * @param given untrusted, except for its shape
 * @throws ServiceError invalid_request listing the possible values
 */
function checkedRules(given: ConfiguredRules): ConfiguredRules {
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

/** Makes the instructions of a new list. @throws ServiceError invalid_request */
function newInstructions(given: readonly StyleInstructionContent[]): StyledInstruction[] {
  if (given.length > MAX_STYLE_INSTRUCTIONS) throw tooManyInstructions();
  return given.map((content, index) =>
    toInstruction(randomUUID(), content, `custom_instructions.${index}.`),
  );
}

/** @throws ServiceError invalid_request */
function toInstruction(
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

function tooManyInstructions(): ServiceError {
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
  // A character has at most two UTF-16 units, so longer texts need no counting.
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

/** Shortens a client's input to the length of a plausible name before repeating it. */
function shortened(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 100)}…`;
}
