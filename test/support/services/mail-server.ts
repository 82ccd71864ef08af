/** A mail server on this machine that keeps the mails it receives. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as received. */
export interface ReceivedMail extends Email {
  /** Recipients in the envelope. */
  recipients: string[];
  raw: string;
}

export interface MailServer {
  /** `smtp://127.0.0.1:12345` */
  url: string;
  port: number;
  /** Accepted mails, and those whose answer is still pending. */
  mails: ReceivedMail[];
  /** User names of login attempts. */
  logins: string[];
  /** Address of every `RCPT TO` command, accepted or not. */
  asked: string[];
  close(): Promise<void>;
}

interface Answer {
  status: number;
  text: string;
}

export interface MailServerOptions {
  /** Called for each recipient; an answer refuses it. */
  onRecipient?: (address: string) => Answer | undefined;
  /** Called for each mail, which is accepted when the promise resolves; an answer refuses it. */
  onMail?: (mail: ReceivedMail) => Promise<Answer | undefined> | Promise<void>;
  login?: { user: string; password: string };
  host?: string;
  server?: SMTPServerOptions;
}

/** Starts a server on a free port. Refused mails are not kept. */
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
  // Clients that reject its certificate, or are killed, cause errors.
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
