import { Command } from 'commander';
import { linkPath } from '../accounts/console/console-access.ts';
import { answering } from './answering.ts';
import { publicAddress } from './server-access.ts';

/** `account console-link`. */
export function consoleLinkCommand(): Command {
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
