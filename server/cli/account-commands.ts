import { Command } from 'commander';
import type { Account, ApiKey, Feature, Plan } from '../http/door.ts';
import { linkPath, type UsageTotals } from '../accounts/administration.ts';
import { type Administration, answering } from './administration.ts';
import {
  addLimits,
  changedList,
  featureOption,
  limitsOf,
  listOption,
  planOption,
  type LimitOptions,
} from './options.ts';
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
import { keyTable } from './key-commands.ts';
import { publicAddress } from './running-server.ts';

/** `account create | list | show | change | console-link`. */
export function accountCommands(): Command {
  return new Command('account')
    .description('accounts: who may use the server, on which plan and how much')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(changeCommand())
    .addCommand(consoleLinkCommand());
}

function createCommand(): Command {
  const command = new Command('create')
    .description('make an account; `key create` then makes its first key')
    .requiredOption('--name <name>', 'name, not taken yet')
    .addOption(planOption().makeOptionMandatory())
    .addOption(featureOption('--feature', 'something it may do besides'));
  type Options = LimitOptions & { name: string; plan: Plan; feature?: Feature[] };
  return answering(addLimits(command), async ({ accounts }) => {
    const options = command.opts<Options>();
    const { name, plan, feature = [] } = options;
    const limits = limitsOf(options);
    return described(await accounts.create({ name, plan, features: feature, limits }));
  });
}

function listCommand(): Command {
  const command = new Command('list').description('all accounts, oldest first');
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

function showCommand(): Command {
  const command = new Command('show')
    .description('an account, what it used this month, and its keys')
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

function changeCommand(): Command {
  const command = new Command('change')
    .description('change what is given of an account and leave the rest')
    .argument('<account>', 'name or id')
    .option('--name <name>', 'new name')
    .addOption(planOption())
    .addOption(featureOption('--add-feature', 'something it may do from now on'))
    .addOption(featureOption('--remove-feature', 'something it may do no more'))
    .addOption(listOption('--add-origin <origin>', 'a site whose pages may call the server'))
    .addOption(listOption('--remove-origin <origin>', 'a site whose pages may do so no more'))
    .addOption(listOption('--add-email <address>', 'who is told when a limit comes near'))
    .addOption(listOption('--remove-email <address>', 'who is told no more'));
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
    return described(await accounts.change(accountId, change));
  });
}

function described(account: Account) {
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
  // Without a key nothing can have been used.
  if (key === undefined) return { text: 0, document: 0, write: 0, speech: 0 };
  return (await usage.ofMonth(accountId, key.keyId, Date.now())).account;
}

/** `account console-link`. */
function consoleLinkCommand(): Command {
  const command = new Command('console-link')
    .description('make a link with which the password of an account can be set once, within a day')
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
