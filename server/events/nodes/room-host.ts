/** What {@link SharedRoom} calls in the room that it shares with other nodes. */
import type { SharedCaption } from '../embedded-caption-log.ts';

/** A node's claim to become the home, as a session speaks there. */
export interface HomeClaim {
  sessionId: string;
  /** Whether the claimant was the home before; it then yields to any other speaker. */
  isResuming: boolean;
}

export interface RoomHost {
  /** Called when this node becomes the home. */
  onHome(): void;
  /** Called when it is not the home any more. @param lost captions told here and on no other node */
  onFollow(lost: readonly SharedCaption[]): void;
  /** Called when captions up to a sequence have been deleted. */
  onForgotten(upTo: number): void;
  /**
   * Called when a session speaks at another node, which is to become the home.
   *
   * @returns the local session if it keeps the floor; otherwise undefined, once all pending lines are
   *   appended
   */
  onClaim(claim: HomeClaim): Promise<string | undefined>;
  answer(question: unknown, id: string): Promise<unknown>;
  /** Whether other nodes have readers of the room. */
  isReadElsewhere(): boolean;
}
