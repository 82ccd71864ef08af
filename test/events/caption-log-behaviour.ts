/** The contract of a caption log, for every adapter. */
import { expect } from 'vitest';
import type {
  Caption,
  CaptionLog,
  CaptionTrack,
  NewCaption,
} from '../../server/events/caption-log.ts';

import { wholeTranscript } from './live-room-support.ts';

export interface LogUnderTest {
  /** Creates a room whose captions may be stored. */
  newRoom: () => Promise<string>;
  log: CaptionLog;
  /** Opens another process over the same storage, whose clock may be behind. */
  restarted: (clockMs?: () => number) => CaptionLog;
}

type Behaviour = [name: string, check: (under: LogUnderTest) => Promise<void>];

const KEPT = { isKept: true };
const NOT_KEPT = { isKept: false };
/** More captions than any adapter holds in memory. */
const MANY = 620;

let lines = 0;
const said = (text: string, given: Partial<NewCaption> = {}): NewCaption => ({
  ...{
    line: (lines += 1),
    renders: null,
    language: 'en',
    startMs: 1000,
    endMs: 2000,
    author: 'machine',
  },
  text,
  ...given,
});
const texts = (captions: readonly Caption[]) => captions.map(({ text }) => text);
const numbers = (captions: readonly Caption[]) => captions.map(({ sequence }) => sequence);
const spoken = (roomId: string): CaptionTrack => ({ roomId, name: 'spoken' });

export const captionLogBehaviours: Behaviour[] = [
  [
    'keeps the order of the calls, with numbers that grow',
    async ({ log, newRoom }) => {
      const track = spoken(await newRoom());
      const all = Array.from({ length: 20 }, (_, index) => `${index}`);
      const appended = await Promise.all(all.map((text) => log.append(track, said(text), KEPT)));
      expect(texts(appended)).toEqual(all);
      const read = await log.read(track, 0);
      expect(read).toEqual({
        captions: appended,
        isWhole: true,
        upTo: appended.at(-1)!.sequence,
      });
      expect(numbers(appended)).toEqual([...new Set(numbers(appended))].sort((a, b) => a - b));
      expect(log.nextLine()).toBeGreaterThan(appended.at(-1)!.sequence);
    },
  ],
  [
    'answers what came after a sequence, in each track its own',
    async ({ log, newRoom }) => {
      const roomId = await newRoom();
      const first = await log.append(spoken(roomId), said('one'), KEPT);
      const second = await log.append(spoken(roomId), said('two'), NOT_KEPT);
      const other = await log.append({ roomId, name: 'es' }, said('uno'), KEPT);
      expect(await log.read(spoken(roomId), first.sequence)).toMatchObject({
        captions: [second],
        isWhole: true,
      });
      expect((await log.read(spoken(roomId), second.sequence)).captions).toEqual([]);
      expect((await log.read({ roomId, name: 'es' }, 0)).captions).toEqual([other]);
      expect((await log.read(spoken(await newRoom()), 0)).captions).toEqual([]);
    },
  ],
  [
    'goes on after a restart with larger numbers, whatever the clock says',
    async ({ log, newRoom, restarted }) => {
      const roomId = await newRoom();
      const before = await log.append(spoken(roomId), said('before'), KEPT);
      const again = restarted(() => 1_000);
      const after = await again.append(spoken(roomId), said('after'), KEPT);
      expect(after.sequence).toBeGreaterThan(before.sequence);
      expect((await again.read(spoken(roomId), 0)).captions).toEqual([before, after]);
      expect((await again.read(spoken(roomId), before.sequence)).captions).toEqual([after]);
      expect(await wholeTranscript(restarted(), spoken(roomId))).toEqual([before, after]);
    },
  ],
  [
    'tells nobody what a correction has taken the place of, after a restart either',
    async ({ log, newRoom, restarted }) => {
      const track = spoken(await newRoom());
      const kept = await log.append(track, said('first', { line: 1 }), KEPT);
      for (const line of [2, 3]) await log.append(track, said('wrong', { line }), KEPT);
      const right = await log.append(track, said('right', { line: 2 }), KEPT);
      const gone = await log.append(track, said('', { line: 3 }), KEPT);
      for (const under of [log, restarted()]) {
        expect((await under.read(track, 0)).captions).toEqual([kept, right, gone]);
        expect((await under.read(track, kept.sequence)).captions).toEqual([right, gone]);
      }
    },
  ],
  [
    'writes only what may be kept',
    async ({ log, newRoom, restarted }) => {
      const track = spoken(await newRoom());
      await log.append(track, said('private'), NOT_KEPT);
      const kept = await log.append(track, said('public'), KEPT);
      expect(texts(await wholeTranscript(log, track))).toEqual(['private', 'public']);
      expect(await wholeTranscript(restarted(), track)).toEqual([kept]);
    },
  ],
  [
    'has all of a transcript in its order, also what was kept before what was not',
    async ({ log, newRoom }) => {
      const track = spoken(await newRoom());
      for (const [text, isKept] of [
        ['a', true],
        ['b', false],
        ['c', true],
        ['d', false],
      ] as const) {
        await log.append(track, said(text), { isKept });
      }
      expect(texts(await wholeTranscript(log, track))).toEqual(['a', 'b', 'c', 'd']);
    },
  ],
  [
    'says when there is more than it has at hand, and has the rest in the transcript',
    async ({ log, newRoom, restarted }) => {
      const track = spoken(await newRoom());
      const all = Array.from({ length: MANY }, (_, line) => said(`${line}`, { line }));
      const appended = await Promise.all(all.map((each) => log.append(track, each, KEPT)));
      await log.flush();
      for (const under of [log, restarted()]) {
        const late = await under.read(track, appended[0]!.sequence);
        expect(late.isWhole).toBe(false);
        expect(late.captions).toEqual(appended.slice(-late.captions.length));
        const recent = await under.read(track, appended.at(-3)!.sequence);
        expect(recent).toMatchObject({ captions: appended.slice(-2), isWhole: true });
        expect(await wholeTranscript(under, track)).toHaveLength(MANY);
      }
      await log.append(track, said('corrected', { line: 0 }), KEPT);
      await log.flush();
      const before = appended.at(-1)!.sequence;
      for (const under of [log, restarted()]) {
        expect((await under.read(track, before)).isWhole).toBe(false);
      }
    },
  ],
  [
    'keeps what is rendered late, which takes nothing away from those who follow',
    async ({ log, newRoom, restarted }) => {
      for (const kept of [KEPT, NOT_KEPT]) {
        const track = { roomId: await newRoom(), name: 'es' };
        const lines = Array.from({ length: MANY }, (_, line) => line);
        const append = (line: number, isLate: boolean) =>
          log.append(track, said(`${line}`, { line }), { ...kept, isLate });
        // The first hundred and the last but one are rendered for a file after all others.
        const late = [...lines.slice(0, 100), MANY - 300, MANY - 2];
        const others = lines.filter((line) => !late.includes(line));
        await Promise.all(others.map((line) => append(line, false)));
        const before = (await log.read(track, 0)).upTo;
        const heard: string[] = [];
        const leave = log.follow(track, {
          onCaption: ({ text }) => heard.push(text),
          onTentative: () => undefined,
        });
        await Promise.all(late.map((line) => append(line, true)));
        await log.flush();
        leave();
        expect(heard).toEqual([`${MANY - 2}`]);
        expect(await log.read(track, before)).toMatchObject({
          isWhole: true,
          captions: [{ line: MANY - 2 }],
        });
        for (const under of kept === KEPT ? [log, restarted()] : [log]) {
          const held = new Set((await under.read(track, 0)).captions.map(({ line }) => line));
          expect(lines.slice(-100).filter((line) => !held.has(line))).toEqual([]);
          expect(held.has(0)).toBe(false);
        }
        if (kept === KEPT) expect(await wholeTranscript(log, track)).toHaveLength(MANY);
      }
    },
  ],
  [
    'tells followers everything once, in order, and nothing after they have left',
    async ({ log, newRoom }) => {
      const roomId = await newRoom();
      const heard: string[] = [];
      const leave = log.follow(spoken(roomId), {
        onCaption: ({ text, sequence }) => heard.push(`${text} ${sequence}`),
        onTentative: (text) => heard.push(text),
      });
      log.tell(spoken(roomId), 'Good');
      const first = await log.append(spoken(roomId), said('Good morning.'), KEPT);
      await log.append({ roomId, name: 'es' }, said('Buenos días.'), KEPT);
      const second = await log.append(spoken(roomId), said('Hello.'), NOT_KEPT);
      leave();
      log.tell(spoken(roomId), 'Nobody hears it');
      await log.append(spoken(roomId), said('Nobody hears it.'), KEPT);
      expect(heard).toEqual([
        'Good',
        `Good morning. ${first.sequence}`,
        `Hello. ${second.sequence}`,
      ]);
    },
  ],
  [
    'has read what it tells: whoever reads and then follows misses nothing',
    async ({ log, newRoom }) => {
      const track = spoken(await newRoom());
      const heard = new Set<number>();
      log.follow(track, {
        onCaption: ({ sequence }) => heard.add(sequence),
        onTentative: () => undefined,
      });
      const appending = Promise.all(
        Array.from({ length: 30 }, (_, index) => log.append(track, said(`${index}`), KEPT)),
      );
      const { captions } = await log.read(track, 0);
      const known = new Set([...numbers(captions), ...heard]);
      await appending;
      for (const number of heard) known.add(number);
      expect([...known].sort((a, b) => a - b)).toEqual(
        numbers((await log.read(track, 0)).captions),
      );
    },
  ],
  [
    'forgets a room, everywhere, and goes on',
    async ({ log, newRoom, restarted }) => {
      const [track, other] = [spoken(await newRoom()), spoken(await newRoom())];
      await log.append(other, said('stays'), KEPT);
      const before = await log.append(track, said('secret'), KEPT);
      const underWay = log.append(track, said('secret too'), KEPT);
      await log.forget(track.roomId);
      await underWay;
      expect((await log.read(track, 0)).captions).toEqual([]);
      const after = await log.read(track, before.sequence);
      // A reader that has it must forget it.
      expect(after).toMatchObject({ captions: [], isWhole: false });
      expect(await log.read(track, after.upTo)).toMatchObject({ captions: [], isWhole: true });
      expect(await wholeTranscript(restarted(), track)).toEqual([]);
      expect((await restarted().read(track, before.sequence)).isWhole).toBe(false);
      await log.append(track, said('public'), KEPT);
      expect(texts(await wholeTranscript(log, track))).toEqual(['public']);
      expect(texts(await wholeTranscript(restarted(), other))).toEqual(['stays']);
    },
  ],
  [
    'erases what was written, and still has it for those who follow',
    async ({ log, newRoom, restarted }) => {
      const track = spoken(await newRoom());
      await log.append(track, said('one'), KEPT);
      const underWay = log.append(track, said('two'), KEPT);
      await log.erase(track.roomId);
      await underWay;
      expect(texts((await log.read(track, 0)).captions)).toEqual(['one', 'two']);
      expect(await wholeTranscript(restarted(), track)).toEqual([]);
    },
  ],
  [
    'lets go of what is too old, and says that it is not there',
    async ({ log, newRoom }) => {
      const track = spoken(await newRoom());
      const old = await log.append(track, said('old', { endMs: 10 }), NOT_KEPT);
      await log.append(track, said('new', { endMs: 20 }), NOT_KEPT);
      log.expire(track.roomId, 15);
      expect(texts(await wholeTranscript(log, track))).toEqual(['new']);
      expect((await log.read(track, old.sequence - 1)).isWhole).toBe(false);
      log.expire(track.roomId, 25);
      const { captions, upTo } = await log.read(track, 0);
      expect(captions).toEqual([]);
      expect((await log.read(track, upTo)).isWhole).toBe(true);
    },
  ],
  [
    'releases memory, though not under those who follow',
    async ({ log, newRoom }) => {
      const track = spoken(await newRoom());
      await log.append(track, said('private'), NOT_KEPT);
      await log.append(track, said('kept'), KEPT);
      const leave = log.follow(track, {
        onCaption: () => undefined,
        onTentative: () => undefined,
      });
      log.release(track.roomId);
      expect(texts((await log.read(track, 0)).captions)).toEqual(['private', 'kept']);
      leave();
      log.release(track.roomId);
      expect(texts((await log.read(track, 0)).captions)).toEqual(['kept']);
    },
  ],
];
