/** Rules for the sites that may call the server for an account, and for the addresses it is told at. */
import { ServiceError } from '../../shared/errors.ts';

const MAX_ENTRIES = 100;
const MAX_EMAIL_LENGTH = 254;
/** One address, without a display name: what a mail server takes between the angle brackets. */
const EMAIL = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]+$/;

/**
 * Origins as browsers send them, `https://example.org` or `http://localhost:3000`, each once; `*`
 * stands for every site.
 *
 * @throws ServiceError invalid_request, naming what is no origin
 */
export function checkedOrigins(given: readonly string[]): string[] {
  refuseTooMany(given, 'origins');
  return [...new Set(given.map(checkedOrigin))];
}

/** E-mail addresses, each once. @throws ServiceError invalid_request, naming what is none */
export function checkedEmails(given: readonly string[]): string[] {
  refuseTooMany(given, 'emails');
  return [...new Set(given.map(checkedEmail))];
}

function checkedOrigin(given: string, index: number): string {
  const text = given.trim();
  if (text === '*') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSite = url?.protocol === 'https:' || url?.protocol === 'http:';
  // A path, a query or a name would never be compared with anything.
  if (isSite && `${url.origin}/` === url.href && !url.host.includes('*')) return url.origin;
  throw invalid(
    `Value for 'origins.${index}' not supported: give scheme, host and port alone, such as https://example.org, or * for every site.`,
  );
}

function checkedEmail(given: string, index: number): string {
  const address = given.trim();
  if (address.length <= MAX_EMAIL_LENGTH && EMAIL.test(address) && !/\p{Cc}/u.test(address)) {
    return address;
  }
  throw invalid(
    `Value for 'emails.${index}' not supported: give one address, such as desk@example.org.`,
  );
}

function refuseTooMany(given: readonly string[], name: string): void {
  if (given.length <= MAX_ENTRIES) return;
  throw invalid(`Value for '${name}' not supported: at most ${MAX_ENTRIES}.`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
