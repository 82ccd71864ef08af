/**
 * The names by which browsers may call what trusts them. A site whose name is made to lead here (DNS
 * rebinding) has the same origin as our own pages; what gives it away is its name.
 */
import { isIP } from 'node:net';

/** Whether a `Host`, with or without a port, is a name of ours. */
export type HostRule = (host: string) => boolean;

/**
 * Makes the rule. Addresses and `localhost` always hold, for nobody can make them lead elsewhere; of
 * names, that of `publicUrl`. Without one, any name that somebody else vouches for holds: our own
 * certificate, or the proxy, which was told the names it passes on.
 */
export function createHostRule({
  publicUrl,
  isVouchedFor,
}: {
  /** Address under which browsers reach the server, if it is told. */
  publicUrl: string | undefined;
  isVouchedFor: boolean;
}): HostRule {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return (host) => {
    const name = nameOf(host);
    if (name === undefined) return false;
    if (name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
    return publicName === undefined ? isVouchedFor : name === publicName;
  };
}

/** The host as browsers write it: in lower case, without a port; undefined for what is none. */
function nameOf(host: string): string | undefined {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
