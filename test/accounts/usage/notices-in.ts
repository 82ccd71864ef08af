/** Helpers for the notice tests, in a database without initial notices. */
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { createSmtpMailer } from '../../../server/accounts/usage/smtp-mailer.ts';
import { createUsageNoticeSender } from '../../../server/accounts/usage/usage-notices.ts';
import type { Storage } from '../../../server/stores.ts';
import type { DatabasePair } from '../../storage/database-pair.ts';
import { openAccount } from '../../storage/samples.ts';
import { recordLog } from '../../support/product/log-record.ts';
import {
  startMailServer,
  type MailServer,
  type MailServerOptions,
} from '../../support/services/mail-server.ts';

const FROM = 'Dragoman <notices@dragoman.example.org>';
export const MINUTE_MS = 60_000;

/** The default recipients. */
export const emails = ['ada@example.org', 'ben@example.org'] as const;

/** To be called in a `describe` or a file, whose tests may use the result. */
export function noticesIn(openDatabase: () => Promise<DatabasePair>) {
  let database: DatabasePair;
  const state = {
    servers: [] as MailServer[],
    /** The current time for senders and charges. */
    nowMs: 0,
    log: recordLog(),

    get storage(): Storage {
      return database.storage;
    },
    get other(): Storage {
      return database.other;
    },

    /** Starts a mail server that is closed after the test. */
    async startServer(options?: MailServerOptions): Promise<MailServer> {
      const server = await startMailServer(options);
      state.servers.push(server);
      return server;
    },

    /** A sender as in a server; without a mailer when the URL is undefined. */
    senderTo(url: string | undefined, storage: Storage = database.storage) {
      const mailer = url === undefined ? undefined : createSmtpMailer({ url, from: FROM });
      return createUsageNoticeSender({
        notices: storage.usageNotices,
        mailer,
        log: state.log,
        now: () => state.nowMs,
      });
    },

    /** A key with a character limit and ten minutes of speech. */
    async openKey(limit: number | null, given: { emails?: string[]; label?: string } = {}) {
      const { storage } = database;
      const opened = await openAccount(storage, {
        account: { name: 'editors', emails: given.emails ?? [...emails] },
        key: { label: given.label ?? 'website', limits: { characters: limit, speechMs: 600_000 } },
      });
      const { account, key } = opened;
      const charge = (amount: number, kind: 'text' | 'speech' = 'text') =>
        opened.charge({ amount, kind, atMs: state.nowMs });
      return {
        ...opened,
        use: (amount: number, by = storage) => by.usage.charge(charge(amount)),
        give: (amount: number) => storage.usage.refund(charge(amount)),
        hear: (amount: number) => storage.usage.charge(charge(amount, 'speech')),
        limit: (characters: number | null) => {
          const change = { limits: { characters } };
          return storage.apiKeys.change(account.accountId, key.keyId, change, state.nowMs);
        },
      };
    },
  };

  beforeAll(async () => void (database = await openDatabase()));
  beforeEach(async () => {
    await database.execute('delete from usage_notices');
    state.servers = [];
    state.nowMs = Date.UTC(2026, 10, 21, 14, 3);
    state.log = recordLog();
  });
  afterEach(async () => {
    for (const server of state.servers) await server.close();
  });
  return state;
}

/** The received mails in short form: `80 % ada@example.org`, `all ben@…`, `not enough cleo@…`. */
export function tellings({ mails }: MailServer): string[] {
  return mails.map(
    ({ subject = '', recipients }) =>
      `${/all|80 %|not enough/.exec(subject)?.[0] ?? '?'} ${recipients.join()}`,
  );
}
