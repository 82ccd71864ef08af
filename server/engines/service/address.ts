/** Addresses of servers, from the settings. */

/** What is wrong with an address, for people; undefined when it can be used. */
export function problemWithAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol)) return 'must begin with http:// or https://';
  // fetch refuses them, and would name them in its error.
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (search !== '' || hash !== '') return 'must not contain ? or #';
  return undefined;
}
