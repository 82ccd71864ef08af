/** Opus packets of one stream to samples: what comes between a container and the decoder. */
import { damageLimit } from './damage-limit.ts';
import { OpusDecoder } from './opus-decoder.ts';
import type { OpusHead } from './opus-head.ts';

const RATE_48K_HZ = 48_000;

export interface OpusStream {
  /**
   * Decodes one packet, valid during the call only; passes over it when it is damaged.
   *
   * @param trimEnd48k samples at 48 kHz to drop from its end
   * @throws ServiceError audio_format_unsupported when what comes is not Opus
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
  free(): void;
}

/**
 * Decodes to `sampleRateHz`, one of the rates of libopus.
 *
 * @param emit takes the samples of each packet, valid during the call only, of which those from
 *   `start` to before `end` are to be heard
 */
export function createOpusStream({
  head,
  sampleRateHz,
  emit,
}: {
  head: OpusHead;
  sampleRateHz: number;
  emit: (samples: Int16Array, start: number, end: number) => void;
}): OpusStream {
  const atOurRate = (samples48k: number) => Math.round((samples48k * sampleRateHz) / RATE_48K_HZ);
  const decoder = new OpusDecoder({ sampleRateHz, outputGain: head.outputGain });
  const damage = damageLimit('Opus');
  /** Samples still to be dropped from the beginning. */
  let skip = atOurRate(head.preSkip48k);

  return {
    packet(packet, trimEnd48k) {
      const samples = decoder.decode(packet);
      damage.count(samples !== undefined);
      if (samples === undefined) return;
      const start = Math.min(skip, samples.length);
      skip -= start;
      const end = Math.max(start, samples.length - atOurRate(trimEnd48k));
      emit(samples, start, end);
    },
    free: () => decoder.free(),
  };
}
