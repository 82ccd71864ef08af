/** What a client sends, checked frame by frame and queued for the voice path. */
import { ServiceError } from '../../shared/errors.ts';
import { bytesPerSample, type AudioFormat } from '../../shared/media-type.ts';
import { decodeClientMessage } from '../../shared/protocol/codec.ts';
import type { MessageFormat } from '../../shared/protocol/messages.ts';
import { createRealTimeMeter } from '../voice/real-time-meter.ts';
import { createChannel } from '../voice/streams.ts';

/** Longest chunk (of the public protocol), in ms. */
const MAX_CHUNK_MS = 1_000;
/** Audio that may wait for a slow engine before the client is held back: in seconds of PCM … */
const QUEUE_SECONDS = 5;
/** … and in bytes where the duration is not known beforehand (half a minute of Opus). */
const QUEUE_BYTES = 128 * 1024;

export interface MediaIntakeOptions {
  format: AudioFormat;
  messageFormat: MessageFormat;
  /** Told the duration of PCM audio as it comes, in ms; may throw. */
  meter: (durationMs: number) => void;
  /** Asks for the client to be held back (true) or let go again (false). */
  hold: (isHeld: boolean) => void;
}

export interface MediaIntake {
  /** The client's audio, in its own format; ends with end_of_source_media. */
  readonly media: AsyncIterable<Uint8Array>;
  readonly hasEnded: boolean;
  /**
   * Takes one frame; answers whether it carried audio.
   *
   * @throws ServiceError for anything the contract does not allow; nothing of the frame is used then
   */
  take(frame: Buffer, isBinary: boolean): boolean;
  /** No more audio follows; what is queued is still read. */
  end(): void;
}

export function createMediaIntake(options: MediaIntakeOptions): MediaIntake {
  const { format, messageFormat, meter, hold } = options;
  const bytesPerSecond = format.sampleRateHz && format.sampleRateHz * bytesPerSample(format.codec);
  const maxQueuedBytes = bytesPerSecond ? bytesPerSecond * QUEUE_SECONDS : QUEUE_BYTES;
  // However short a chunk is, reading it takes time: each counts as a millisecond at least.
  const messageMeter = createRealTimeMeter(
    'Too many messages. Send chunks of 50 to 250 ms in a new session.',
  );
  let queuedBytes = 0;
  let isHeld = false;
  let hasEnded = false;

  const media = createChannel<Uint8Array>((chunk) => {
    queuedBytes -= chunk.length;
    if (isHeld && queuedBytes < maxQueuedBytes / 2) hold((isHeld = false));
  });

  function takeChunk(data: Uint8Array): boolean {
    if (hasEnded) {
      throw new ServiceError('media_after_end', 'Audio must not follow end_of_source_media.');
    }
    if (bytesPerSecond) meter(checkedDurationMs(data.length, format, bytesPerSecond));
    if (data.length === 0) return false;
    queuedBytes += data.length;
    media.push(data);
    if (!isHeld && queuedBytes > maxQueuedBytes) hold((isHeld = true));
    return true;
  }

  function end(): void {
    hasEnded = true;
    media.end();
  }

  return {
    media,
    get hasEnded() {
      return hasEnded;
    },
    take(frame, isBinary) {
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
      if ('source_media_chunk' in message) return takeChunk(message.source_media_chunk.data);
      end();
      return false;
    },
    end,
  };
}

/** Duration of a PCM chunk in ms. @throws ServiceError chunk_too_large, malformed_message */
function checkedDurationMs(sizeBytes: number, format: AudioFormat, bytesPerSecond: number): number {
  if (sizeBytes % bytesPerSample(format.codec) !== 0) {
    throw new ServiceError('malformed_message', 'A PCM chunk must hold whole samples.');
  }
  const durationMs = (sizeBytes / bytesPerSecond) * 1000;
  if (durationMs <= MAX_CHUNK_MS) return durationMs;
  throw new ServiceError(
    'chunk_too_large',
    `A chunk may last at most ${MAX_CHUNK_MS} ms; 50 to 250 ms are best.`,
  );
}
