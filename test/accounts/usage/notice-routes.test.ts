/** Notices of a running server, over TLS with a password, and after the server is killed. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { createSmtpMailer } from '../../../server/accounts/usage/smtp-mailer.ts';
import { createUsageNoticeSender } from '../../../server/accounts/usage/usage-notices.ts';
import { makeCertificate } from '../../support/machine/certificate.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { startMailServer } from '../../support/services/mail-server.ts';
import { openEmbedded, platformOver } from '../../support/product/platform.ts';
import { startServer, until } from '../../support/product/server.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';

const MAIL_MS = 40_000;
const from = 'notices@dragoman.example.org';

it('sends a notice, and repeats one that was in transit at a kill under the same message id', async () => {
  const folder = temporaryFolder();
  const { certFile, key, cert } = makeCertificate(folder);
  const login = { user: 'dragoman', password: 'p@ss/word' };
  // The mail server accepts the 100 % mail but never answers.
  const mails = await startMailServer({
    login,
    server: { secure: true, key, cert },
    onMail: ({ subject = '' }) =>
      subject.includes('all') ? new Promise<void>(() => undefined) : Promise.resolve(),
  });
  const settings = {
    RECOGNISER: 'silent',
    DOCUMENT_WORKER: 'off',
    DATA_DIR: folder,
    SMTP_URL: `smtps://dragoman:p%40ss%2Fword@localhost:${mails.port}`,
    SMTP_FROM: `Dragoman <${from}>`,
    NODE_EXTRA_CA_CERTS: certFile,
  };
  const server = await startServer(settings);
  const storage = await openEmbedded(folder);
  try {
    const platform = platformOver(storage);
    const caller = await platform.newcomer({}, { label: 'website', limits: { characters: 10 } });
    await platform.accounts.change(caller.account.accountId, { emails: ['ada@example.org'] });
    const spend = async (text: string) => {
      const body = { text: [text], source_lang: 'EN', target_lang: 'EN-GB' };
      const authorization = { Authorization: `DeepL-Auth-Key ${caller.secret}` };
      expect((await server.post('/v2/translate', body, authorization)).status).toBe(200);
    };
    await spend('eight!!!');
    await until(() => mails.mails.length === 1, MAIL_MS);
    expect(mails.logins).toEqual(['dragoman']);
    await spend('2!');
    await until(() => mails.mails.length === 2, MAIL_MS);
    server.process.kill('SIGKILL');
    await server.exited;
    for (const secret of ['ada@', 'p@ss', caller.secret])
      expect(server.logs()).not.toContain(secret);

    const heirs = await startMailServer();
    const heir = createUsageNoticeSender({
      notices: storage.usageNotices,
      mailer: createSmtpMailer({ url: heirs.url, from }),
      log: recordLog(),
      // A time at which the killed server counts as dead.
      now: () => Date.now() + 6 * 60_000,
    });
    await heir.sendDue();
    await heirs.close();
    const [first, doubtful] = mails.mails;
    expect(first?.messageId).not.toBe(doubtful?.messageId);
    expect(heirs.mails).toMatchObject([
      {
        subject: doubtful?.subject,
        messageId: doubtful?.messageId,
        recipients: ['ada@example.org'],
      },
    ]);
  } finally {
    await storage.close();
    await server.stop();
    await mails.close();
  }
});

it('requires a sender and a mail server together', () => {
  const SMTP_URL = 'smtp://user:hidden@localhost';
  expect(() => readConfig({ SMTP_URL })).toThrow(/SMTP_URL and SMTP_FROM go together/);
  expect(readConfig({ SMTP_URL, SMTP_FROM: from })).toMatchObject({ SMTP_URL, SMTP_FROM: from });
  const wrong = { SMTP_URL: 'http://user:hidden@localhost', SMTP_FROM: 'nobody' };
  expect(() => readConfig(wrong)).toThrow(/SMTP_URL: the value [^]*SMTP_FROM/);
});
