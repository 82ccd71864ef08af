import { pino } from 'pino';

/** Log lines that wait for a full disk or a slow reader, in bytes; later ones are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** The logger interface, a subset of pino's. Log lines never contain texts, transcripts, tokens or keys. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that creates child loggers with bound fields. */
export interface ParentLogger extends Logger {
  child(fields: object): Logger;
}

/**
 * Creates the log of a process: JSON lines on standard error, from this level on. If they cannot be
 * written, for example because the disk of their file is full, they wait and the process goes on.
 *
 * @param fd another open file than standard error
 */
export function createLog(level: string, fd = 2): pino.Logger {
  const destination = pino.destination({ dest: fd, sync: false, maxLength: MAX_WAITING_BYTES });
  const flush = destination.flushSync.bind(destination);
  // A flush tries until it succeeds, so without this a process whose log is full could not end.
  destination.on('error', () => (destination.flushSync = () => undefined));
  destination.on('write', () => (destination.flushSync = flush));
  return pino({ level }, destination);
}
