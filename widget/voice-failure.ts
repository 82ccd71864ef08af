import { toVoiceError } from '../shared/client/voice-error.ts';
import type { VoiceErrorCode } from './events.ts';

/** A reason why captions cannot go on, or not as was wished, with a message for people where one is known. */
export class VoiceFailure extends Error {
  readonly code: VoiceErrorCode;

  constructor(
    code: VoiceErrorCode,
    { message = '', cause }: { message?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'VoiceFailure';
    this.code = code;
  }
}

/** Any thrown value as a {@link VoiceFailure}. */
export function toVoiceFailure(error: unknown): VoiceFailure {
  if (error instanceof VoiceFailure) return error;
  const { code, message } = toVoiceError(error);
  switch (code) {
    // These words come from the gateway, or from the page's own server.
    case 'token-refused':
    case 'server-error':
    case 'update-refused':
      return new VoiceFailure(code, { message, cause: error });
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
