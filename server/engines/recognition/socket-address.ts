/** Addresses of recognisers that are reached over WebSockets. */

/** What is wrong with an address from the settings, for people; undefined when it can be used. */
export function problemWithSocketAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, hash } = new URL(url);
  if (!/^(?:wss?|https?):$/.test(protocol)) return 'must begin with ws:// or wss://';
  if (username !== '' || password !== '') return 'must not contain a name or password';
  if (hash !== '') return 'must not contain #';
  return undefined;
}

/** The address of a socket: http becomes ws, https wss. */
export function socketAddress(url: string): URL {
  return new URL(url.replace(/^http/i, 'ws'));
}
