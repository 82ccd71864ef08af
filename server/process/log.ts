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
