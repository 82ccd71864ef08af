/** What a node does with a room that it shares with others. */
import type { SharedCaption } from '../embedded-caption-log.ts';

/** Who wants to be the home of a room, as somebody speaks there. */
export interface HomeClaim {
  sessionId: string;
  /** Who was home before, and gives way to anybody who speaks. */
  isResuming: boolean;
}

export interface RoomHost {
  /** This node is the home from now on. */
  onHome(): void;
  /** It is not any more. @param lost what was told here and nowhere else */
  onFollow(lost: readonly SharedCaption[]): void;
  /** What was said up to a sequence was deleted. */
  onForgotten(upTo: number): void;
  /**
   * Somebody speaks at another node, which is to be the home.
   *
   * @returns who speaks here and does not give way; otherwise all is appended that is still to be
   */
  onClaim(claim: HomeClaim): Promise<string | undefined>;
  answer(question: unknown, id: string): Promise<unknown>;
  /** Whether anybody reads at other nodes. */
  isReadElsewhere(): boolean;
}
