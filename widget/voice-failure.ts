import type { VoiceErrorCode } from './events.ts';

/** A reason why captions cannot go on, with a message for people where one is known. */
export class VoiceFailure extends Error {
  readonly code: VoiceErrorCode;
  /** Whether another attempt, without anything being changed, may succeed. */
  readonly retriable: boolean;

  constructor(
    code: VoiceErrorCode,
    {
      message = '',
      retriable = false,
      cause,
    }: { message?: string; retriable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'VoiceFailure';
    this.code = code;
    this.retriable = retriable;
  }
}
