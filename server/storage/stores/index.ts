import type { Database } from '../database.ts';
import type { Accounts, ApiKeys, Documents, Glossaries, SpokenTerms } from '../ports.ts';
import { createAccounts } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { createDocuments } from './documents.ts';
import { createGlossaries } from './glossaries.ts';
import { createSpokenTerms } from './spoken-terms.ts';
import { createUsageEntries, type UsageEntries } from './usage-entries.ts';

/** The stores as the adapters run them: usage is written in batches, everything else as the ports say. */
export interface DatabaseStores {
  accounts: Accounts;
  apiKeys: ApiKeys;
  usage: UsageEntries;
  glossaries: Glossaries;
  spokenTerms: SpokenTerms;
  documents: Documents;
}

/** Every store over a database, or over a transaction of it. */
export function createStores(db: Database): DatabaseStores {
  return {
    accounts: createAccounts(db),
    apiKeys: createApiKeys(db),
    usage: createUsageEntries(db),
    glossaries: createGlossaries(db),
    spokenTerms: createSpokenTerms(db),
    documents: createDocuments(db),
  };
}
