import { expect, it } from 'vitest';
import { parseSourceMediaType } from '../../../../shared/media-type.ts';
import { createContainedSource } from '../../../../server/voice/audio/codecs/containers.ts';
import { cut } from '../../../support/audio/audio-files.ts';
import { encodedBy } from '../../../support/audio/encoded-speech.ts';
import { toneSpeech } from '../../../support/audio/tone-speech.ts';

/** Silence and speech, so that the encoder uses short and long blocks. */
const SPEECH = Buffer.concat([toneSpeech('alpha bravo'), toneSpeech('charlie')]);

it.each([
  ['audio/ogg', 16_000, 'ogg'],
  ['audio/ogg', 44_100, 'ogg'],
  ['audio/webm', 48_000, 'webm'],
])('measures the duration of Vorbis packets in %s at %d Hz', (contentType, rateHz, container) => {
  const args = ['-ac', '1', '-ar', `${rateHz}`, '-c:a', 'libvorbis', '-f', container];
  const durationsMs: number[] = [];
  const source = createContainedSource({
    format: parseSourceMediaType(contentType)!,
    opusRateHz: 16_000,
    sink: {
      samples: () => undefined,
      startCoded: () => undefined,
      coded: (_bytes, durationMs = 0) => void durationsMs.push(durationMs),
      passedOver: () => undefined,
    },
  });
  // Cut anywhere, even in the first packet.
  for (const chunk of cut(encodedBy(args, SPEECH), 50)) source.push(chunk);
  source.end();
  const playsMs = durationsMs.reduce((sum, each) => sum + each, 0);
  const longestMs = Math.max(...durationsMs);
  expect(new Set(durationsMs).size).toBeGreaterThan(2);
  // The padding of the last block is counted as well.
  expect(playsMs).toBeGreaterThanOrEqual(SPEECH.length / 32 - 1);
  expect(playsMs).toBeLessThan(SPEECH.length / 32 + 3 * longestMs);
});
