import { expect, test } from 'vitest';
import type { SpeechPiece } from '../../server/engines/engine.ts';
import { createSilentRecogniser } from '../../server/engines/recognition/silent.ts';
import { silence } from '../support/audio/speech.ts';
import { asSpeech, heard, IdleSource } from './recognition-support.ts';

const engine = createSilentRecogniser();

test('the silent recogniser consumes all audio and reports nothing', async () => {
  let pulled = 0;
  const audio = async function* (): AsyncGenerator<SpeechPiece> {
    for await (const piece of asSpeech(silence(5_000))) {
      if (piece.kind === 'samples') pulled += piece.samples.byteLength;
      yield piece;
    }
  };
  expect(await heard(engine, audio(), { language: 'ja' })).toEqual([]);
  expect(pulled).toBe(5_000 * 32);
});

test("the silent recogniser ends with the abort's reason while it waits for audio", async () => {
  const source = new IdleSource(silence(500));
  const signal = AbortSignal.timeout(100);
  await expect(heard(engine, source, { signal })).rejects.toThrow(/timeout/);
  expect(source.isReleased).toBe(true);
});
