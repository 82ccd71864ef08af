/** The commands `account …` and `key …`: manage accounts, their plans and limits, and API keys. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { accountOfKeyId, linkPath, type UsageTotals } from '../accounts/administration.ts';
import type { Account, ApiKey, Feature, Plan, UsageLimits } from '../http/door.ts';
import { type Administration, answering } from './administration.ts';
import {
  accountJson,
  dayText,
  fields,
  keyJson,
  limitText,
  minutes,
  shareText,
  table,
  usageJson,
} from './output.ts';
import { publicAddress } from './running-server.ts';

/** `account create | list | show | change | console-link`. */
export function accountCommands(): Command {
  return new Command('account')
    .description('manage accounts, their plans and their limits')
    .addCommand(createAccount())
    .addCommand(listAccounts())
    .addCommand(showAccount())
    .addCommand(changeAccount())
    .addCommand(consoleLink());
}

function createAccount(): Command {
  const command = new Command('create')
    .description('create an account; create its first key with `key create`')
    .requiredOption('--name <name>', 'unique name')
    .addOption(planOption().makeOptionMandatory())
    .addOption(featureOption('--feature', 'feature of the account'));
  type Options = LimitOptions & { name: string; plan: Plan; feature?: Feature[] };
  return answering(addLimits(command), async ({ accounts }) => {
    const options = command.opts<Options>();
    const { name, plan, feature = [] } = options;
    const limits = limitsOf(options);
    return describedAccount(await accounts.create({ name, plan, features: feature, limits }));
  });
}

function listAccounts(): Command {
  const command = new Command('list').description('list all accounts, oldest first');
  return answering(command, async ({ accounts }) => {
    const all = await accounts.list();
    const rows = all.map(({ accountId, name, plan, features, limits }) => {
      return [name, plan, features.join(' '), limitText(limits.characters), accountId];
    });
    const head = ['NAME', 'PLAN', 'FEATURES', 'CHARACTERS A MONTH', 'ID'];
    const text = all.length === 0 ? 'There are no accounts yet.' : table(head, rows);
    return { json: all.map(accountJson), text };
  });
}

function showAccount(): Command {
  const command = new Command('show')
    .description('show an account, its usage this month, and its keys')
    .argument('<account>', 'name or id');
  return answering(command, async (administration, name = '') => {
    const account = await administration.accounts.resolve(name);
    const keys = await administration.apiKeys.list(account.accountId);
    const used = await usedThisMonth(administration, account, keys);
    const text = [
      accountText(account, used),
      keys.length === 0 ? 'It has no keys.' : keyTable(keys),
    ].join('\n\n');
    const json = { ...accountJson(account), usage: usageJson(used), keys: keys.map(keyJson) };
    return { json, text };
  });
}

function changeAccount(): Command {
  const command = new Command('change')
    .description('change the given properties of an account')
    .argument('<account>', 'name or id')
    .option('--name <name>', 'new name')
    .addOption(planOption())
    .addOption(featureOption('--add-feature', 'feature to add'))
    .addOption(featureOption('--remove-feature', 'feature to remove'))
    .addOption(listOption('--add-origin <origin>', 'site to add whose pages may call the server'))
    .addOption(listOption('--remove-origin <origin>', 'site to remove'))
    .addOption(listOption('--add-email <address>', 'address to add for notices about usage limits'))
    .addOption(listOption('--remove-email <address>', 'address to remove'));
  type Options = LimitOptions & {
    name?: string;
    plan?: Plan;
    addFeature?: Feature[];
    removeFeature?: Feature[];
    addOrigin?: string[];
    removeOrigin?: string[];
    addEmail?: string[];
    removeEmail?: string[];
  };
  return answering(addLimits(command), async ({ accounts }, idOrName = '') => {
    const options = command.opts<Options>();
    const { name, plan, addFeature = [], removeFeature = [] } = options;
    const { accountId, origins, emails } = await accounts.resolve(idOrName);
    const change = {
      ...(name !== undefined && { name }),
      ...(plan !== undefined && { plan }),
      addFeatures: addFeature,
      removeFeatures: removeFeature,
      limits: limitsOf(options),
      ...changedList('origins', origins, options.addOrigin, options.removeOrigin),
      ...changedList('emails', emails, options.addEmail, options.removeEmail),
    };
    return describedAccount(await accounts.change(accountId, change));
  });
}

function describedAccount(account: Account) {
  return { json: accountJson(account), text: accountText(account) };
}

function accountText(account: Account, used?: UsageTotals): string {
  const { characters, speechMs } = account.limits;
  const maxMinutes = speechMs === null ? null : minutes(speechMs);
  return fields([
    ['Account', account.name],
    ['Id', account.accountId],
    ['Plan', account.plan],
    ['Features', account.features.join(', ') || 'none'],
    ...(used === undefined
      ? ([
          ['Characters', `${limitText(characters)} a month`],
          ['Speech', `${limitText(maxMinutes)} minutes a month`],
        ] as const)
      : ([
          [
            'Characters',
            shareText(used.text + used.document + used.write, characters, 'this month'),
          ],
          ['Speech', shareText(minutes(used.speech), maxMinutes, 'minutes this month')],
        ] as const)),
    ['Sites', account.origins.join(', ') || 'none'],
    ['E-mail', account.emails.join(', ') || 'none'],
    ['Since', dayText(account.createdAtMs)],
  ]);
}

async function usedThisMonth(
  { usage }: Administration,
  { accountId }: Account,
  [key]: readonly ApiKey[],
): Promise<UsageTotals> {
  // An account without keys has no usage.
  if (key === undefined) return { text: 0, document: 0, write: 0, speech: 0 };
  return (await usage.ofMonth(accountId, key.keyId, Date.now())).account;
}

/** `account console-link`. */
function consoleLink(): Command {
  const command = new Command('console-link')
    .description('create a link for setting the password of an account; works once, within a day')
    .argument('<account>', 'name or id');
  return answering(command, async ({ accounts, consoleAccess }, idOrName = '') => {
    const { accountId, name } = await accounts.resolve(idOrName);
    const { token, expiresAtMs } = await consoleAccess.issueLink(accountId);
    const link = publicAddress().replace(/\/$/, '') + linkPath(token);
    const expires = new Date(expiresAtMs).toISOString();
    return {
      json: { account_id: accountId, link, expires_time: expires },
      text: `${link}\n\nWhoever opens it sets the password of ${name}: pass it on in private.\nIt works once, until ${expires}.`,
    };
  });
}

/** `key create | list | rename | limits | deactivate`. */
export function keyCommands(): Command {
  return new Command('key')
    .description('manage API keys, which authenticate programs')
    .addCommand(createKey())
    .addCommand(listKeys())
    .addCommand(renameKey())
    .addCommand(limitKey())
    .addCommand(deactivateKey());
}

function createKey(): Command {
  const command = new Command('create')
    .description('create a key; its secret is shown only once')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--admin', 'create an admin key, which administers but does not translate')
    .option('--label <label>', 'purpose of the key');
  type Options = LimitOptions & { account: string; admin?: boolean; label?: string };
  return answering(addLimits(command), async ({ accounts, apiKeys }) => {
    const options = command.opts<Options>();
    const account = await accounts.resolve(options.account);
    const { key, secret } = await apiKeys.create(account, {
      kind: options.admin === true ? 'admin' : 'developer',
      ...(options.label !== undefined && { label: options.label }),
      limits: limitsOf(options),
    });
    const note = 'The secret is not stored and will not be shown again.';
    return {
      json: { ...keyJson(key), secret },
      text: `${fields([['Secret', secret], ...keyFields(key)])}\n\n${note}`,
    };
  });
}

function listKeys(): Command {
  const command = new Command('list')
    .description('list the keys of an account, active and deactivated')
    .requiredOption('--account <account>', 'name or id of the account');
  return answering(command, async ({ accounts, apiKeys }) => {
    const { account } = command.opts<{ account: string }>();
    const { accountId } = await accounts.resolve(account);
    const keys = await apiKeys.list(accountId);
    const text = keys.length === 0 ? 'There are no keys yet.' : keyTable(keys);
    return { json: keys.map(keyJson), text };
  });
}

function renameKey(): Command {
  const command = withKeyId(new Command('rename'))
    .description('change the label of a key')
    .argument('<label>', 'purpose of the key');
  return answering(command, async ({ apiKeys }, keyId = '', label = '') =>
    describedKey(await apiKeys.rename(accountOfKeyId(keyId), keyId, label)),
  );
}

function limitKey(): Command {
  const command = withKeyId(new Command('limits')).description(
    'limit the monthly usage of a key; limits that are not given stay as they are',
  );
  return answering(addLimits(command), async ({ apiKeys }, keyId = '') => {
    const limits = limitsOf(command.opts<LimitOptions>());
    return describedKey(await apiKeys.limit(accountOfKeyId(keyId), keyId, limits));
  });
}

function deactivateKey(): Command {
  const command = withKeyId(new Command('deactivate')).description(
    'deactivate a key at once and permanently, on all servers that share the database',
  );
  return answering(command, async ({ apiKeys }, keyId = '') =>
    describedKey(await apiKeys.deactivate(accountOfKeyId(keyId), keyId)),
  );
}

function withKeyId(command: Command): Command {
  return command.argument('<key-id>', 'ID of the key, from `key list`');
}

/** Formats keys as a table. */
function keyTable(keys: readonly ApiKey[]): string {
  return table(
    ['LABEL', 'KIND', 'SECRET', 'STATE', 'CHARACTERS A MONTH', 'ID'],
    keys.map((key) => [
      key.label,
      key.kind,
      key.masked,
      stateText(key),
      limitText(key.limits.characters),
      key.keyId,
    ]),
  );
}

function describedKey(key: ApiKey) {
  return { json: keyJson(key), text: fields(keyFields(key)) };
}

function keyFields(key: ApiKey): [label: string, value: string][] {
  const { characters, speechMs } = key.limits;
  return [
    ['Key', `${key.label} (${key.masked})`],
    ['Id', key.keyId],
    ['Kind', key.kind],
    ['State', stateText(key)],
    ['Characters', `${limitText(characters)} a month`],
    ['Speech', `${limitText(speechMs === null ? null : minutes(speechMs))} minutes a month`],
  ];
}

function stateText({ deactivatedAtMs }: ApiKey): string {
  return deactivatedAtMs === null ? 'active' : `deactivated ${dayText(deactivatedAtMs)}`;
}

// Options shared by several commands.

const MINUTE_MS = 60_000;
const FEATURES: readonly Feature[] = ['admin', 'detection'];

/** The value of a limit option. `none` is a text, because commander takes null for a missing value. */
type LimitValue = number | 'none';

/**
 * The values of {@link addLimits}; an absent value means unchanged, or no limit for new accounts
 * and keys.
 */
interface LimitOptions {
  characters?: LimitValue;
  speechMinutes?: LimitValue;
  speechMs?: LimitValue;
}

/** Adds the options for monthly limits. */
function addLimits(command: Command): Command {
  return command
    .option(
      '--characters <number>',
      'maximum characters a month (0 blocks, none removes the limit)',
      parseLimit,
    )
    .option('--speech-minutes <number>', 'maximum minutes of speech a month', parseLimit)
    .option('--speech-ms <number>', 'maximum milliseconds of speech a month', parseLimit);
}

/** Returns the limits that were given. */
function limitsOf(options: LimitOptions): Partial<UsageLimits> {
  const { characters, speechMinutes, speechMs } = options;
  return {
    ...(characters !== undefined && { characters: limitOf(characters, 1) }),
    ...(speechMinutes !== undefined && { speechMs: limitOf(speechMinutes, MINUTE_MS) }),
    ...(speechMs !== undefined && { speechMs: limitOf(speechMs, 1) }),
  };
}

function limitOf(value: LimitValue, unit: number): number | null {
  return value === 'none' ? null : value * unit;
}

/** A repeatable option that names a feature. */
function featureOption(flag: string, description: string): Option {
  return new Option(
    `${flag} <feature>`,
    `${description}: ${FEATURES.join(', ')} (repeatable)`,
  ).argParser((value: string, previous: Feature[] | undefined) => {
    const feature = FEATURES.find((known) => known === value);
    if (feature === undefined) throw new InvalidArgumentError(`Possible: ${FEATURES.join(', ')}.`);
    return [...(previous ?? []), feature];
  });
}

/** A repeatable option. */
function listOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser(
    (value: string, previous: string[] | undefined) => [...(previous ?? []), value],
  );
}

/** Returns a list with entries added and removed, under its name; empty if nothing was given. */
function changedList<Name extends string>(
  name: Name,
  list: readonly string[],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): Partial<Record<Name, string[]>> {
  if (added.length + removed.length === 0) return {};
  const entries = [...new Set([...list, ...added])].filter((entry) => !removed.includes(entry));
  return { [name]: entries } as Record<Name, string[]>;
}

function planOption(): Option {
  return new Option('--plan <plan>', 'plan of the account').choices(['pro', 'free']);
}

function parseLimit(value: string): LimitValue {
  if (value === 'none') return value;
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Give a whole number from 0, or none.');
}
