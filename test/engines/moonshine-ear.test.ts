import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it, test, vi } from 'vitest';
import { MoonshineEar } from '../../server/engines/recognition/moonshine-ear.ts';
import { MoonshineModel } from '../../server/engines/recognition/moonshine-model.ts';
import {
  loadSileroVad,
  type SileroVad,
  SpeechTrack,
} from '../../server/engines/recognition/speech-track.ts';
import { createTermBias } from '../../server/engines/recognition/term-bias.ts';
import { moonshineModel } from './moonshine-support.ts';
import { spoken } from './recognition-support.ts';

/** 100 ms of s16le at 16 kHz. */
const CHUNK_BYTES = 3_200;

let model: MoonshineModel;
let vad: SileroVad;
let mumbled: Buffer;
beforeAll(async () => {
  const { files } = await moonshineModel();
  const path = (role: string) => files[role] ?? '';
  const [encoder, decoder, tokens] = [path('encoder'), path('decoder'), path('tokens')];
  model = await MoonshineModel.load({ encoder, decoder, tokens });
  vad = await loadSileroVad(path('vad'));
  // So quiet that the model is unsure of the words.
  mumbled = await spoken({ text: 'the committee postponed the vote', voice: 'kal16' });
  for (let at = 0; at < mumbled.length; at += 2) {
    mumbled.writeInt16LE(mumbled.readInt16LE(at) >> 7, at);
  }
});

function floats(audio: Buffer): Float32Array {
  return Float32Array.from(
    { length: audio.length / 2 },
    (_, index) => audio.readInt16LE(2 * index) / 32_768,
  );
}

/** Counts how often the model decodes an utterance from the first pause on, and returns the final text. */
async function heardFinally({ isHurried }: { isHurried: boolean }) {
  const decode = vi.spyOn(model, 'decode');
  const track = new SpeechTrack({ detector: vad.open(), pauseMs: 600 });
  const ear = new MoonshineEar({
    model,
    track,
    bias: undefined,
    before: undefined,
    patience: () => 1,
    isHurried: () => isHurried,
  });
  let text = '';
  for (let at = 0; at < mumbled.length; at += CHUNK_BYTES) {
    await ear.accept(mumbled.subarray(at, at + CHUNK_BYTES));
  }
  // Only the conclusion is decoded: the rest came too long ago.
  ear.end(false);
  while (ear.wants !== 'nothing') {
    const news = await ear.work();
    if (news?.kind === 'part') text += ` ${news.part.text}`;
    if (news?.kind === 'over') text += ` ${news.heard.text}`;
  }
  const count = decode.mock.calls.length;
  decode.mockRestore();
  return { count, text: text.trim() };
}

test('soft speech is found where loud speech is', async () => {
  const loud = await spoken({ text: 'the committee postponed the vote', voice: 'kal16' });
  const windows = [];
  for (const shift of [0, 6]) {
    const audio = Buffer.from(loud);
    for (let at = 0; at < audio.length; at += 2) {
      audio.writeInt16LE(audio.readInt16LE(at) >> shift, at);
    }
    const track = new SpeechTrack({ detector: vad.open(), pauseMs: 600 });
    await track.append(audio);
    windows.push(track.window);
  }
  const [expected, found] = windows.map((window) => ({
    from: window?.from ?? NaN,
    until: (window?.from ?? NaN) + (window?.length ?? NaN),
  }));
  // Of two frames of 512 samples.
  expect(Math.abs(found!.from - expected!.from)).toBeLessThanOrEqual(1_024);
  expect(Math.abs(found!.until - expected!.until)).toBeLessThanOrEqual(1_024);
});

describe('an unsure recogniser stream', () => {
  it('decodes again at other tempos unless it is hurried', async () => {
    const calm = await heardFinally({ isHurried: false });
    const hurried = await heardFinally({ isHurried: true });
    expect(calm.count).toBeGreaterThanOrEqual(hurried.count + 5);
    expect(hurried.text).not.toBe('');
  });
});

test('what the model repeats until its limit, as in speech of another language, is cut and counts as unsure', async () => {
  const text =
    'Buenos días a todos. Hoy vamos a hablar de la nueva casa en la ciudad. ' +
    'El tiempo es muy bueno y los niños juegan en el jardín.';
  const wave = execFileSync('espeak-ng', ['-v', 'es', '--stdout', text]);
  const input = ['-D', '-t', 'wav', '--ignore-length', '-', '-t', 'raw', '-r', '16000', '-'];
  const samples = floats(
    execFileSync('sox', input, { input: wave, stdio: ['pipe', 'pipe', 'ignore'] }),
  );
  const { tokens, chances, score } = await model.decode({ samples });
  expect(chances).toHaveLength(tokens.length);
  const words = model.text(tokens).toLowerCase();
  expect(words).not.toMatch(/(\b[\w' ]{4,}\b).*\1.*\1/);
  expect(score / (tokens.length + 1)).toBeLessThan(-1.2);
});

describe('session terms that are not spoken', () => {
  const terms = 'Itochu Iberdrola Mendelssohn Anneliese Aoife Saoirse'.split(' ');
  const biasOf = (own: readonly string[]) => {
    const bias = createTermBias(own, model.pieces);
    return bias === undefined ? {} : { bias };
  };

  // Each sentence comes with terms that lead it astray when only their beginning is made likelier.
  it.each([
    ['kal16', 'and so my fellow americans ask not', ['Itochu', 'Iberdrola']],
    ['awb', 'our annual general meeting is in vienna', ['Itochu', 'Iberdrola', 'Aoife']],
  ] as const)('leave the speech of %s unchanged: %s', async (voice, text, misleading) => {
    const samples = floats(await spoken({ text, voice }));
    const heard = async (own: readonly string[]) =>
      model.text((await model.decode({ samples, ...biasOf(own) })).tokens);
    const undisturbed = await heard([]);
    for (const term of misleading) expect(await heard([term])).toBe(undisturbed);
    expect(await heard(terms)).toBe(undisturbed);
  });

  it('leave spoken terms in place beside a term that was only begun', async () => {
    const text = 'all of our services have moved to kubernetes this year';
    const samples = floats(await spoken({ text, voice: 'rms' }));
    const { tokens } = await model.decode({ samples, ...biasOf(['Kubernetes', ...terms]) });
    expect(model.text(tokens)).toBe('All of our services have moved to Kubernetes this year.');
  });
});
