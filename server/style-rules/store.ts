import { sql } from 'kysely';
import type { ConfiguredRules } from '../../shared/style-rules/catalogue.ts';
import { countOf, type Database, lockAccount, locksRows } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';

/** An instruction in plain words. */
export interface StyledInstruction {
  instructionId: string;
  label: string;
  prompt: string;
  /** Source language that the instruction applies to; null: any. */
  sourceLanguage: string | null;
}

export interface StyleRuleListInfo {
  styleId: string;
  name: string;
  /** A base language in lower case. */
  language: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** Starts at 1 and increases with every change. */
  version: number;
}

export interface StyleRuleList extends StyleRuleListInfo {
  configuredRules: ConfiguredRules;
  /** In order of addition. */
  instructions: StyledInstruction[];
}

/**
 * Every change increments the version, also under concurrency, and methods that return a list return the one
 * that the change produced.
 */
export interface StyleRuleStore {
  /** @returns false if the account already has `maxLists` */
  create(accountId: string, list: StyleRuleList, maxLists: number): Promise<boolean>;
  /** Returns lists, oldest first, without rules and instructions. */
  list(accountId: string, page: { offset: number; limit: number }): Promise<StyleRuleListInfo[]>;
  /** As `list`, with rules and instructions. */
  listDetailed(
    accountId: string,
    page: { offset: number; limit: number },
  ): Promise<StyleRuleList[]>;
  find(accountId: string, styleId: string): Promise<StyleRuleList | undefined>;
  /** Changes the given fields; undefined if there is no such list. */
  change(
    accountId: string,
    styleId: string,
    change: { name?: string; configuredRules?: ConfiguredRules; atMs: number },
  ): Promise<StyleRuleList | undefined>;
  /** Adds an instruction; `full` if the list already has `maxInstructions`. */
  addInstruction(
    accountId: string,
    styleId: string,
    instruction: StyledInstruction,
    given: { atMs: number; maxInstructions: number },
  ): Promise<StyleRuleList | 'missing' | 'full'>;
  /** Replaces the instruction with the same id. */
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

export interface StyleRuleListsTable {
  style_id: string;
  account_id: string;
  name: string;
  language: string;
  created_at_ms: number;
  updated_at_ms: number;
  version: number;
  /** JSON: the option of each rule, by category and rule. */
  configured_rules: string;
}

export interface StyleInstructionsTable {
  style_id: string;
  instruction_id: string;
  /** Position among the instructions of a list. */
  place: number;
  label: string;
  prompt: string;
  source_language: string | null;
}

declare module '../storage/database.ts' {
  interface Tables {
    style_rule_lists: StyleRuleListsTable;
    style_instructions: StyleInstructionsTable;
  }
}

/**
 * Style rule lists, with instructions in rows of their own. Every change first locks the row of its list
 * until the end of the transaction.
 */
export const styleRuleStore = defineStore<StyleRuleStore>({
  over: createStyleRules,
  reads: ['list', 'listDetailed', 'find'],
});

function createStyleRules(db: Database): StyleRuleStore {
  return { ...createReads(db), ...createWrites(db), ...createInstructionWrites(db) };
}

type Reads = Pick<StyleRuleStore, 'list' | 'listDetailed' | 'find'>;
type InstructionWrites = Pick<
  StyleRuleStore,
  'addInstruction' | 'replaceInstruction' | 'deleteInstruction'
>;

function createReads(db: Database): Reads {
  return {
    async list(accountId, { offset, limit }) {
      const rows = await listsOf(db, accountId).offset(offset).limit(limit).execute();
      return rows.map(toInfo);
    },

    async listDetailed(accountId, { offset, limit }) {
      const lists = listsOf(db, accountId).offset(offset).limit(limit);
      return toLists(await withInstructions(db, lists).execute());
    },

    find: (accountId, styleId) => find(db, accountId, styleId),
  };
}

function createWrites(db: Database): Pick<StyleRuleStore, 'create' | 'change' | 'delete'> {
  return {
    async create(accountId, list, maxLists) {
      await lockAccount(db, accountId);
      const own = db.selectFrom('style_rule_lists').where('account_id', '=', accountId);
      if ((await countOf(own)) >= maxLists) return false;
      const { styleId, instructions } = list;
      await db.insertInto('style_rule_lists').values(toRow(accountId, list)).execute();
      if (instructions.length > 0) {
        const rows = instructions.map((each, place) => toInstructionRow(styleId, each, place));
        await db.insertInto('style_instructions').values(rows).execute();
      }
      return true;
    },

    async change(accountId, styleId, change) {
      const isChanged = await nextVersion(db, { accountId, styleId }, change);
      return isChanged ? find(db, accountId, styleId) : undefined;
    },

    async delete(accountId, styleId) {
      const { numDeletedRows } = await db
        .deleteFrom('style_rule_lists')
        .where('account_id', '=', accountId)
        .where('style_id', '=', styleId)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
}

function createInstructionWrites(db: Database): InstructionWrites {
  return {
    async addInstruction(accountId, styleId, instruction, { atMs, maxInstructions }) {
      const list = { accountId, styleId };
      if (!(await lockList(db, list))) return 'missing';
      const { count, last } = await instructionsOf(db, styleId);
      if (count >= maxInstructions) return 'full';
      const row = toInstructionRow(styleId, instruction, (last ?? -1) + 1);
      await db.insertInto('style_instructions').values(row).execute();
      await nextVersion(db, list, { atMs });
      return (await find(db, accountId, styleId)) ?? 'missing';
    },

    async replaceInstruction(accountId, styleId, instruction, atMs) {
      const list = { accountId, styleId };
      if (!(await lockList(db, list))) return false;
      const { instructionId, label, prompt, sourceLanguage } = instruction;
      const { numUpdatedRows } = await db
        .updateTable('style_instructions')
        .set({ label, prompt, source_language: sourceLanguage })
        .where('style_id', '=', styleId)
        .where('instruction_id', '=', instructionId)
        .executeTakeFirst();
      return numUpdatedRows > 0 && nextVersion(db, list, { atMs });
    },

    async deleteInstruction(accountId, styleId, instructionId, atMs) {
      const list = { accountId, styleId };
      if (!(await lockList(db, list))) return false;
      const { numDeletedRows } = await db
        .deleteFrom('style_instructions')
        .where('style_id', '=', styleId)
        .where('instruction_id', '=', instructionId)
        .executeTakeFirst();
      return numDeletedRows > 0 && nextVersion(db, list, { atMs });
    },
  };
}

/** Identifies a list of an account. */
interface ListKey {
  accountId: string;
  styleId: string;
}

/** Locks a list, so that its changes are made one after the other. @returns false if there is none */
async function lockList(db: Database, { accountId, styleId }: ListKey): Promise<boolean> {
  const list = await db
    .selectFrom('style_rule_lists')
    .select('style_id')
    .where('account_id', '=', accountId)
    .where('style_id', '=', styleId)
    .$if(locksRows(db), (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return list !== undefined;
}

/** Increments the version, and applies changes to the list itself. @returns false if there is none */
async function nextVersion(
  db: Database,
  { accountId, styleId }: ListKey,
  { name, configuredRules, atMs }: Parameters<StyleRuleStore['change']>[2],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('style_rule_lists')
    .set(({ eb }) => ({
      version: eb('version', '+', 1),
      updated_at_ms: atMs,
      ...(name !== undefined && { name }),
      ...(configuredRules !== undefined && { configured_rules: JSON.stringify(configuredRules) }),
    }))
    .where('account_id', '=', accountId)
    .where('style_id', '=', styleId)
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

/** Returns the number of instructions, and the position of the last. */
async function instructionsOf(db: Database, styleId: string) {
  return db
    .selectFrom('style_instructions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.max<number | null>('place').as('last'),
    ])
    .where('style_id', '=', styleId)
    .executeTakeFirstOrThrow();
}

async function find(db: Database, accountId: string, styleId: string) {
  const list = listsOf(db, accountId).where('style_id', '=', styleId);
  return toLists(await withInstructions(db, list).execute())[0];
}

const described = [
  'style_id',
  'name',
  'language',
  'created_at_ms',
  'updated_at_ms',
  'version',
] as const;

/** Selects the lists of an account, oldest first. */
function listsOf(db: Database, accountId: string) {
  return db
    .selectFrom('style_rule_lists')
    .select([...described, 'configured_rules'])
    .where('account_id', '=', accountId)
    .orderBy('created_at_ms')
    .orderBy('style_id');
}

/**
 * Selects a row for each list with its rules, followed by a row for each of its instructions. One statement
 * sees lists at one moment, and a join would repeat the rules with every instruction.
 */
function withInstructions(db: Database, lists: ReturnType<typeof listsOf>) {
  const nothing = sql<string | null>`null`;
  return db
    .with('list', () => lists)
    .selectFrom('list')
    .select([...described, 'configured_rules'])
    .select([
      sql<number>`-1`.as('place'),
      nothing.as('instruction_id'),
      nothing.as('label'),
      nothing.as('prompt'),
      nothing.as('source_language'),
    ])
    .unionAll((own) =>
      own
        .selectFrom('list')
        .innerJoin('style_instructions as instruction', 'instruction.style_id', 'list.style_id')
        .select(described.map((column) => `list.${column}` as const))
        .select([
          sql<string>`''`.as('configured_rules'),
          'instruction.place',
          'instruction.instruction_id',
          'instruction.label',
          'instruction.prompt',
          'instruction.source_language',
        ]),
    )
    .orderBy('created_at_ms')
    .orderBy('style_id')
    .orderBy('place');
}

type InfoRow = Omit<StyleRuleListsTable, 'account_id' | 'configured_rules'>;
type ListRow = Awaited<ReturnType<ReturnType<typeof withInstructions>['execute']>>[number];

function toLists(rows: readonly ListRow[]): StyleRuleList[] {
  const lists = new Map<string, StyleRuleList>();
  for (const row of rows) {
    const list = lists.get(row.style_id) ?? {
      ...toInfo(row),
      configuredRules: JSON.parse(row.configured_rules) as ConfiguredRules,
      instructions: [],
    };
    lists.set(row.style_id, list);
    const instruction = toInstruction(row);
    if (instruction !== undefined) list.instructions.push(instruction);
  }
  return [...lists.values()];
}

function toInfo(row: InfoRow): StyleRuleListInfo {
  return {
    styleId: row.style_id,
    name: row.name,
    language: row.language,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    version: row.version,
  };
}

/** Returns the instruction in a row, if it has one. */
function toInstruction(row: ListRow): StyledInstruction | undefined {
  const { instruction_id, label, prompt, source_language } = row;
  if (instruction_id === null || label === null || prompt === null) return undefined;
  return { instructionId: instruction_id, label, prompt, sourceLanguage: source_language };
}

function toRow(accountId: string, list: StyleRuleList): StyleRuleListsTable {
  return {
    style_id: list.styleId,
    account_id: accountId,
    name: list.name,
    language: list.language,
    created_at_ms: list.createdAtMs,
    updated_at_ms: list.updatedAtMs,
    version: list.version,
    configured_rules: JSON.stringify(list.configuredRules),
  };
}

function toInstructionRow(
  styleId: string,
  { instructionId, label, prompt, sourceLanguage }: StyledInstruction,
  place: number,
): StyleInstructionsTable {
  return {
    style_id: styleId,
    instruction_id: instructionId,
    place,
    label,
    prompt,
    source_language: sourceLanguage,
  };
}
