import { toVoiceError } from '../shared/client/voice-error.ts';
import type { VoiceErrorCode } from './events.ts';

/**
 * Reason why captions, or a requested change of them, failed. Carries a message for the user if one is known.
 */
export class VoiceFailure extends Error {
  readonly code: VoiceErrorCode;
  /** `reason_code` of the gateway's `error` message. */
  readonly reasonCode: number | undefined;

  constructor(
    code: VoiceErrorCode,
    {
      message = '',
      reasonCode,
      cause,
    }: { message?: string; reasonCode?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'VoiceFailure';
    this.code = code;
    this.reasonCode = reasonCode;
  }
}

/** Converts any thrown value to a {@link VoiceFailure}. */
export function toVoiceFailure(error: unknown): VoiceFailure {
  if (error instanceof VoiceFailure) return error;
  const { code, message, reasonCode } = toVoiceError(error);
  switch (code) {
    // These messages come from the gateway or from the page's own server.
    case 'token-refused':
    case 'server-error':
    case 'update-refused':
      return new VoiceFailure(code, { message, reasonCode, cause: error });
    case 'unreachable':
      return new VoiceFailure(code, { cause: error });
    case 'connection-lost':
    case 'session-lost':
    case 'end-overdue':
    case 'update-unsupported':
    case 'closed':
      return new VoiceFailure('connection-lost', { cause: error });
  }
}
