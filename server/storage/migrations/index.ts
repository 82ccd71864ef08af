import type { Migration } from 'kysely';
import * as accounts from './0001-accounts.ts';
import * as glossaries from './0002-glossaries.ts';
import * as spokenTerms from './0003-spoken-terms.ts';
import * as documents from './0004-documents.ts';

/**
 * What brings a database up to date, in order. A new one is a file and a line here; its name sorts
 * after the others, and it is never changed once it has been in a release.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-glossaries': glossaries,
  '0003-spoken-terms': spokenTerms,
  '0004-documents': documents,
};
