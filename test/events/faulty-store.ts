/** Captions in memory behind calls that fail as a script says. */
import type { Caption, CaptionTrack } from '../../server/events/caption-log.ts';
import type { CaptionLogOptions } from '../../server/events/embedded-caption-log.ts';
import fc from '../support/suite/properties.ts';
import { setImmediate as turn } from 'node:timers/promises';

/** Outcomes of a call; `lost` succeeds although it reports a failure. */
export const faults = fc.oneof(
  { weight: 5, arbitrary: fc.constant('prompt') },
  { weight: 4, arbitrary: fc.constantFrom('slow', 'slower') },
  { weight: 3, arbitrary: fc.constantFrom('fails', 'fails late', 'lost') },
  { weight: 3, arbitrary: fc.constant('hangs') },
);

type Store = CaptionLogOptions['store'];
export type FaultyStore = ReturnType<typeof faultyStore>;

export function faultyStore(script: readonly string[]) {
  const rows = new Map<string, Map<number, Caption>>();
  const deletedUpTo = new Map<string, number>();
  const writtenAfter = new Map<string, number>();
  const keyOf = ({ roomId, name }: CaptionTrack) => `${roomId} ${name}`;
  const rowsOf = (track: CaptionTrack) =>
    [...(rows.get(keyOf(track))?.values() ?? [])].sort((a, b) => a.sequence - b.sequence);
  const hanging = new Set<() => void>();
  let isHealed = false;
  let calls = 0;
  let lostDeletions = 0;
  let underWay = 0;

  async function call<Result>(work: () => Result, onLost?: () => void): Promise<Result> {
    underWay += 1;
    return attempt(work, onLost).finally(() => (underWay -= 1));
  }

  async function attempt<Result>(work: () => Result, onLost?: () => void): Promise<Result> {
    const fault = isHealed ? 'prompt' : script[calls++ % script.length];
    if (fault === 'fails') throw new Error('Refused.');
    if (fault === 'hangs') await new Promise<void>((resolve) => void hanging.add(resolve));
    const turns = fault === 'slow' ? 1 : fault === 'slower' || fault === 'fails late' ? 5 : 0;
    for (let n = 0; n < turns; n += 1) await turn();
    if (fault === 'fails late') throw new Error('Refused.');
    const result = work();
    if (fault !== 'lost') return result;
    onLost?.();
    throw new Error('The answer was lost.');
  }

  const store: Store = {
    append: (track, captions) =>
      call(() => {
        let of = rows.get(keyOf(track));
        if (of === undefined) rows.set(keyOf(track), (of = new Map<number, Caption>()));
        const after = writtenAfter.get(track.roomId) ?? 0;
        for (const caption of captions)
          if ((caption.renders ?? caption.sequence) > after)
            of.set(caption.sequence, of.get(caption.sequence) ?? caption);
      }),
    latest: (track, limit) =>
      call(() => {
        const all = rowsOf(track).sort((a, b) => b.line - a.line || b.sequence - a.sequence);
        const captions = all.slice(0, limit).sort((a, b) => a.sequence - b.sequence);
        return {
          captions,
          cutAt: Math.max(
            deletedUpTo.get(track.roomId) ?? 0,
            ...all.slice(limit).map(({ sequence }) => sequence),
          ),
        };
      }),
    captions: (track, after, limit) =>
      call(() =>
        rowsOf(track)
          .filter(({ sequence }) => sequence > after)
          .slice(0, limit),
      ),
    caption: (track, line) => call(() => rowsOf(track).findLast((each) => each.line === line)),
    deleteCaptions: (roomId, upTo, toldUpTo) =>
      call(
        () => {
          deletedUpTo.set(roomId, Math.max(toldUpTo, deletedUpTo.get(roomId) ?? 0));
          writtenAfter.set(roomId, Math.max(upTo, writtenAfter.get(roomId) ?? 0));
          for (const key of [...rows.keys()]) if (key.startsWith(`${roomId} `)) rows.delete(key);
        },
        () => void (lostDeletions += 1),
      ),
  };
  const answer = () => {
    for (const resolve of hanging) resolve();
    hanging.clear();
  };
  return {
    ...store,
    /** Releases the calls that hang. */
    answer,
    heal() {
      isHealed = true;
      answer();
    },
    breakAgain: () => void (isHealed = false),
    has: (track: CaptionTrack, sequence: number) => rows.get(keyOf(track))?.has(sequence) === true,
    sequences: (track: CaptionTrack) => rowsOf(track).map(({ sequence }) => sequence),
    get lostDeletions() {
      return lostDeletions;
    },
    get underWay() {
      return underWay;
    },
  };
}
