import { WebSocket } from 'ws';

/**
 * A socket that can say why before the library closes it: ws ends a connection by itself when a
 * frame breaks the WebSocket protocol or is too large, and our clients are promised an `error`
 * message before every close.
 */
export class VoiceSocket extends WebSocket {
  /** Told the close code (RFC 6455 §7.4) just before the library closes the connection itself. */
  onViolation: ((closeCode: number) => void) | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    const violation = this.onViolation;
    this.onViolation = undefined;
    const isViolation = code !== undefined && code >= 1002 && code <= 1009 && code !== 1005;
    if (isViolation && this.readyState === WebSocket.OPEN) violation?.(code);
    super.close(code, reason);
  }
}
