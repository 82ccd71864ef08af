/** What the pages of those who speak and type ask of the server, with the key of their link. */
import { tokenEndpoint, type TokenProvider } from '../../shared/client/token-provider.ts';
import type { RoomDesk as RoomAtDesk, TypedCaption } from '../../shared/schemas/rooms.ts';
import { ApiFailure } from '../console/api.ts';
import type { RoomPlace } from './room-address.ts';

export type { RoomAtDesk };

/** Every call throws {@link ApiFailure}; its message is the server's, for people, or empty. */
export interface RoomDesk {
  room(signal?: AbortSignal): Promise<RoomAtDesk>;
  /** Pauses the room, or lets it go on. */
  pause(isPaused: boolean): Promise<void>;
  /** @returns the number of the line */
  type(caption: TypedCaption): Promise<number>;
  /** The QR code of the link for readers, SVG. */
  code(signal?: AbortSignal): Promise<Blob>;
  /** Sessions that speak into the room; throws as token providers do. */
  provideToken: TokenProvider;
}

export function openDesk({ src, key }: Pick<RoomPlace, 'src' | 'key'>): RoomDesk {
  const live = `${src}/live`;
  // A header and not the query: addresses are logged on their way.
  const authorization = `Room-Key ${key}`;

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${live}/${path}`, {
        ...init,
        headers: { ...(init.headers as object), authorization },
      });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiFailure('', { status: 0 });
    }
    if (response.ok) return response;
    const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new ApiFailure(message, { status: response.status });
  }

  const post = (path: string, body: object): Promise<Response> =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  return {
    async room(signal) {
      return (await (await call('room', { signal: signal ?? null })).json()) as RoomAtDesk;
    },
    async pause(isPaused) {
      await post('state', { paused: isPaused });
    },
    async type(caption) {
      const { line } = (await (await post('captions', caption)).json()) as { line: number };
      return line;
    },
    async code(signal) {
      return (await call('code.svg', { signal: signal ?? null })).blob();
    },
    provideToken: tokenEndpoint(`${live}/session`, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...(init.headers as object), authorization } }),
    }),
  };
}

/** Whether a failure stays, whatever is tried again: the link is no good any more, or the room is gone. */
export function isFinal(failure: Error | undefined): failure is ApiFailure {
  return failure instanceof ApiFailure && [401, 403, 404].includes(failure.status);
}
