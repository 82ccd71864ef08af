import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { defineStore } from './store.ts';

/** Tells this database from others. */
export interface InstallationStore {
  /** Its id, made when it is asked for first. */
  id(): Promise<string>;
}

const ONLY_ROW = 1;

export interface InstallationTable {
  row_id: number;
  installation_id: string;
}

declare module './database.ts' {
  interface Tables {
    installation: InstallationTable;
  }
}

/** Which database this is. */
export const installationStore = defineStore<InstallationStore>({
  over: createInstallation,
  reads: [],
});

function createInstallation(db: Database): InstallationStore {
  return {
    async id() {
      await db
        .insertInto('installation')
        .values({ row_id: ONLY_ROW, installation_id: randomUUID() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('installation')
        .select('installation_id')
        .executeTakeFirstOrThrow();
      return row.installation_id;
    },
  };
}
