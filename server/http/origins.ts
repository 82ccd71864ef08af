/** Which sites' pages may call the server from a browser. */
import type { Account } from './caller.ts';

/** How long what accounts allow is taken as known for a browser's preliminary question, in ms. */
const KNOWN_MS = 5_000;

/** Where a page comes from, and whom it believes to call. */
export interface PageOrigin {
  /** The header `Origin`; undefined when it is no browser that asks. */
  origin: string | undefined;
  /** Host and port under which the server was called. */
  host: string | undefined;
}

/** Whether an account's list has a site. */
export function listsOrigin(origins: readonly string[], origin: string): boolean {
  return origins.includes(origin) || origins.includes('*');
}

/**
 * Whether a socket may be opened: programs may, pages of the server itself may, on one machine every
 * page may, and others when their site is on the list.
 *
 * @param publicUrl address under which clients reach the server, if it is told
 */
export function mayConnect(
  { origin, host }: PageOrigin,
  origins: readonly string[],
  publicUrl?: string,
): boolean {
  if (origin === undefined || listsOrigin(origins, origin)) return true;
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  if (page === undefined) return false;
  if (publicUrl !== undefined && new URL(publicUrl).origin === page.origin) return true;
  if (page.host === host) return true;
  return isLoopback(page.host) && host !== undefined && isLoopback(host);
}

/** Whether some account allows a site: a browser asks that before it shows a key. */
export type KnowsOrigin = (origin: string) => Promise<boolean>;

/** Makes the look-up; strangers who ask again and again cost the database one look in five seconds. */
export function createKnownOrigins({
  accounts,
  now = Date.now,
}: {
  accounts: { list(): Promise<Pick<Account, 'origins'>[]> };
  now?: () => number;
}): KnowsOrigin {
  let known: Promise<string[]> = Promise.resolve([]);
  let knownSinceMs = Number.NEGATIVE_INFINITY;
  return async (origin) => {
    if (now() - knownSinceMs > KNOWN_MS) {
      knownSinceMs = now();
      known = accounts.list().then((all) => all.flatMap(({ origins }) => origins));
      known.catch(() => (knownSinceMs = Number.NEGATIVE_INFINITY));
    }
    return listsOrigin(await known, origin);
  };
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
