/**
 * Sends mail by SMTP, to one recipient per message, so that a failure for one does not affect the
 * others.
 */
import { createTransport } from 'nodemailer';
import { ServiceError } from '../../../shared/errors.ts';

/** Timeout for connecting, for the greeting, and for each later answer, in ms. */
const WAIT_MS = 30_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** In angle brackets; the same every time the same mail is sent. */
  messageId: string;
}

/**
 * The mail server's answer for a recipient: `accepted`; `refused` permanently (no such mailbox);
 * `later` for failures that may pass (greylisting, a missing login, rejected content).
 */
export interface Delivery {
  outcome: 'accepted' | 'refused' | 'later';
  /**
   * Status codes and command, such as `554 5.7.1 (RCPT TO)`, without the text, which may contain
   * addresses. Empty when accepted.
   */
  reply: string;
}

export interface Mailer {
  /**
   * @throws ServiceError engine_unavailable when the server accepts no mail at all: nothing was
   *   sent, or the outcome is unknown
   */
  send(mail: Mail): Promise<Delivery>;
  /** Domain of the sender's address, used in message ids. */
  readonly domain: string;
}

/**
 * @param options.url `smtp://` or `smtps://`, with user and password if the server requires them
 * @param options.from `name@example.org` or `Name <name@example.org>`
 */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    ...connectionOf(new URL(url)),
    connectionTimeout: WAIT_MS,
    greetingTimeout: WAIT_MS,
    socketTimeout: WAIT_MS,
    dnsTimeout: WAIT_MS,
    // The content is complete: the library must not load files or URLs into it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    domain: /@([^\s@<>]+)>?$/.exec(from)?.[1] ?? 'localhost',
    async send(mail) {
      try {
        await transport.sendMail({
          ...mail,
          // An object, so that the address is never parsed as a list.
          to: { name: '', address: mail.to },
          from,
          // Suppresses automatic replies.
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
    // A password is never sent unencrypted to another machine; mail without one is sent as the
    // server allows.
    requireTLS: !secure && hasCredentials && !isLocal,
    // Mail servers on the same machine often have self-signed certificates.
    ignoreTLS: !secure && isLocal,
  };
}

/** A failure as reported by the SMTP library. Its text may contain addresses and is not used. */
interface SmtpFailure {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

/** Commands whose answers concern the single mail; 421 means that the connection ends. */
const ABOUT_THE_MAIL: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);
const CLOSING = 421;
/** An enhanced status code (RFC 3463) after the reply code (RFC 5321). */
const ENHANCED_CODE = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/;
/** Errors of the recipient's address (class 1) or mailbox (class 2); 5.1.7 and 5.1.8 concern the sender. */
const BAD_MAILBOX = /^5\.(?:1\.(?![78]$)|2\.)/;
/**
 * Reply codes for bad mailboxes from servers without enhanced codes; 551 and 553 have no other
 * meaning there.
 */
const BAD_MAILBOX_REPLIES: ReadonlySet<number> = new Set([550, 551, 553]);

/** @throws ServiceError for failures that do not concern the single mail */
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
