import { expect, it } from 'vitest';
import { MEDIA_GAP, UTTERANCE_END } from '../../../server/voice/audio/media.ts';
import { AudioIntake, readAudioEntry } from '../../../server/voice/session/audio-entry.ts';

const head = { fromBytes: 2 ** 40, receivedMs: 1_234.5, confirmed: 7, hasEnded: false };
const chunk = (size: number, value: number) => new Uint8Array(size).fill(value);
/** Reads a copy of the entry, as Redis returns it. */
const kept = (entry: Buffer) => readAudioEntry(Buffer.from(entry))!;
const isSame = (piece: unknown, wanted: Uint8Array) =>
  piece instanceof Uint8Array && Buffer.from(piece).equals(wanted);

it('reads audio back piece by piece as it came', () => {
  const intake = new AudioIntake();
  const pieces = [chunk(1, 1), chunk(70_000, 2), chunk(3_200, 3)];
  intake.add(pieces[0]!);
  intake.add(MEDIA_GAP);
  intake.add(pieces[1]!);
  intake.add(UTTERANCE_END);
  intake.add(pieces[2]!);
  const entry = kept(intake.take(head));
  expect(entry).toMatchObject(head);
  const [first, gap, second, end, third, ...more] = entry.pieces;
  const found = [first, second, third];
  expect(pieces.map((piece, index) => isSame(found[index], piece))).toEqual([true, true, true]);
  expect([gap, end?.length, more]).toEqual([null, 0, []]);
});

it('records the end of audio without any audio', () => {
  const intake = new AudioIntake();
  expect(intake.isEmpty).toBe(true);
  const entry = kept(intake.take({ ...head, hasEnded: true }));
  expect(entry).toEqual({ ...head, hasEnded: true, pieces: [] });
});

it('detects an entry that another version wrote in another format, and does not read it', () => {
  const intake = new AudioIntake();
  intake.add(chunk(100, 1));
  const entry = Buffer.from(intake.take({ ...head, fromBytes: 3_200 }));
  const withoutVersion = entry.subarray(1);
  const later = Buffer.from(entry).fill(entry[0]! + 1, 0, 1);
  const messagePack = Buffer.from([0x93, 0, 0, 0xc2]);
  for (const other of [withoutVersion, later, messagePack, entry.subarray(0, 9), Buffer.alloc(0)])
    expect(readAudioEntry(other)).toBeUndefined();
  expect(readAudioEntry(entry)?.pieces).toHaveLength(1);
});

it('keeps an entry in transit unchanged until it has arrived', () => {
  const intake = new AudioIntake();
  for (let round = 1; round <= 20; round += 1) {
    const size = round * 1_000;
    intake.add(chunk(size, round));
    const onItsWay = intake.take(head);
    intake.add(chunk(size, 255));
    const [piece, ...more] = kept(onItsWay).pieces;
    expect([isSame(piece, chunk(size, round)), more]).toEqual([true, []]);
    intake.givenBack();
    intake.clear();
    expect(intake.isEmpty).toBe(true);
  }
});

it('reuses the same two buffers', () => {
  const intake = new AudioIntake();
  const used = new Set<ArrayBufferLike>();
  for (let round = 0; round < 50; round += 1) {
    for (let count = 0; count < 4; count += 1) intake.add(chunk(3_200, round));
    if (round > 1) used.add(intake.take(head).buffer);
    else intake.take(head);
    intake.givenBack();
  }
  expect(used.size).toBeLessThanOrEqual(2);
});

it('releases a large buffer after its use', () => {
  const intake = new AudioIntake();
  intake.add(chunk(1_000_000, 1));
  intake.take(head);
  intake.givenBack();
  intake.add(chunk(100, 2));
  intake.take(head);
  intake.givenBack();
  intake.add(chunk(100, 3));
  expect(intake.take(head).buffer.byteLength).toBeLessThan(10_000);
});
