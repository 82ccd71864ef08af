/** What the settings of all recognisers that run elsewhere say. */
import type { Logger } from '../../process/log.ts';

export interface RemoteRecogniserOptions {
  log: Logger;
  /** Address of the server. */
  url: string;
  /** Languages the model hears; those of Whisper without it. */
  languages?: readonly string[] | undefined;
  /** Longest wait for an answer, and for a connection. */
  timeoutMs?: number;
  /** Wait before the second try; it doubles with every further one. */
  firstDelayMs?: number;
}

/** Of those that hear over a connection. */
export interface SocketEngineOptions extends RemoteRecogniserOptions {
  /** See {@link PersistentHearer}. */
  tries?: number;
}
