/** Samples as a WAV file. */
import { WAV_HEADER_BYTES, wavHeader } from '../../../shared/wav.ts';

/**
 * A RIFF file of s16le samples, one channel.
 *
 * @param leastMs a shorter recording is filled up with silence
 */
export function wavFile(
  samples: Int16Array,
  { sampleRateHz, leastMs = 0 }: { sampleRateHz: number; leastMs?: number },
): Uint8Array<ArrayBuffer> {
  const sampleCount = Math.max(samples.length, Math.ceil((leastMs * sampleRateHz) / 1000));
  const dataBytes = sampleCount * 2;
  const file = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  file.set(wavHeader({ sampleRateHz, dataBytes }));
  const { buffer, byteOffset, byteLength } = samples;
  file.set(new Uint8Array(buffer, byteOffset, byteLength), WAV_HEADER_BYTES);
  return file;
}
