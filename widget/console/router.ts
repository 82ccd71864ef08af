/** Location within the console, kept in the fragment of the address: `#/glossaries/ID`. */

/** A location: the page's path and the parts after it, decoded. */
export interface Place {
  path: string;
  rest: readonly string[];
}

/** Parses a fragment, with or without `#`. */
export function placeOf(fragment: string): Place {
  const [path = '', ...rest] = fragment
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { path, rest };
}

/** Returns the current page without parts below its resource: `glossaries/ID`. */
export function shownPlace(): string {
  const { path, rest } = placeOf(location.hash);
  return [path, ...rest.slice(0, 1)].join('/');
}

/** Returns the `href` of a location. */
export function linkTo(path: string, ...rest: readonly string[]): string {
  return `#/${[path, ...rest].map(encodeURIComponent).join('/')}`;
}

/** Navigates to a location, as following its link does. */
export function goTo(path: string, ...rest: readonly string[]): void {
  location.hash = linkTo(path, ...rest);
}

/** Returns the token of a one-time link, `#set-password=…`; undefined for any other address. */
export function passwordTokenOf(fragment: string): string | undefined {
  const [, token = ''] = /^#set-password=(.+)$/.exec(fragment) ?? [];
  return token === '' ? undefined : decoded(token);
}

/** Decodes a part of the address; returns it unchanged if its encoding is invalid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
