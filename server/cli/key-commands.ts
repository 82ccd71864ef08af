import { Command } from 'commander';
import { accountOfKeyId } from '../accounts/administration.ts';
import type { ApiKey } from '../http/door.ts';
import { answering } from './administration.ts';
import { addLimits, limitsOf, type LimitOptions } from './options.ts';
import { dayText, fields, keyJson, limitText, minutes, table } from './output.ts';

/** `key create | list | rename | limits | deactivate`. */
export function keyCommands(): Command {
  return new Command('key')
    .description('API keys: what programs prove with who they are')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(renameCommand())
    .addCommand(limitsCommand())
    .addCommand(deactivateCommand());
}

function createCommand(): Command {
  const command = new Command('create')
    .description('make a key; its secret is shown this once')
    .requiredOption('--account <account>', 'name or id of the account')
    .option('--admin', 'an admin key: it administers and does not translate')
    .option('--label <label>', 'what it is for');
  type Options = LimitOptions & { account: string; admin?: boolean; label?: string };
  return answering(addLimits(command), async ({ accounts, apiKeys }) => {
    const options = command.opts<Options>();
    const account = await accounts.resolve(options.account);
    const { key, secret } = await apiKeys.create(account, {
      kind: options.admin === true ? 'admin' : 'developer',
      ...(options.label !== undefined && { label: options.label }),
      limits: limitsOf(options),
    });
    const note = 'The secret is kept nowhere and is not shown again.';
    return {
      json: { ...keyJson(key), secret },
      text: `${fields([['Secret', secret], ...keyFields(key)])}\n\n${note}`,
    };
  });
}

function listCommand(): Command {
  const command = new Command('list')
    .description('the keys of an account, active and deactivated')
    .requiredOption('--account <account>', 'name or id of the account');
  return answering(command, async ({ accounts, apiKeys }) => {
    const { account } = command.opts<{ account: string }>();
    const { accountId } = await accounts.resolve(account);
    const keys = await apiKeys.list(accountId);
    const text = keys.length === 0 ? 'There are no keys yet.' : keyTable(keys);
    return { json: keys.map(keyJson), text };
  });
}

function renameCommand(): Command {
  const command = withKeyId(new Command('rename'))
    .description('give a key another label')
    .argument('<label>', 'what it is for');
  return answering(command, async ({ apiKeys }, keyId = '', label = '') =>
    described(await apiKeys.rename(accountOfKeyId(keyId), keyId, label)),
  );
}

function limitsCommand(): Command {
  const command = withKeyId(new Command('limits')).description(
    'limit what a key may use in a month; what is not given stays',
  );
  return answering(addLimits(command), async ({ apiKeys }, keyId = '') => {
    const limits = limitsOf(command.opts<LimitOptions>());
    return described(await apiKeys.limit(accountOfKeyId(keyId), keyId, limits));
  });
}

function deactivateCommand(): Command {
  const command = withKeyId(new Command('deactivate')).description(
    'end a key at once and for ever, on every server of the database',
  );
  return answering(command, async ({ apiKeys }, keyId = '') =>
    described(await apiKeys.deactivate(accountOfKeyId(keyId), keyId)),
  );
}

function withKeyId(command: Command): Command {
  return command.argument('<key-id>', 'id of the key, from `key list`');
}

/** Keys for people. */
export function keyTable(keys: readonly ApiKey[]): string {
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

function described(key: ApiKey) {
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
