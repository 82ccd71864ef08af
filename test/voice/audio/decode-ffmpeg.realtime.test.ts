/** Decoding by FFmpeg: without delay, within limits, and without leaving processes behind. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import {
  createAudioDecoders,
  findFfmpeg,
  type AudioDecoders,
  type AudioDecodersOptions,
} from '../../../server/voice/audio/decode.ts';
import { processTree } from '../../../server/process/supervision.ts';
import { findFfmpegProgram, type FfmpegProgram } from '../../../server/voice/audio/ffmpeg.ts';
import { OggReader } from '../../../server/voice/audio/codecs/ogg-reader.ts';
import { OggWriter } from '../../../server/voice/audio/codecs/ogg-writer.ts';
import { cut, encoded, mutated, seededRandom } from '../../support/audio/audio-files.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { descendantsOf } from '../../support/machine/processes.ts';
import {
  bytesLeft,
  collect,
  decodeWith,
  liveSource,
  program,
  streamed,
  until,
} from './decoding.ts';

const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];
const aac = ['-c:a', 'aac', '-b:a', '64k'];
const mp3File = () => encoded('mp3', mp3);
const mpeg = { contentType: 'audio/mpeg' };

let ffmpeg: FfmpegProgram | undefined;
/** Decoders for all tests without special options. */
let shared: AudioDecoders;
beforeAll(async () => {
  ffmpeg = await findFfmpeg();
  shared = createAudioDecoders({ log: recordLog(), ffmpeg });
});
afterAll(() => shared.close());

const stages: AudioDecoders[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((decoders) => decoders.close()));
  // The next test counts its own processes.
  await untilGone();
});
function stage(options: Partial<AudioDecodersOptions> = {}): AudioDecoders {
  const decoders = createAudioDecoders({ log: recordLog(), ffmpeg, ...options });
  stages.push(decoders);
  return decoders;
}

/** Ids of descendant processes with this name, contained or not. */
function children(name = 'ffmpeg'): number[] {
  return descendantsOf(process.pid, new RegExp(`^\\S*${name} `));
}

/** Looks rarely, as that is work. */
const untilGone = (name = 'ffmpeg') => until(() => children(name).length === 0, 25);

/** A stream of MP3 whose process runs. */
async function begun(decoders: AudioDecoders, signal = new AbortController().signal) {
  const source = liveSource();
  const iterator = decodeWith(decoders, source.media, { ...mpeg, signal })[Symbol.asyncIterator]();
  source.give(mp3File().subarray(0, 4000));
  await iterator.next();
  return { source, drain: () => bytesLeft(iterator), iterator };
}

it.each([
  { what: 'MP3', contentType: 'audio/mpeg', extension: 'mp3', args: mp3 },
  {
    what: 'AAC in Matroska',
    contentType: 'audio/x-matroska;codecs=aac',
    extension: 'mka',
    args: aac,
  },
  {
    what: 'Vorbis in Ogg',
    contentType: 'audio/ogg',
    extension: 'ogg',
    args: ['-c:a', 'libvorbis'],
  },
])('yields nearly all sound of the $what received so far without waiting for more', async (row) => {
  const source = liveSource();
  const bytes = encoded(row.extension, row.args);
  const stream = decodeWith(shared, source.media, row);
  const given = bytes.subarray(0, Math.floor(bytes.length * 0.35));
  for (const chunk of cut(given, 300)) source.give(chunk);
  // A third of a file of 5.7 s, minus headers of up to 5 kB and the content of one frame.
  let heardMs = 0;
  for await (const samples of stream) {
    heardMs += samples.length / 32;
    if (heardMs > 1000) break;
  }
  expect(heardMs).toBeGreaterThan(1000);
});

it.each([
  { contentType: 'audio/mpeg', extension: 'mp3', args: mp3, sizes: [20, 600] },
  { contentType: 'audio/ogg', extension: 'ogg', args: ['-c:a', 'libvorbis'], sizes: [4200] },
])('yields hardly any sound and no error when $contentType ends early', async (row) => {
  const bytes = encoded(row.extension, row.args);
  for (const size of row.sizes) {
    const samples = await collect(decodeWith(shared, streamed([bytes.subarray(0, size)]), row));
    expect(samples.length).toBeLessThan(3200);
  }
});

/** Vorbis in Ogg with the packets of one kind changed. */
function vorbisWith(
  kind: string,
  change: (packet: Buffer) => Buffer,
  lengthS?: number,
): Uint8Array[] {
  const writer = new OggWriter(1);
  const pages: Uint8Array[] = [];
  const reader = new OggReader({
    page: () => true,
    packet(packet) {
      const own = Buffer.from(packet);
      const isIt = own.toString('latin1', 0, 7) === kind;
      pages.push(writer.pages(isIt ? change(own) : own));
    },
  });
  reader.push(encoded('ogg', ['-c:a', 'libvorbis'], lengthS));
  return pages;
}

it.each([
  {
    what: 'blocks that are all short',
    // Appended after everything FFmpeg reads: a single mode, which is short.
    pages: () =>
      vorbisWith('\x05vorbis', (setup) =>
        Buffer.concat([setup, Uint8Array.of(0, 0, 0, 0, 0, 128)]),
      ),
  },
  {
    // The sound becomes as long as that of the other.
    what: 'fewer samples a second',
    pages: () =>
      vorbisWith(
        '\x01vorbis',
        (head) => {
          head.writeUInt32LE(2_000, 12);
          return head;
        },
        0.3,
      ),
  },
])('meters all decoded sound even when the Vorbis headers declare $what', async ({ pages }) => {
  let countedMs = 0;
  const meter = (durationMs: number) => (countedMs += durationMs);
  const given = { contentType: 'audio/ogg', meter };
  const samples = await collect(decodeWith(shared, streamed(pages()), given));
  const heardMs = samples.length / 16;
  expect(heardMs).toBeGreaterThan(5_000);
  expect(countedMs).toBeGreaterThan(heardMs - 1);
  expect(countedMs).toBeLessThan(heardMs + 200);
});

it('fails when the program was removed after it had been found', async () => {
  const stream = decodeWith(
    stage({ ffmpeg: { ...ffmpeg!, path: '/no/such/program' } }),
    streamed([mp3File().subarray(0, 3000)]),
    mpeg,
  );
  await expect(collect(stream)).rejects.toMatchObject({ code: 'decoder_failed' });
});

it('leaves no process behind when a stream ends, is aborted, is no longer read, or fails, and ends no other', async () => {
  const dying = await begun(shared);
  const [victim] = children();
  const abort = new AbortController();
  const [ending, aborted, returning, failing] = [
    await begun(shared),
    await begun(shared, abort.signal),
    await begun(shared),
    await begun(shared),
  ];
  expect(children().length).toBe(5);
  const end = dying.drain();
  process.kill(victim!, 'SIGKILL');
  await expect(end).rejects.toMatchObject({ code: 'decoder_failed' });
  abort.abort(new Error('over'));
  await expect(aborted.drain()).rejects.toThrow('over');
  await returning.iterator.return?.();
  failing.source.give(new Uint8Array(60_000));
  await expect(failing.drain()).rejects.toMatchObject({ code: 'audio_format_unsupported' });
  ending.source.end();
  expect(await ending.drain()).toBeGreaterThan(1000);
  await untilGone();
});

it('replaces a process that dies before there is anything to decode', async () => {
  const source = liveSource();
  const decoding = collect(decodeWith(shared, source.media, mpeg));
  await until(() => children().length === 1, 25);
  const [outermost] = descendantsOf(process.pid, /ffmpeg /);
  process.kill(children()[0]!, 'SIGKILL');
  // Until this process knows, which may be later than its sandbox does.
  await until(() => !processTree(process.pid).includes(outermost!), 25);
  source.give(mp3File().subarray(0, 4000));
  source.end();
  expect((await decoding).length).toBeGreaterThan(1000);
});

it.each([
  { what: 'reads nothing', script: 'exec /bin/sleep 600', name: 'sleep' },
  { what: 'reads and says nothing', script: 'exec /bin/cat >/dev/null', name: 'cat' },
])(
  'kills a process that $what, in the middle and at the end of a stream',
  async ({ script, name }) => {
    const decoders = stage({ ffmpeg: await findFfmpegProgram(program(script)), watchdogMs: 400 });
    const silent = liveSource();
    const stream = collect(decodeWith(decoders, silent.media, mpeg));
    const file = mp3File();
    // More than the process may owe, sent at once: the pipe alone holds ten seconds of it.
    for (let count = 0; count < 3; count += 1)
      for (const chunk of cut(file, 1500)) silent.give(chunk);
    await expect(stream).rejects.toMatchObject({ code: 'decoder_failed' });
    const ending = collect(decodeWith(decoders, streamed(cut(file.subarray(0, 3000), 500)), mpeg));
    if (name === 'sleep') await expect(ending).rejects.toMatchObject({ code: 'decoder_failed' });
    else await ending;
    await untilGone(name);
  },
);

it('kills a stopped process although back-pressure holds its client before it owes much', async () => {
  const decoders = stage({ watchdogMs: 400 });
  const stopped = await begun(decoders);
  const end = stopped.drain();
  process.kill(children()[0]!, 'SIGSTOP');
  // Two seconds of speech at 24 kbit/s, sent twice because earlier sound may still be in transit.
  const speech = (from: number) => mp3File().subarray(from, from + 6000);
  stopped.source.give(speech(4_000));
  const again = setTimeout(() => stopped.source.give(speech(10_000)), 2_000);
  await expect(end).rejects.toMatchObject({ code: 'decoder_failed' });
  clearTimeout(again);
  await untilGone();
});

it('refuses streams beyond its limit of processes, and leaves none behind when it is closed', async () => {
  const decoders = stage({ maxFfmpegProcesses: 1 });
  const first = await begun(decoders);
  await expect(begun(decoders)).rejects.toMatchObject({ code: 'too_many_sessions' });
  first.source.end();
  await first.drain();
  await untilGone();
  const end = (await begun(decoders)).drain();
  const closed = decoders.close();
  await expect(end).rejects.toMatchObject({ code: 'stopping' });
  await closed;
  expect(children()).toEqual([]);
});

it('offers the remaining formats without FFmpeg and names what is missing', async () => {
  const decoders = stage({ ffmpeg: await findFfmpeg('no-such-program') });
  const withFfmpeg = shared.contentTypes;
  expect(withFfmpeg.filter((contentType) => !decoders.contentTypes.includes(contentType))).toEqual([
    'audio/mpeg',
    'audio/x-matroska;codecs=aac',
    'audio/x-matroska;codecs=mp3',
  ]);
  expect(() => decodeWith(decoders, streamed([]), mpeg)).toThrow(
    expect.objectContaining({
      code: 'audio_format_unsupported',
      message: expect.stringContaining('audio/webm;codecs=opus') as string,
    }) as Error,
  );
  const detected = decodeWith(decoders, streamed(cut(mp3File(), 1000)), {
    contentType: 'audio/auto',
  });
  await expect(collect(detected)).rejects.toMatchObject({
    code: 'audio_format_unsupported',
    message: expect.stringContaining('FFmpeg') as string,
  });
});

it.each(['true', '/no/such/program', '; exit 0'])(
  'does not accept %s as FFmpeg',
  async (command) => {
    expect(await findFfmpeg(command)).toBeUndefined();
  },
);

it('stops reading the source while its output is not read', async () => {
  let given = 0;
  const bytes = mp3File();
  async function* endless() {
    for (; given < 100_000_000;) {
      for (const chunk of cut(bytes, 1000)) {
        await new Promise((resolve) => setImmediate(resolve));
        given += chunk.length;
        yield chunk;
      }
    }
  }
  const iterator = decodeWith(shared, endless(), mpeg)[Symbol.asyncIterator]();
  await iterator.next();
  let before = -1;
  for (let calm = 0; calm < 30; calm = given === before ? calm + 1 : 0) {
    before = given;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  // Each pipe in between holds 64 KiB, and samples are five times as large as their encoded form.
  expect(given).toBeLessThan(500_000);
  for (let heard = 0; heard < 2_000_000;) {
    const step = await iterator.next();
    if (step.done === true) throw new Error('The stream has ended.');
    heard += step.value.length;
  }
  expect(given).toBeGreaterThan(before);
  await iterator.return?.();
});

it('decodes or rejects a damaged stream of each kind without leaving a process behind', async () => {
  const decoders = shared;
  const kinds = [
    { contentType: 'audio/mpeg', bytes: mp3File() },
    { contentType: 'audio/x-matroska', bytes: encoded('mka', aac) },
    { contentType: 'audio/x-matroska', bytes: encoded('mka', mp3) },
    { contentType: 'audio/ogg', bytes: encoded('ogg', ['-c:a', 'libvorbis']) },
    { contentType: 'audio/auto', bytes: encoded('aac', [...aac, '-f', 'adts']) },
  ];
  const random = seededRandom(9);
  const outcomes = new Map<string, number>();
  let left = 5;
  async function attack(): Promise<void> {
    while (left > 0) {
      const { contentType, bytes } = kinds[left-- % kinds.length]!;
      const damaged = Uint8Array.from(mutated(bytes.subarray(0, 12_000), random));
      // Damages frames as well as headers.
      for (let count = 0; count < 20; count += 1)
        damaged[Math.floor(random() * damaged.length)]! ^= 1 << (count % 8);
      const stream = decodeWith(decoders, streamed(cut(damaged, 1 + random() * 2000)), {
        contentType,
      });
      const outcome = await collect(stream).then(
        () => 'decoded',
        (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  await Promise.all([attack(), attack(), attack()]);
  const allowed = ['decoded', 'audio_format_unsupported', 'audio_not_mono', 'chunk_too_large'];
  expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
  expect(outcomes.get('decoded')).toBeGreaterThan(1);
  await untilGone();
});
