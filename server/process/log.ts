/** What our code asks of a logger; pino's interface. Never given texts, transcripts, tokens or keys. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that makes others, whose lines all have some fields. */
export interface ParentLogger extends Logger {
  child(fields: object): Logger;
}
