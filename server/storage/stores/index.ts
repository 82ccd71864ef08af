import type { Database } from '../database.ts';
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
} from '../ports.ts';
import { createAccounts } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { createConsoleCredentials } from './console-credentials.ts';
import { createDocuments } from './documents.ts';
import { createGlossaries } from './glossaries.ts';
import { createSpokenTerms } from './spoken-terms.ts';
import { createStyleRules } from './style-rules.ts';
import { createTranslationMemories } from './translation-memories.ts';
import { createUsageEntries, type UsageEntries } from './usage-entries.ts';
import { createUsageNotices } from './usage-notices.ts';
import { createUsageReports } from './usage-reports.ts';
import { createWriteChecks } from './write-checks.ts';

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
