import type { Database } from './storage/database.ts';
import type {
  Accounts,
  ApiKeys,
  Documents,
  Glossaries,
  SpokenTerms,
  StyleRules,
  TranslationMemories,
  ConsoleCredentials,
  WriteChecks,
  UsageNotices,
  UsageReports,
} from './storage/ports.ts';
import { createAccounts } from './accounts/store.ts';
import { createApiKeys } from './accounts/api-keys-store.ts';
import { createConsoleCredentials } from './accounts/console/store.ts';
import { createDocuments } from './documents/jobs/store.ts';
import { createGlossaries } from './glossaries/store.ts';
import { createSpokenTerms } from './spoken-terms/store.ts';
import { createStyleRules } from './style-rules/store.ts';
import { createTranslationMemories } from './memories/store.ts';
import { createUsageEntries, type UsageEntries } from './accounts/usage/store.ts';
import { createUsageNotices } from './accounts/usage/usage-notices-store.ts';
import { createUsageReports } from './accounts/usage/usage-reports-store.ts';
import { createWriteChecks } from './storage/write-checks.ts';

/** The stores as the adapters run them: usage is written in batches, everything else as the ports say. */
export interface DatabaseStores {
  accounts: Accounts;
  apiKeys: ApiKeys;
  usage: UsageEntries;
  usageReports: UsageReports;
  usageNotices: UsageNotices;
  glossaries: Glossaries;
  spokenTerms: SpokenTerms;
  documents: Documents;
  translationMemories: TranslationMemories;
  consoleCredentials: ConsoleCredentials;
  styleRules: StyleRules;
  writeChecks: WriteChecks;
}

/** Every store over a database, or over a transaction of it. */
export function createStores(db: Database): DatabaseStores {
  return {
    accounts: createAccounts(db),
    apiKeys: createApiKeys(db),
    usage: createUsageEntries(db),
    usageReports: createUsageReports(db),
    usageNotices: createUsageNotices(db),
    glossaries: createGlossaries(db),
    spokenTerms: createSpokenTerms(db),
    documents: createDocuments(db),
    translationMemories: createTranslationMemories(db),
    consoleCredentials: createConsoleCredentials(db),
    styleRules: createStyleRules(db),
    writeChecks: createWriteChecks(db),
  };
}
