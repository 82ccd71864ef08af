/** A logger that records its lines. */
import type { Logger } from '../../../server/process/log.ts';

export interface LogRecord extends Logger {
  readonly lines: { level: string; fields: object; message: string }[];
}

export function recordLog(): LogRecord {
  const lines: LogRecord['lines'] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
