/** Samples of WAV files, as the voice protocol calls them. */
import { wavCodec, type WavFormat } from '../../shared/wav.ts';

/** Content type of the voice protocol; undefined for what it does not know, such as two channels. */
export function wavContentType(format: WavFormat): string | undefined {
  const { codec, channels, sampleRateHz: rateHz, bitsPerSample: bits } = format;
  if (channels !== 1) return undefined;
  if (codec === wavCodec.pcm && bits === 16 && [8_000, 16_000, 44_100, 48_000].includes(rateHz)) {
    return `audio/pcm;encoding=s16le;rate=${rateHz}`;
  }
  if (rateHz !== 8_000 || bits !== 8) return undefined;
  if (codec === wavCodec.alaw) return 'audio/pcm;encoding=alaw;rate=8000';
  return codec === wavCodec.ulaw ? 'audio/pcm;encoding=ulaw;rate=8000' : undefined;
}
