/** What a client sends, checked frame by frame. */
import { ServiceError } from '../../../shared/errors.ts';
import { decodeClientMessage } from '../../../shared/protocol/codec.ts';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import { createRealTimeMeter } from '../path/real-time-meter.ts';

export interface MediaIntakeOptions {
  messageFormat: MessageFormat;
  push: (data: Uint8Array) => void;
  endUtterance: () => void;
  update: (update: Readonly<Record<string, unknown>>) => void;
  endMedia: () => void;
}

/**
 * Makes a function that takes one frame.
 *
 * @throws ServiceError, from that function, for anything the contract does not allow; nothing of the
 *   frame is used then
 */
export function createMediaIntake({
  messageFormat,
  push,
  endUtterance,
  update,
  endMedia,
}: MediaIntakeOptions) {
  // However short a chunk is, reading it takes time: each counts as a millisecond at least.
  const messageMeter = createRealTimeMeter(
    'Too many messages. Send chunks of 50 to 250 ms in a new session.',
  );
  return (frame: Buffer, isBinary: boolean): void => {
    if (isBinary !== (messageFormat === 'msgpack')) {
      throw new ServiceError(
        'wrong_frame_type',
        messageFormat === 'json'
          ? 'This session speaks JSON: send text frames.'
          : 'This session speaks MessagePack: send binary frames.',
      );
    }
    messageMeter(1);
    const message = decodeClientMessage(frame, messageFormat);
    if ('source_media_chunk' in message) push(message.source_media_chunk.data);
    else if ('end_of_utterance' in message) endUtterance();
    else if ('session_update' in message) update(message.session_update);
    else endMedia();
  };
}
