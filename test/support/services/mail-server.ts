/** A mail server on this machine that keeps what it is given. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
export interface ReceivedMail extends Email {
  /** Of the envelope: whom the server was told to give it to. */
  recipients: string[];
  raw: string;
}

export interface MailServer {
  /** `smtp://127.0.0.1:12345` */
  url: string;
  port: number;
  /** Mails that were taken, and those whose answer is still held back. */
  mails: ReceivedMail[];
  /** What the server was told on its way, besides mails. */
  logins: string[];
  /** Every command `RCPT TO`, taken or not. */
  asked: string[];
  close(): Promise<void>;
}

interface Answer {
  status: number;
  text: string;
}

export interface MailServerOptions {
  /** Answers refuse a recipient. */
  onRecipient?: (address: string) => Answer | undefined;
  /** A mail is taken when this is done; an answer refuses it. */
  onMail?: (mail: ReceivedMail) => Promise<Answer | undefined> | Promise<void>;
  login?: { user: string; password: string };
  host?: string;
  server?: SMTPServerOptions;
}

/** Starts a server on a free port; it keeps no mail that it has refused. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { onRecipient, onMail, login, host = '127.0.0.1' } = options;
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const asked: string[] = [];
  const server = new SMTPServer({
    ...{ authOptional: login === undefined, closeTimeout: 100, logger: false },
    onAuth({ username = '', password }, _session, done) {
      logins.push(username);
      const isRight = username === login?.user && password === login.password;
      done(isRight ? null : new Error('Wrong user or password'), { user: username });
    },
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      done(failureOf(onRecipient?.(address)));
    },
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const raw = Buffer.concat(parts).toString();
        const recipients = envelope.rcptTo.map(({ address }) => address);
        void (async () => {
          const mail = { ...(await PostalMime.parse(raw)), recipients, raw };
          mails.push(mail);
          const failure = failureOf((await onMail?.(mail)) ?? undefined);
          if (failure !== null) mails.splice(mails.indexOf(mail), 1);
          done(failure);
        })();
      });
    },
    ...options.server,
  });
  // Clients that do not like its certificate, or are killed.
  server.on('error', () => undefined);
  const listening = server.listen(0, host);
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    ...{ url: `smtp://${host}:${port}`, port, mails, logins, asked },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function failureOf(answer: Answer | undefined): Error | null {
  if (answer === undefined) return null;
  return Object.assign(new Error(answer.text), { responseCode: answer.status });
}
