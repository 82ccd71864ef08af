/** Where in the console one is, kept in the fragment of the address: `#/glossaries/ID`. */

/** A place: the page's path, and what comes after it, decoded. */
export interface Place {
  path: string;
  rest: readonly string[];
}

/** Reads a fragment, with or without `#`. */
export function placeOf(fragment: string): Place {
  const [path = '', ...rest] = fragment
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { path, rest };
}

/** The page that is shown, without what it shows of its thing: `glossaries/ID`. */
export function shownPlace(): string {
  const { path, rest } = placeOf(location.hash);
  return [path, ...rest.slice(0, 1)].join('/');
}

/** The `href` of a place. */
export function linkTo(path: string, ...rest: readonly string[]): string {
  return `#/${[path, ...rest].map(encodeURIComponent).join('/')}`;
}

/** Goes to a place, as following its link does. */
export function goTo(path: string, ...rest: readonly string[]): void {
  location.hash = linkTo(path, ...rest);
}

/** Token of a one-time link, `#set-password=…`; undefined for every other address. */
export function passwordTokenOf(fragment: string): string | undefined {
  const [, token = ''] = /^#set-password=(.+)$/.exec(fragment) ?? [];
  return token === '' ? undefined : decoded(token);
}

/** What somebody typed into the address may be no valid encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
