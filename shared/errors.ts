/**
 * Every error of a request or a voice session, in one table.
 *
 * `status` is the HTTP status; sockets close with 4000 + status; `detail` forms the voice
 * protocol's `reason_code` (status × 10,000 + detail; 4000403 is the only published value).
 */
export const errorTable = {
  invalid_request: { status: 400, detail: 1 },
  malformed_message: { status: 400, detail: 2 },
  unknown_message: { status: 400, detail: 3 },
  wrong_frame_type: { status: 400, detail: 4 },
  media_after_end: { status: 400, detail: 5 },
  protocol_violation: { status: 400, detail: 6 },
  audio_format_unsupported: { status: 400, detail: 403 },
  audio_not_mono: { status: 400, detail: 404 },
  not_signed_in: { status: 401, detail: 1 },
  forbidden: { status: 403, detail: 1 },
  token_refused: { status: 403, detail: 2 },
  token_reused: { status: 403, detail: 3 },
  session_ended: { status: 403, detail: 4 },
  key_deactivated: { status: 403, detail: 5 },
  not_found: { status: 404, detail: 1 },
  method_not_allowed: { status: 405, detail: 1 },
  session_idle: { status: 408, detail: 1 },
  request_timeout: { status: 408, detail: 2 },
  payload_too_large: { status: 413, detail: 1 },
  chunk_too_large: { status: 413, detail: 2 },
  unsupported_media_type: { status: 415, detail: 1 },
  audio_too_fast: { status: 429, detail: 1 },
  too_many_sessions: { status: 429, detail: 2 },
  too_many_requests: { status: 429, detail: 4 },
  too_many_documents: { status: 429, detail: 5 },
  quota_exceeded: { status: 456, detail: 1 },
  internal: { status: 500, detail: 1 },
  engine_unavailable: { status: 503, detail: 1 },
  recognition_failed: { status: 503, detail: 2 },
  translation_failed: { status: 503, detail: 3 },
  decoder_failed: { status: 503, detail: 4 },
  stopping: { status: 503, detail: 5 },
  storage_unavailable: { status: 503, detail: 6 },
  synthesis_failed: { status: 503, detail: 7 },
  document_not_ready: { status: 503, detail: 8 },
  model_not_installed: { status: 503, detail: 9 },
  broker_unavailable: { status: 503, detail: 10 },
} as const satisfies Record<string, { status: number; detail: number }>;

export type ErrorCode = keyof typeof errorTable;

/** An error with a code of {@link errorTable} and a message that tells the caller what to do. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Place of the error in the input, if known; part of the HTTP response. */
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { detail?: string }) {
    super(message, options);
    this.name = 'ServiceError';
    this.code = code;
    this.detail = options?.detail;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The error of a request with a wrong value. */
export function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

/** The error of a request that its caller may not make. */
export function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

/**
 * Converts any thrown value to a {@link ServiceError}; unexpected errors become `internal`, and
 * their text is withheld.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal', 'Something went wrong on our side. Please try again.', {
    cause: error,
  });
}

/** Converts an error to an HTTP status and JSON body. */
export function toHttp(error: unknown): {
  status: number;
  body: { message: string; detail?: string };
} {
  const { status, message, detail } = toServiceError(error);
  return { status, body: { message, ...(detail !== undefined && { detail }) } };
}

/** The voice protocol's `error` message. */
export interface VoiceErrorMessage {
  type: 'error';
  /** Name of the message or step that failed, for example `source_media_chunk`. */
  request_type: string;
  /** Corresponding HTTP status. */
  error_code: number;
  /** Status × 10,000 + detail. */
  reason_code: number;
  error_message: string;
}

/** Converts an error to the voice protocol's `error` message and the close code that follows it. */
export function toSocket(
  error: unknown,
  requestType: string,
): { message: VoiceErrorMessage; closeCode: number } {
  const { code, message } = toServiceError(error);
  const { status, detail } = errorTable[code];
  return {
    message: {
      type: 'error',
      request_type: requestType,
      error_code: status,
      reason_code: status * 10_000 + detail,
      error_message: message,
    },
    closeCode: 4000 + status,
  };
}
