/** Where a page of a room is, and what its address says. */

export interface RoomPlace {
  roomId: string;
  /** Address of the room: `…/v1/rooms/{room_id}`. */
  src: string;
  /** Where pages of rooms are, and the files they are made of; both end in a slash. */
  pages: string;
  assets: string;
  /** Of a link, from the part of an address that no server is sent. */
  key: string;
  /** Parameters that whoever gave the address has set. */
  query: URLSearchParams;
}

/**
 * The place of this page, which is loaded anew when it changes: a link that is pasted over another one of the same
 * room has but another key, for which no browser loads anything.
 */
export function placeOfPage(): RoomPlace {
  addEventListener('hashchange', () => location.reload());
  return placeOf(location.href);
}

/** The place of a page at `…/events/{room_id}` or below it. */
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
