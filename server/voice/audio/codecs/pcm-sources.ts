/** Audio without a container. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import type { AudioSink, AudioSource } from './audio-sink.ts';
import { alawSamples, ulawSamples } from './g711.ts';
import { createSampleAligner } from './sample-aligner.ts';

export function createPcmSource(
  { codec, sampleRateHz = 0 }: AudioFormat,
  sink: AudioSink,
): AudioSource {
  if (codec === 's16le') return createLinearSource(sampleRateHz, sink);
  return createTableSource(codec === 'alaw' ? alawSamples : ulawSamples, sampleRateHz, sink);
}

/** A-law and µ-law. */
function createTableSource(table: Int16Array, sampleRateHz: number, sink: AudioSink): AudioSource {
  return {
    push(chunk) {
      const samples = new Int16Array(chunk.length);
      for (let index = 0; index < samples.length; index += 1) {
        samples[index] = table[chunk[index] as number] as number;
      }
      sink.samples(samples, sampleRateHz);
    },
    gap: () => undefined,
    end: () => undefined,
    free: () => undefined,
  };
}

/** s16le, on the little-endian machines that Node runs on a matter of alignment. */
function createLinearSource(sampleRateHz: number, sink: AudioSink): AudioSource {
  let align = createSampleAligner();
  return {
    push(chunk) {
      const whole = align(chunk);
      const bytes = whole.byteOffset % 2 === 0 ? whole : whole.slice();
      sink.samples(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), sampleRateHz);
    },
    // The next byte is the first of a sample.
    gap: () => (align = createSampleAligner()),
    end: () => undefined,
    free: () => undefined,
  };
}
