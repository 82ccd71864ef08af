/** What speakers notice of a disturbance of the cluster. */
import { until } from './server.ts';
import type { Crowd, Heard } from './outside.ts';

export interface Noticed {
  heard: Heard[];
  /** Time from the disturbance to the next caption, in ms, by whether the client had to reconnect. */
  gapsMs: { cameBack: number[]; stayed: number[] };
}

/**
 * Disturbs a cluster when a crowd has sent a share of its audio.
 *
 * @param happen.share share at which it happens, 0 to 1
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

/** Returns the time to the next caption, on a later connection if the client reconnected. */
function gapOf({ captions }: Heard, atMs: number): { cameBack: boolean; ms: number } | undefined {
  const before = captions.findLast((caption) => caption.atMs <= atMs)?.connection ?? 1;
  const after = captions.filter((caption) => caption.atMs > atMs);
  const next = after.find(({ connection }) => connection > before);
  const found = next ?? after[0];
  return found && { cameBack: next !== undefined, ms: found.atMs - atMs };
}

/** Differences from an undisturbed session. */
export interface Damage {
  /** Problems of sessions that did not come to their end. */
  failed: string[];
  lostWords: number;
  doubledWords: number;
  /** Sequence numbers that are missing, repeated or out of order. */
  wrongSequences: number;
  /** Sessions whose text differs in another way: in punctuation or in the order of words. */
  otherTexts: number;
  /** Messages of servers that no longer owned the session. */
  stale: string[];
}

/** @param undisturbed client that says the same without a disturbance */
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

/** No differences. */
export const NO_DAMAGE: Damage = {
  ...{ failed: [], lostWords: 0, doubledWords: 0, wrongSequences: 0, otherTexts: 0, stale: [] },
};

/** Counts the words of a text that are missing from another, with repetitions. */
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
