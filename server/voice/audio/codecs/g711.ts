/** A-law and µ-law (ITU-T G.711): one byte a sample, by table. */

/** Samples of the 256 codes, at the scale of 16-bit PCM. */
export const alawSamples = Int16Array.from({ length: 256 }, (_, code) => alawSample(code));
export const ulawSamples = Int16Array.from({ length: 256 }, (_, code) => ulawSample(code));

/** A-law codes are sent with every second bit inverted; 13-bit samples, set to 16 bits. */
function alawSample(code: number): number {
  const bits = code ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 15) << 4) | 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa | 0x100) << (exponent - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** µ-law codes are sent inverted; 14-bit samples with a bias of 33, set to 16 bits. */
function ulawSample(code: number): number {
  const bits = ~code;
  const exponent = (bits >> 4) & 7;
  const magnitude = ((((bits & 15) << 3) | 0x84) << exponent) - 0x84;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}
