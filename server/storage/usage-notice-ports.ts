/** Notices that a key comes near its limit: written with the charge that brings it there, sent later. */

/** What a limit is of. */
export type LimitedResource = 'characters' | 'speech';

/** What has come true of a key in a month: said once, to everyone named by its account. */
export interface UsageNotice {
  noticeId: string;
  accountId: string;
  keyId: string;
  /** `2026-11`, in UTC. */
  month: string;
  resource: LimitedResource;
  /** Characters, or ms of speech. */
  limit: number;
  /** The part of the limit that was reached: 80 or 100. */
  percent: number;
  /** What is used now: less than the limit when it refused a request that needs more than is left. */
  used: number;
  /** When the mark was reached, or a request refused. */
  reachedAtMs: number;
}

/** A notice that somebody is sending. */
export interface ClaimedNotice extends UsageNotice {
  claimId: string;
  /** How often it was claimed, this time included. */
  attempt: number;
  accountName: string;
  /** Who is to be told: all addresses of the account, as they are now. */
  emails: string[];
  /** Addresses that were told, or never will be. */
  told: string[];
  keyLabel: string;
  /** `dc88****3a2c` */
  keyMasked: string;
}

export interface UsageNotices {
  /**
   * Takes the notice that has been due for longest, of an account that names somebody; of any number
   * of callers one gets it. What is not true any more waits until it is: use that was given back, a
   * limit that was changed, 80 % when 100 % is told of. Until `untilMs` it is nobody else's: then its sender counts as dead.
   *
   * @param wish.firstMonth older notices have become pointless
   */
  claim(wish: {
    claimId: string;
    atMs: number;
    untilMs: number;
    firstMonth: string;
  }): Promise<ClaimedNotice | undefined>;
  /** Notes who need not be told any more, and keeps the notice for longer. False: the claim is lost. */
  noteTold(
    noticeId: string,
    claimId: string,
    progress: { told: readonly string[]; untilMs: number },
  ): Promise<boolean>;
  /** Everybody was told. False: the claim is lost. */
  close(noticeId: string, claimId: string, atMs: number): Promise<boolean>;
  /** Gives a notice back, due again at some time. False: the claim is lost. */
  postpone(noticeId: string, claimId: string, dueAtMs: number): Promise<boolean>;
  /** How many are true and not closed, by whether their account names somebody to be told. */
  countOpen(firstMonth: string): Promise<{ addressed: number; unaddressed: number }>;
}
