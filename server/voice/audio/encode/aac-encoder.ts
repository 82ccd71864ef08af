/** A stream of AAC: one process of ffmpeg a segment, the next one started before it is needed. */
import type { TargetMediaFormat } from '../../../../shared/target-media-type.ts';
import type { SpeechEncoder } from '../encode.ts';
import type { FfmpegProgram } from '../ffmpeg-program.ts';
import { AAC_RATE_HZ, AacProcess } from './aac-process.ts';
import { withoutAdtsHeader } from './adts-reader.ts';
import { createMatroskaContainer } from './matroska-container.ts';
import { createMpegtsContainer } from './mpegts-container.ts';
import type { Container, Packet } from './packet.ts';
import { createPieceMaker } from './piece-maker.ts';

/** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): AAC-LC (2), 24 kHz (6), one channel (1). */
const AUDIO_SPECIFIC_CONFIG = Uint8Array.of(0x13, 0x08);

/**
 * Segments are encoded each on its own, as only the end of its input makes ffmpeg give everything
 * away; silence lies where they meet, so nothing is heard of it.
 */
export function openAacEncoder({
  format,
  signal,
  program,
}: {
  format: TargetMediaFormat;
  signal: AbortSignal;
  program: FfmpegProgram;
}): SpeechEncoder {
  const isMpegts = format.container === 'mpegts';
  const container: Container = isMpegts
    ? createMpegtsContainer({ codec: 'aac', sampleRateHz: AAC_RATE_HZ })
    : createMatroskaContainer({
        ...{ codec: 'aac', docType: 'matroska', sampleRateHz: AAC_RATE_HZ },
        audioSpecificConfig: AUDIO_SPECIFIC_CONFIG,
      });
  const maker = createPieceMaker({ container, sampleRateHz: AAC_RATE_HZ });
  const bare = ({ data, samples }: Packet) => ({ data: withoutAdtsHeader(data), samples });
  let segment = new AacProcess(program);
  let isBegun = false;

  const taken = () => {
    const packets = segment.take();
    return maker.add(isMpegts ? packets : packets.map(bare));
  };
  const abort = () => segment.kill(signal.reason);
  signal.addEventListener('abort', abort, { once: true });

  return {
    headers: container.headers,
    async encode({ samples, sampleRateHz }) {
      signal.throwIfAborted();
      isBegun = true;
      await segment.write(samples, sampleRateHz);
      return taken();
    },
    async flush() {
      signal.throwIfAborted();
      if (!isBegun) return [];
      await segment.end();
      const pieces = [...taken(), ...maker.flush()];
      segment = new AacProcess(program);
      isBegun = false;
      return pieces;
    },
    close() {
      signal.removeEventListener('abort', abort);
      segment.kill(new Error('The encoder was closed.'));
    },
  };
}
