/** What is asked of storage about style rule lists. */
import type { ConfiguredRules } from '../../shared/style-rules/catalogue.ts';

/** An instruction in plain words. */
export interface StyledInstruction {
  instructionId: string;
  label: string;
  prompt: string;
  /** Acts on translations from this language alone; null: from any. */
  sourceLanguage: string | null;
}

export interface StyleRuleListInfo {
  styleId: string;
  name: string;
  /** A base language in lower case. */
  language: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** 1 at first, one more after every change. */
  version: number;
}

export interface StyleRuleList extends StyleRuleListInfo {
  configuredRules: ConfiguredRules;
  /** In the order they came. */
  instructions: StyledInstruction[];
}

/** Every change counts as a version, also under concurrency, and answers the list that it made. */
export interface StyleRules {
  /** @returns false when the account has `maxLists` already */
  create(accountId: string, list: StyleRuleList, maxLists: number): Promise<boolean>;
  /** Oldest first. */
  list(accountId: string, page: { offset: number; limit: number }): Promise<StyleRuleListInfo[]>;
  /** As `list`, with rules and instructions. */
  listDetailed(
    accountId: string,
    page: { offset: number; limit: number },
  ): Promise<StyleRuleList[]>;
  find(accountId: string, styleId: string): Promise<StyleRuleList | undefined>;
  /** Changes what is given and leaves the rest; undefined when there is no such list. */
  change(
    accountId: string,
    styleId: string,
    change: { name?: string; configuredRules?: ConfiguredRules; atMs: number },
  ): Promise<StyleRuleList | undefined>;
  /** `full` when the list has `maxInstructions` already. */
  addInstruction(
    accountId: string,
    styleId: string,
    instruction: StyledInstruction,
    given: { atMs: number; maxInstructions: number },
  ): Promise<StyleRuleList | 'missing' | 'full'>;
  /** Puts an instruction in place of the one with its id. */
  replaceInstruction(
    accountId: string,
    styleId: string,
    instruction: StyledInstruction,
    atMs: number,
  ): Promise<boolean>;
  deleteInstruction(
    accountId: string,
    styleId: string,
    instructionId: string,
    atMs: number,
  ): Promise<boolean>;
  delete(accountId: string, styleId: string): Promise<boolean>;
}
