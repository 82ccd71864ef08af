/** Accounts: who may use the server, on which plan and how much. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import type { Account, Feature, Plan, UsageLimits } from '../http/door.ts';
import type { AccountStore } from './store.ts';
import { checkedLimits, checkedName } from './account-checks.ts';
import { checkedEmails, checkedOrigins } from './account-contacts.ts';

/** What an account starts with. */
export interface NewAccount {
  name: string;
  plan: Plan;
  features?: readonly Feature[];
  /** Without limit unless said otherwise. */
  limits?: Partial<UsageLimits>;
}

/** What can be changed of an account; what is not given stays. */
export interface AccountChange {
  name?: string;
  plan?: Plan;
  addFeatures?: readonly Feature[];
  removeFeatures?: readonly Feature[];
  limits?: Partial<UsageLimits>;
  /** Whole lists, in place of those there are. */
  origins?: readonly string[];
  emails?: readonly string[];
}

export interface AccountService {
  /** @throws ServiceError invalid_request for a name that is taken or not usable, or a bad limit */
  create(account: NewAccount): Promise<Account>;
  /** Oldest first. */
  list(): Promise<Account[]>;
  /** Finds an account by its id or its name. @throws ServiceError not_found, invalid_request when several have the name */
  resolve(idOrName: string): Promise<Account>;
  /** @throws ServiceError not_found, invalid_request */
  change(accountId: string, change: AccountChange): Promise<Account>;
}

/** Makes the service over stored accounts. */
export function createAccountService({
  accounts,
  now = Date.now,
}: {
  accounts: AccountStore;
  now?: () => number;
}): AccountService {
  async function freeName(text: string, ownId?: string): Promise<string> {
    const name = checkedName(text, 'name');
    const all = await accounts.list();
    const isTaken = all.some((other) => other.name === name && other.accountId !== ownId);
    if (isTaken) throw invalid(`There is an account named '${name}' already.`);
    return name;
  }

  async function find(accountId: string): Promise<Account> {
    const account = await accounts.find(accountId);
    if (account === undefined) throw new ServiceError('not_found', 'There is no such account.');
    return account;
  }

  return {
    async create({ name, plan, features = [], limits = {} }) {
      const account: Account = {
        accountId: randomUUID(),
        name: await freeName(name),
        plan,
        features: [...new Set(features)],
        limits: { characters: null, speechMs: null, ...checkedLimits(limits) },
        ...{ origins: [], emails: [] },
        createdAtMs: now(),
      };
      await accounts.create(account);
      return account;
    },

    list: () => accounts.list(),

    async resolve(idOrName) {
      const all = await accounts.list();
      const byId = all.find(({ accountId }) => accountId === idOrName.toLowerCase());
      const [found, second] = byId ? [byId] : all.filter(({ name }) => name === idOrName);
      if (second !== undefined) {
        throw invalid(`Several accounts are named '${idOrName}': give the id.`);
      }
      if (found !== undefined) return found;
      throw new ServiceError('not_found', `There is no account '${idOrName}'.`);
    },

    async change(accountId, change) {
      const { features } = await find(accountId);
      const { name } = change;
      // What is not given is left to whoever changes it at the same time.
      const changed = await accounts.change(accountId, {
        ...(name !== undefined && { name: await freeName(name, accountId) }),
        ...checkedChange(change, features),
      });
      return changed ?? find(accountId);
    },
  };
}

function checkedChange(change: AccountChange, features: readonly Feature[]) {
  const { plan, addFeatures, removeFeatures, limits, origins, emails } = change;
  const removed = new Set(removeFeatures);
  const kept = new Set([...features, ...(addFeatures ?? [])]);
  const changesFeatures = addFeatures !== undefined || removeFeatures !== undefined;
  return {
    ...(plan !== undefined && { plan }),
    ...(changesFeatures && { features: [...kept].filter((feature) => !removed.has(feature)) }),
    ...(limits !== undefined && { limits: checkedLimits(limits) }),
    ...(origins !== undefined && { origins: checkedOrigins(origins) }),
    ...(emails !== undefined && { emails: checkedEmails(emails) }),
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
