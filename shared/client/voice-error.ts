/** Error codes, for programs; the message is for people. */
export type VoiceErrorCode =
  /** The session request, or the page's token endpoint, was refused. */
  | 'token-refused'
  /** No answer at all. */
  | 'unreachable'
  /** Connections drop, and so does every further attempt. */
  | 'connection-lost'
  /** The server no longer knows the session: the client was away too long, or the server restarted. */
  | 'session-lost'
  /** The server ended the session with an `error` message. */
  | 'server-error'
  /** The audio has ended, and the server has been silent since. */
  | 'end-overdue'
  /** The change of a running session was refused; the session goes on as it was. */
  | 'update-refused'
  /** The server does not support changes of running sessions. */
  | 'update-unsupported'
  /** The session was closed while a call was waiting for it. */
  | 'closed';

/** The reason why a voice session cannot go on. */
export class VoiceError extends Error {
  readonly code: VoiceErrorCode;
  /** Whether an unchanged retry may succeed. */
  readonly isPassing: boolean;
  /** HTTP status of a refusal, or `error_code` of the server's `error` message. */
  readonly status: number | undefined;
  /** `reason_code` of the server's `error` message. */
  readonly reasonCode: number | undefined;

  constructor(
    code: VoiceErrorCode,
    options: {
      message?: string;
      isPassing?: boolean;
      status?: number | undefined;
      reasonCode?: number;
      cause?: unknown;
    } = {},
  ) {
    super(options.message ?? messages[code], { cause: options.cause });
    this.name = 'VoiceError';
    this.code = code;
    this.isPassing = options.isPassing ?? false;
    this.status = options.status;
    this.reasonCode = options.reasonCode;
  }
}

const messages: Record<VoiceErrorCode, string> = {
  'token-refused': 'The session was refused.',
  unreachable: 'The server cannot be reached.',
  'connection-lost': 'The connection was lost.',
  'session-lost': 'The server does not know the session any more.',
  'server-error': 'The server has ended the session.',
  'end-overdue': 'The last words did not arrive in time.',
  'update-refused': 'The session cannot be changed in this way.',
  'update-unsupported': 'The server cannot change a running session.',
  closed: 'The session is closed.',
};

/** Converts any thrown value to a {@link VoiceError}. */
export function toVoiceError(error: unknown): VoiceError {
  if (error instanceof VoiceError) return error;
  // fetch() throws a TypeError when there is no answer; a page's own provider may let it through.
  if (error instanceof TypeError) {
    return new VoiceError('unreachable', { isPassing: true, cause: error });
  }
  const message = error instanceof Error ? error.message : '';
  return new VoiceError('token-refused', { message, cause: error });
}

/**
 * Whether a status is temporary: timeouts, rate limits and server errors; anything else requires a
 * change first.
 */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
