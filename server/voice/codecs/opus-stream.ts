/** Opus packets of one stream to samples: what comes between a container and the decoder. */
import { ServiceError } from '../../../shared/errors.ts';
import { OpusDecoder } from './opus-decoder.ts';
import type { OpusHead } from './opus-head.ts';

/** Packets in a row that may be damaged: half a second at the usual 20 ms. */
const MAX_FAILURES = 25;
const RATE_48K_HZ = 48_000;

/** Takes what a container holds. */
export interface OpusHandler {
  /** An Opus stream begins; again for every link of a chain. */
  start(head: OpusHead): void;
  /**
   * One packet, valid during the call only.
   *
   * @param trimEnd48k samples at 48 kHz to drop from its end
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
}

export interface OpusStream extends OpusHandler {
  free(): void;
}

/**
 * Decodes to `sampleRateHz`, one of the rates of libopus. Packets that cannot be decoded are passed
 * over, up to {@link MAX_FAILURES} in a row.
 *
 * @param emit takes the samples of each packet, valid during the call only, of which those from
 *   `start` to before `end` are to be heard
 * @throws ServiceError audio_format_unsupported, from `packet`, when what comes is not Opus
 */
export function createOpusStream({
  sampleRateHz,
  emit,
}: {
  sampleRateHz: number;
  emit: (samples: Int16Array, start: number, end: number) => void;
}): OpusStream {
  let decoder: OpusDecoder | undefined;
  /** Samples still to be dropped from the beginning. */
  let skip = 0;
  let failures = 0;
  const atOurRate = (samples48k: number) => Math.round((samples48k * sampleRateHz) / RATE_48K_HZ);

  return {
    start(head: OpusHead) {
      decoder?.free();
      decoder = new OpusDecoder({ sampleRateHz, outputGain: head.outputGain });
      skip = atOurRate(head.preSkip48k);
    },
    packet(packet, trimEnd48k) {
      const samples = decoder?.decode(packet);
      if (samples === undefined) {
        failures += 1;
        if (failures > MAX_FAILURES) throw notOpus();
        return;
      }
      failures = 0;
      const start = Math.min(skip, samples.length);
      skip -= start;
      const end = Math.max(start, samples.length - atOurRate(trimEnd48k));
      emit(samples, start, end);
    },
    free() {
      decoder?.free();
    },
  };
}

function notOpus(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `More than ${MAX_FAILURES} packets in a row could not be decoded; Opus was expected.`,
  );
}
