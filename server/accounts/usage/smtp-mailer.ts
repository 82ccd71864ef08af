/** Mail by SMTP: one recipient at a time, so that each gets it once whatever becomes of the others. */
import { createTransport } from 'nodemailer';
import { ServiceError } from '../../../shared/errors.ts';

/** For a connection, for the greeting, and for each answer after it, in ms. */
const WAIT_MS = 30_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In angle brackets; the same whenever the same mail is sent again. */
  messageId: string;
}

/**
 * What the mail server said of a mail to a recipient: `accepted`; `refused` for ever (no such mailbox);
 * `later` for what may pass (greylisting, a login that is missing, a text it does not like).
 */
export interface Delivery {
  outcome: 'accepted' | 'refused' | 'later';
  /** `554 5.7.1 (RCPT TO)`, without the words, which hold addresses. Empty when it was accepted. */
  reply: string;
}

export interface Mailer {
  /** @throws ServiceError engine_unavailable when the server takes no mail at all now: nothing was sent, or it is not known */
  send(mail: Mail): Promise<Delivery>;
  /** The part of the sender's address after the `@`, for names of mails. */
  readonly domain: string;
}

/**
 * @param options.url `smtp://` or `smtps://` with user and password where the server wants them
 * @param options.from `name@example.org` or `Name <name@example.org>`
 */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    ...connectionOf(new URL(url)),
    connectionTimeout: WAIT_MS,
    greetingTimeout: WAIT_MS,
    socketTimeout: WAIT_MS,
    dnsTimeout: WAIT_MS,
    // A mail is what we wrote: no file or address is read into it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    domain: /@([^\s@<>]+)>?$/.exec(from)?.[1] ?? 'localhost',
    async send(mail) {
      try {
        await transport.sendMail({
          ...mail,
          // An object, so that nothing in the address is read as a list of them.
          to: { name: '', address: mail.to },
          from,
          // No answers of machines to a machine.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        });
        return { outcome: 'accepted', reply: '' };
      } catch (error) {
        return deliveryOf(error);
      }
    },
  };
}

function connectionOf({ protocol, hostname, port, username, password }: URL) {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const hasCredentials = username !== '';
  const isLocal = LOOPBACK.test(host);
  return {
    host,
    ...(port !== '' && { port: Number(port) }),
    secure,
    ...(hasCredentials && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    // A password does not leave the machine in the clear; without one, mail is as safe as mail is.
    requireTLS: !secure && hasCredentials && !isLocal,
    // Mail servers of the same machine often have certificates that nobody signed.
    ignoreTLS: !secure && isLocal,
  };
}

/** What the SMTP library says of a failure. Its words may hold addresses and are left alone. */
interface SmtpFailure {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

/** Commands whose answers are about the one mail; an answer of 421 is the end of the connection. */
const ABOUT_THE_MAIL: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);
const CLOSING = 421;
/** A code of RFC 3463, behind the one of RFC 5321. */
const ENHANCED_CODE = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/;
/** The address (1) or the mailbox (2) of the recipient; 5.1.7 and 5.1.8 are about the sender. */
const BAD_MAILBOX = /^5\.(?:1\.(?![78]$)|2\.)/;
/** What servers without such codes say of mailboxes, where 551 and 553 have no other meaning. */
const BAD_MAILBOX_REPLIES: ReadonlySet<number> = new Set([550, 551, 553]);

/** @throws ServiceError for what is not about the one mail */
function deliveryOf(error: unknown): Delivery {
  const { code = 'unknown', responseCode = 0, response, command } = error as SmtpFailure;
  const enhancedCode = ENHANCED_CODE.exec(response ?? '')?.[1];
  const said = [responseCode || code, enhancedCode, `(${command ?? 'CONN'})`];
  const reply = said.filter((part) => part !== undefined).join(' ');
  if (!ABOUT_THE_MAIL.has(command ?? '') || responseCode < 400 || responseCode === CLOSING) {
    throw new ServiceError('engine_unavailable', 'The mail server takes no mail now.', {
      detail: reply,
    });
  }
  if (responseCode < 500) return { outcome: 'later', reply };
  const isBadMailbox =
    enhancedCode === undefined
      ? command === 'RCPT TO' && BAD_MAILBOX_REPLIES.has(responseCode)
      : BAD_MAILBOX.test(enhancedCode);
  return { outcome: isBadMailbox ? 'refused' : 'later', reply };
}
