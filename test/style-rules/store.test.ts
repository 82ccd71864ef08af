import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StyledInstruction, StyleRuleList } from '../../server/style-rules/store.ts';
import type { Storage } from '../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount } from '../storage/samples.ts';

const openDatabase = databasesOfThisFile();

const instructionOf = (given: Partial<StyledInstruction> = {}): StyledInstruction => ({
  instructionId: randomUUID(),
  label: `'; drop table style_instructions; --`,
  prompt: 'Sound like "a friend" 😀.',
  sourceLanguage: null,
  ...given,
});

const listOf = (given: Partial<StyleRuleList> = {}): StyleRuleList => ({
  styleId: randomUUID(),
  name: 'Überseehandel',
  language: 'en',
  createdAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_000_000,
  version: 1,
  configuredRules: { punctuation: { apostrophe: 'use_curly_apostrophes' } },
  instructions: [instructionOf(), instructionOf({ sourceLanguage: 'pt-BR' }), instructionOf()],
  ...given,
});

const infoOf = ({ configuredRules: _rules, instructions: _all, ...info }: StyleRuleList) => info;

describe.each(databaseNames)('style rule lists in %s', (name) => {
  /** Two connections to one database, as of two processes. */
  let storage: Storage;
  let other: Storage;

  beforeAll(async () => {
    ({ storage, other } = await openDatabase(name));
  });

  const newAccountId = async () => (await openAccount(storage)).account.accountId;
  const everything = { offset: 0, limit: 1000 };

  /** Creates a list of a new account. */
  async function newList(given: Partial<StyleRuleList> = {}) {
    const accountId = await newAccountId();
    const list = listOf(given);
    expect(await storage.styleRules.create(accountId, list, 10)).toBe(true);
    return { accountId, list, styleId: list.styleId };
  }

  it('are returned as created, with instructions in order', async () => {
    const { accountId, list, styleId } = await newList();
    expect(await other.styleRules.find(accountId, styleId)).toEqual(list);
    expect(await other.styleRules.listDetailed(accountId, everything)).toEqual([list]);
    expect(await other.styleRules.list(accountId, everything)).toEqual([infoOf(list)]);
  });

  it('are listed in pages, oldest first, with whole lists', async () => {
    const accountId = await newAccountId();
    const lists = [4, 2, 3, 1, 5].map((createdAtMs) =>
      listOf({ createdAtMs, ...(createdAtMs === 3 && { instructions: [] }) }),
    );
    for (const list of lists) await storage.styleRules.create(accountId, list, 10);
    const inOrder = lists.toSorted((one, two) => one.createdAtMs - two.createdAtMs);
    const page = (offset: number) => ({ offset, limit: 2 });
    for (const offset of [0, 2, 4, 6]) {
      const expected = inOrder.slice(offset, offset + 2);
      expect(await storage.styleRules.listDetailed(accountId, page(offset))).toEqual(expected);
      expect(await storage.styleRules.list(accountId, page(offset))).toEqual(expected.map(infoOf));
    }
  });

  it('count every change as a version, and return the resulting list', async () => {
    const { accountId, list, styleId } = await newList();
    const { styleRules } = storage;
    const [first, second, third] = list.instructions as [
      StyledInstruction,
      StyledInstruction,
      StyledInstruction,
    ];
    const renamed = { ...list, name: 'Neu', updatedAtMs: 2, version: 2 };
    expect(await styleRules.change(accountId, styleId, { name: 'Neu', atMs: 2 })).toEqual(renamed);
    const ruled = { ...renamed, configuredRules: {}, updatedAtMs: 3, version: 3 };
    const rules = { configuredRules: {}, atMs: 3 };
    expect(await styleRules.change(accountId, styleId, rules)).toEqual(ruled);
    const added = instructionOf({ sourceLanguage: 'de' });
    const place = { atMs: 4, maxInstructions: 4 };
    const grown = {
      ...ruled,
      updatedAtMs: 4,
      version: 4,
      instructions: [first, second, third, added],
    };
    expect(await styleRules.addInstruction(accountId, styleId, added, place)).toEqual(grown);
    expect(await styleRules.addInstruction(accountId, styleId, instructionOf(), place)).toBe(
      'full',
    );
    expect(await styleRules.deleteInstruction(accountId, styleId, first.instructionId, 5)).toBe(
      true,
    );
    const other5 = { ...second, label: 'B', sourceLanguage: null };
    expect(await styleRules.replaceInstruction(accountId, styleId, other5, 6)).toBe(true);
    expect(await other.styleRules.find(accountId, styleId)).toEqual({
      ...grown,
      updatedAtMs: 6,
      version: 6,
      instructions: [other5, third, added],
    });
  });

  it('keep their version after an operation without effect', async () => {
    const { accountId, list, styleId } = await newList();
    const { styleRules } = storage;
    const stranger = instructionOf();
    expect(await styleRules.replaceInstruction(accountId, styleId, stranger, 2)).toBe(false);
    const { instructionId } = stranger;
    expect(await styleRules.deleteInstruction(accountId, styleId, instructionId, 2)).toBe(false);
    const full = { atMs: 2, maxInstructions: 3 };
    expect(await styleRules.addInstruction(accountId, styleId, stranger, full)).toBe('full');
    expect(await styleRules.find(accountId, styleId)).toEqual(list);
  });

  it('are hidden from other accounts in every operation', async () => {
    const { accountId, list, styleId } = await newList();
    const strangerId = await newAccountId();
    const { styleRules } = storage;
    const [instruction] = list.instructions as [StyledInstruction];
    const { instructionId } = instruction;
    expect(await styleRules.find(strangerId, styleId)).toBeUndefined();
    expect(await styleRules.list(strangerId, everything)).toEqual([]);
    expect(await styleRules.change(strangerId, styleId, { name: 'x', atMs: 2 })).toBeUndefined();
    const place = { atMs: 2, maxInstructions: 200 };
    const add = styleRules.addInstruction(strangerId, styleId, instructionOf(), place);
    expect(await add).toBe('missing');
    expect(await styleRules.replaceInstruction(strangerId, styleId, instruction, 2)).toBe(false);
    expect(await styleRules.deleteInstruction(strangerId, styleId, instructionId, 2)).toBe(false);
    expect(await styleRules.delete(strangerId, styleId)).toBe(false);
    expect(await styleRules.find(accountId, styleId)).toEqual(list);
  });

  it('have exactly the permitted instructions and a version for each change in concurrent additions', async () => {
    const { accountId, styleId } = await newList({ instructions: [] });
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        [storage, other][index % 2]!.styleRules.addInstruction(
          accountId,
          styleId,
          instructionOf(),
          {
            atMs: 2,
            maxInstructions: 16,
          },
        ),
      ),
    );
    const made = outcomes.filter((outcome) => typeof outcome === 'object');
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(8);
    expect(made).toHaveLength(16);
    // Each caller received the list as its own change left it.
    const versions = made.map(({ version }) => version).sort((one, two) => one - two);
    expect(versions).toEqual(Array.from({ length: 16 }, (_, index) => index + 2));
    for (const { version, instructions } of made) expect(instructions).toHaveLength(version - 1);
    const found = await storage.styleRules.find(accountId, styleId);
    expect([found?.version, found?.instructions.length]).toEqual([17, 16]);
  });

  it('lose an instruction once in concurrent deletions and changes', async () => {
    const { accountId, list, styleId } = await newList();
    const { instructionId } = list.instructions[1]!;
    const [deletions, changes] = await Promise.all([
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          [storage, other][index % 2]!.styleRules.deleteInstruction(
            accountId,
            styleId,
            instructionId,
            2,
          ),
        ),
      ),
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          [other, storage][index % 2]!.styleRules.change(accountId, styleId, {
            name: `n${index}`,
            atMs: 2,
          }),
        ),
      ),
    ]);
    expect(deletions.filter(Boolean)).toHaveLength(1);
    expect(new Set(changes.map((changed) => changed?.version)).size).toBe(12);
    const found = await storage.styleRules.find(accountId, styleId);
    expect([found?.version, found?.instructions.length]).toEqual([14, 2]);
  });

  it('never exceed the limit of an account, whoever creates them', async () => {
    const accountId = await newAccountId();
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [storage, other][index % 2]!.styleRules.create(accountId, listOf(), 5),
      ),
    );
    expect(created.filter(Boolean)).toHaveLength(5);
    expect(await storage.styleRules.list(accountId, everything)).toHaveLength(5);
  });

  it('are deleted once, with their instructions', async () => {
    const { accountId, list, styleId } = await newList();
    expect(await storage.styleRules.delete(accountId, styleId)).toBe(true);
    expect(await other.styleRules.delete(accountId, styleId)).toBe(false);
    // Nothing remains that would prevent another list with this id.
    expect(await storage.styleRules.create(accountId, list, 10)).toBe(true);
  });
});
