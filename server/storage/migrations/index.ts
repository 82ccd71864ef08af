import type { Migration } from 'kysely';
import * as accounts from './0001-accounts.ts';
import * as glossaries from './0002-glossaries.ts';
import * as spokenTerms from './0003-spoken-terms.ts';
import * as documents from './0004-documents.ts';
import * as accountContacts from './0005-account-contacts.ts';
import * as styleRules from './0006-style-rules.ts';
import * as translationMemories from './0007-translation-memories.ts';
import * as usageNotices from './0008-usage-notices.ts';
import * as console from './0009-console.ts';
import * as writeChecks from './0010-write-checks.ts';

/**
 * What brings a database up to date, in order. A new one is a file and a line here; its name sorts
 * after the others, and it is never changed once it has been in a release.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-glossaries': glossaries,
  '0003-spoken-terms': spokenTerms,
  '0004-documents': documents,
  '0005-account-contacts': accountContacts,
  '0006-style-rules': styleRules,
  '0007-translation-memories': translationMemories,
  '0008-usage-notices': usageNotices,
  '0009-console': console,
  '0010-write-checks': writeChecks,
};
