import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alawSamples, ulawSamples } from '../../../../server/voice/audio/codecs/pcm.ts';
import { decodedByFfmpeg, encodedFile, fileOf } from '../../../support/audio/audio-files.ts';

const allCodes = Uint8Array.from({ length: 256 }, (_, code) => code);

describe.each([
  { law: 'alaw', table: alawSamples },
  { law: 'mulaw', table: ulawSamples },
])('the $law table', ({ law, table }) => {
  const input = ['-f', law, '-ar', '8000'];

  it('decodes every code to the same sample as ffmpeg', () => {
    expect([...table]).toEqual([...decodedByFfmpeg(fileOf(allCodes, law), 8000, input)]);
  });

  it('decodes speech exactly as ffmpeg does', () => {
    const file = encodedFile(law, ['-ar', '8000', '-f', law]);
    const ours = Int16Array.from(readFileSync(file), (code) => table[code]!);
    expect(
      Buffer.from(ours.buffer).equals(Buffer.from(decodedByFfmpeg(file, 8000, input).buffer)),
    ).toBe(true);
  });
});
