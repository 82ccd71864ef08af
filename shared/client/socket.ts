/** The part of the WebSocket interface that clients use; browsers, Node and the package `ws` provide it. */
export interface SocketLike {
  binaryType: string;
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

export type SocketClass = new (url: string) => SocketLike;

export const OPEN = 1;
export const CLOSED = 3;

/**
 * Returns the global WebSocket class, which browsers have, and Node from version 22 on.
 *
 * @throws TypeError without one
 */
export function globalSocketClass(): SocketClass {
  const { WebSocket } = globalThis as unknown as { WebSocket?: SocketClass };
  if (WebSocket !== undefined) return WebSocket;
  throw new TypeError('There is no WebSocket here. Pass the class of the package ws as WebSocket.');
}
