/** Server API of the speaker and captioner pages, authorised by the key of their link. */
import { tokenEndpoint, type TokenProvider } from '../../shared/client/token-provider.ts';
import { VoiceError } from '../../shared/client/voice-error.ts';
import type { RoomDesk as RoomAtDesk, TypedCaption } from '../../shared/schemas/rooms.ts';
import { ApiFailure } from '../console/api.ts';
import { refusalText, type DeskWords } from './desk-words.ts';
import type { RoomPlace } from './room-address.ts';

export type { RoomAtDesk };

/** Every call throws {@link ApiFailure}, whose message is for the user, in the page's language, or empty. */
export interface RoomDesk {
  room(signal?: AbortSignal): Promise<RoomAtDesk>;
  /** Pauses the room or resumes it. */
  pause(isPaused: boolean): Promise<void>;
  /** @returns the number of the line */
  type(caption: TypedCaption): Promise<number>;
  /** Fetches the QR code of the link for readers, as SVG. */
  code(signal?: AbortSignal): Promise<Blob>;
  /** Opens sessions that speak into the room; throws as token providers do. */
  provideToken: TokenProvider;
}

export function openDesk({ src, key }: Pick<RoomPlace, 'src' | 'key'>, words: DeskWords): RoomDesk {
  const live = `${src}/live`;
  // Sent as a header: addresses, and thus queries, are logged along the way.
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
    const { status } = response;
    throw new ApiFailure(refusalText(words, status, message), { status });
  }

  const post = (path: string, body: object): Promise<Response> =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const requestToken = tokenEndpoint(`${live}/session`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...(init.headers as object), authorization } }),
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
    async provideToken(request, signal) {
      try {
        return await requestToken(request, signal);
      } catch (error) {
        if (!(error instanceof VoiceError) || error.status === undefined) throw error;
        const { code, isPassing, status } = error;
        const message = refusalText(words, status, error.message);
        throw new VoiceError(code, { message, isPassing, status, cause: error });
      }
    },
  };
}

/** Whether retrying is pointless: the link is no longer valid, or the room is gone. */
export function isFinal(failure: Error | undefined): failure is ApiFailure {
  return failure instanceof ApiFailure && [401, 403, 404].includes(failure.status);
}
