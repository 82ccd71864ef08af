/** Accounts: their creation, plan, features and limits, and validation of what administrators enter. */
import { randomUUID } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import type { Account, Feature, Plan, UsageLimits } from '../http/door.ts';
import { countCodePoints, FORBIDDEN_CHARACTER } from '../text/code-points.ts';
import type { AccountStore } from './store.ts';

/** Initial values of an account. */
export interface NewAccount {
  name: string;
  plan: Plan;
  features?: readonly Feature[];
  /** No limit by default. */
  limits?: Partial<UsageLimits>;
}

/** Changes to an account; omitted fields stay as they are. */
interface AccountChange {
  name?: string;
  plan?: Plan;
  addFeatures?: readonly Feature[];
  removeFeatures?: readonly Feature[];
  limits?: Partial<UsageLimits>;
  /** Complete lists, which replace the existing ones. */
  origins?: readonly string[];
  emails?: readonly string[];
}

export interface AccountService {
  /** @throws ServiceError invalid_request for a taken or invalid name, or an invalid limit */
  create(account: NewAccount): Promise<Account>;
  /** Oldest first. */
  list(): Promise<Account[]>;
  /**
   * Finds an account by its id or name.
   *
   * @throws ServiceError not_found, invalid_request when several have the name
   */
  resolve(idOrName: string): Promise<Account>;
  /** @throws ServiceError not_found, invalid_request */
  change(accountId: string, change: AccountChange): Promise<Account>;
}

/** Makes the service over the account store. */
export function createAccountService({ accounts }: { accounts: AccountStore }): AccountService {
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
        origins: [],
        emails: [],
        createdAtMs: Date.now(),
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
      // Omitted fields are not written, so that a concurrent change of them is kept.
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

// Validation of what people enter when they administer accounts and keys.

const MAX_NAME_LENGTH = 256;

/**
 * Returns a name or label without surrounding blanks.
 *
 * @param field name of the field in the message
 * @throws ServiceError invalid_request when it is empty, too long, or has control characters
 */
export function checkedName(text: string, field: string): string {
  const name = text.trim();
  const length = countCodePoints(name);
  // Line breaks and escape sequences would disturb the terminals that show the name.
  if (length > 0 && length <= MAX_NAME_LENGTH && !FORBIDDEN_CHARACTER.test(name)) return name;
  throw invalid(
    `Value for '${field}' not supported: 1 to ${MAX_NAME_LENGTH} characters, no control characters.`,
  );
}

/** Returns valid limits: whole numbers from 0, or null for none. @throws ServiceError invalid_request */
export function checkedLimits(limits: Partial<UsageLimits>): Partial<UsageLimits> {
  for (const [name, value] of Object.entries(limits)) {
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw invalid(
      `Value for '${name}' not supported: a whole number from 0, or null for no limit.`,
    );
  }
  return limits;
}

const MAX_ENTRIES = 100;
const MAX_EMAIL_LENGTH = 254;
/** A single address without a display name: what SMTP takes between the angle brackets. */
const EMAIL = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]+$/;

/**
 * Returns distinct origins as browsers send them, `https://example.org` or `http://localhost:3000`;
 * `*` stands for every site.
 *
 * @throws ServiceError invalid_request, naming the invalid entry
 */
export function checkedOrigins(given: readonly string[]): string[] {
  refuseTooMany(given, 'origins');
  return [...new Set(given.map(checkedOrigin))];
}

/** Returns distinct e-mail addresses. @throws ServiceError invalid_request, naming the invalid entry */
export function checkedEmails(given: readonly string[]): string[] {
  refuseTooMany(given, 'emails');
  return [...new Set(given.map(checkedEmail))];
}

function checkedOrigin(given: string, index: number): string {
  const text = given.trim();
  if (text === '*') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSite = url?.protocol === 'https:' || url?.protocol === 'http:';
  // An origin with a path, a query or credentials would never match.
  if (isSite && `${url.origin}/` === url.href && !url.host.includes('*')) return url.origin;
  throw invalid(
    `Value for 'origins.${index}' not supported: give scheme, host and port alone, such as https://example.org, or * for every site.`,
  );
}

function checkedEmail(given: string, index: number): string {
  const address = given.trim();
  if (address.length <= MAX_EMAIL_LENGTH && EMAIL.test(address) && !/\p{Cc}/u.test(address)) {
    return address;
  }
  throw invalid(
    `Value for 'emails.${index}' not supported: give one address, such as desk@example.org.`,
  );
}

function refuseTooMany(given: readonly string[], name: string): void {
  if (given.length <= MAX_ENTRIES) return;
  throw invalid(`Value for '${name}' not supported: at most ${MAX_ENTRIES}.`);
}
