/** Location of a room's page, and the parameters of its address. */

export interface RoomPlace {
  roomId: string;
  /** Address of the room: `…/v1/rooms/{room_id}`. */
  src: string;
  /** Folders of the room pages and of their assets; both end in a slash. */
  pages: string;
  assets: string;
  /** Key of a link, from the address fragment, which browsers do not send to the server. */
  key: string;
  /** Parameters of the address. */
  query: URLSearchParams;
}

/**
 * Returns the place of this page, and reloads the page when its fragment changes: a pasted link to the same
 * room with another key changes the fragment only, for which browsers do not reload.
 */
export function placeOfPage(): RoomPlace {
  addEventListener('hashchange', () => location.reload());
  return placeOf(location.href);
}

/** Parses the address of a page at `…/events/{room_id}` or below it. */
export function placeOf(address: string): RoomPlace {
  const { origin, pathname, hash, searchParams } = new URL(address);
  const [, base = '', roomId = ''] = /^(.*)\/events\/([^/]+)/.exec(pathname) ?? [];
  return {
    roomId,
    src: `${origin}${base}/v1/rooms/${roomId}`,
    pages: `${origin}${base}/events/`,
    assets: `${origin}${base}/event-pages/`,
    key: new URLSearchParams(hash.slice(1)).get('key') ?? '',
    query: searchParams,
  };
}
