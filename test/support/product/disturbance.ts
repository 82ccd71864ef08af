/** What people notice of what happens to a cluster while they speak. */
import { until } from './server.ts';
import type { Crowd, Heard } from './outside.ts';

export interface Noticed {
  heard: Heard[];
  /** From what happened to the next caption, in ms, of those who had to come back and of the others. */
  gapsMs: { cameBack: number[]; stayed: number[] };
}

/**
 * Does something to a cluster when a crowd has said so much of all it has to say.
 *
 * @param happen.share of 1
 */
export async function whileSpeaking(
  crowd: Crowd,
  { share, happen }: { share: number; happen: () => void | Promise<void> },
): Promise<Noticed> {
  let isDone = false;
  void crowd.done.finally(() => (isDone = true)).catch(() => undefined);
  await until(() => isDone || crowd.share >= share);
  const atMs = Date.now();
  await happen();
  const heard = await crowd.done;
  const gaps = heard.map((each) => gapOf(each, atMs));
  const ofThose = (cameBack: boolean) =>
    gaps.flatMap((gap) => (gap !== undefined && gap.cameBack === cameBack ? [gap.ms] : []));
  return { heard, gapsMs: { cameBack: ofThose(true), stayed: ofThose(false) } };
}

/** Until the next caption, which is on another connection where there was another. */
function gapOf({ captions }: Heard, atMs: number): { cameBack: boolean; ms: number } | undefined {
  const before = captions.findLast((caption) => caption.atMs <= atMs)?.connection ?? 1;
  const after = captions.filter((caption) => caption.atMs > atMs);
  const next = after.find(({ connection }) => connection > before);
  const found = next ?? after[0];
  return found && { cameBack: next !== undefined, ms: found.atMs - atMs };
}

/** What is not as it would have been without any disturbance. */
export interface Damage {
  /** Sessions that did not come to their end. */
  failed: string[];
  lostWords: number;
  doubledWords: number;
  /** Numbers of messages that are missing, came twice, or not in their order. */
  wrongSequences: number;
  /** Sessions whose text differs in another way: in punctuation, or in the order of words. */
  otherTexts: number;
  /** What servers said for sessions that were another's. */
  stale: string[];
}

/** @param undisturbed one who says the same, to whom nothing happens */
export function damageOf(heard: readonly Heard[], undisturbed: Heard): Damage {
  const damage: Damage = {
    ...{ failed: [], lostWords: 0, doubledWords: 0, wrongSequences: 0, otherTexts: 0, stale: [] },
  };
  for (const each of heard) {
    if (each.problem !== undefined) damage.failed.push(each.problem);
    damage.stale.push(...each.stale);
    damage.wrongSequences += undisturbed.sequences.filter(
      (sequence, index) => each.sequences[index] !== sequence,
    ).length;
    damage.wrongSequences += Math.max(0, each.sequences.length - undisturbed.sequences.length);
    const pairs = [
      [each.source, undisturbed.source],
      [each.target, undisturbed.target],
    ] as const;
    for (const [found, wanted] of pairs) {
      const [lost, doubled] = [missing(wanted, found), missing(found, wanted)];
      damage.lostWords += lost;
      damage.doubledWords += doubled;
      if (lost + doubled === 0 && found !== wanted) damage.otherTexts += 1;
    }
  }
  return damage;
}

/** Whether there is none. */
export const NO_DAMAGE: Damage = {
  ...{ failed: [], lostWords: 0, doubledWords: 0, wrongSequences: 0, otherTexts: 0, stale: [] },
};

/** So many words of a text are not in another, counted as often as they are there. */
function missing(text: string, other: string): number {
  const left = wordsOf(other);
  return wordsOf(text).filter((word) => {
    const index = left.indexOf(word);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  }).length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}
