/** Who speaks in a room: one at a time, the one who began last, at whichever node. */
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import type { Growing } from './interpreter.ts';
import { NotHome } from './nodes/questions.ts';
import type { HomeClaim } from './nodes/room-host.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import type { RoomPass } from './room-keys.ts';
import { Speaker, type Sentence, type Speech } from './speaker.ts';

/** Sessions that speak, or were requested by links and may: the floor is for one. */
const MAX_EXPECTED = 8;

export interface FloorOptions {
  isPaused: () => boolean;
  /** Why nobody is heard any more. */
  over: () => ServiceError | undefined;
  /** A line. @throws NotHome where it cannot be said here any more */
  say: (sentence: Sentence, sessionId: string) => Promise<unknown>;
  /** A line of somebody who does not have the floor any more, wherever that is. */
  sayLast: (sentence: Sentence) => Promise<unknown>;
  grow: (growing: Growing | undefined) => void;
  /** Somebody has begun, or ended. */
  onChange: () => void;
  /** Undefined where there is one node. */
  share: SharedRoom | undefined;
  log: Logger;
  now?: () => number;
}

export class Floor {
  readonly #options: FloorOptions;
  #speaker: Speaker | undefined;
  #pass: RoomPass | undefined;
  /** Speakers that have had the floor: they get it back only where nobody else has it. */
  readonly #hadIt = new WeakMap<Speaker, { heardUpToMs: number }>();
  /** By what sessions were requested that were not heard yet, or are. */
  readonly #passes = new Map<string, RoomPass>();
  readonly #revoked = new Set<string>();

  constructor(options: FloorOptions) {
    this.#options = options;
  }

  /** The session that speaks, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#speaker?.sessionId;
  }

  /** Links by which sessions were requested that speak here, or may. */
  get linkIds(): string[] {
    return [...this.#passes.values(), this.#pass].flatMap((pass) => pass?.linkId ?? []);
  }

  isRevoked({ linkId }: RoomPass): boolean {
    return linkId !== undefined && this.#revoked.has(linkId);
  }

  /** The one who speaks last has the floor: the session of the one before ends. */
  hear(speech: Speech, given?: RoomPass): void {
    const { sessionId } = speech;
    const pass = this.#passes.get(sessionId) ?? given;
    if (this.#options.over() !== undefined || (pass !== undefined && this.isRevoked(pass))) {
      speech.end(new ServiceError('session_ended', NOT_HEARD));
      return;
    }
    const before = this.#speaker;
    before?.leave();
    const { now } = this.#options;
    const speaker: Speaker = new Speaker(speech, {
      log: this.#options.log,
      isPaused: this.#options.isPaused(),
      say: (sentence) => this.#say(speaker, sentence),
      grow: (growing) => {
        if (this.#speaker === speaker) this.#options.grow(growing);
      },
      onPause: (pause) => this.#options.share?.notePause(sessionId, pause),
      ...(now !== undefined && { now }),
    });
    this.#speaker = speaker;
    this.#pass = pass;
    if (pass !== undefined) this.#passes.set(sessionId, pass);
    before?.end(new ServiceError('session_ended', TAKEN_OVER));
    this.#options.onChange();
    void this.#listen(speaker, { isTakenUp: speech.receivedMs() > 0 });
  }

  async #listen(speaker: Speaker, { isTakenUp }: { isTakenUp: boolean }): Promise<void> {
    const floor = this.#hasFloor(speaker).catch(() => undefined);
    // Some of it is heard again, which may have been said in a pause.
    if (isTakenUp) {
      await floor;
      const pause = this.#options.share?.notes.pauseOf(speaker.sessionId);
      if (pause !== undefined) speaker.inherit(pause);
    }
    await speaker.listen();
    this.#noteEnd(speaker);
  }

  async #say(speaker: Speaker, sentence: Sentence): Promise<void> {
    const { say, sayLast, share } = this.#options;
    while (await this.#hasFloor(speaker)) {
      if (this.#wasHeard(speaker, sentence)) return;
      try {
        await say(sentence, speaker.sessionId);
        return;
      } catch (error) {
        if (!(error instanceof NotHome) || share === undefined || share.isClosed) throw error;
      }
    }
    if (!speaker.isAbandoned) await sayLast(sentence);
  }

  /** Whether a speaker has the floor of all nodes, once it is known. @throws NotHome when the room is over */
  async #hasFloor(speaker: Speaker): Promise<boolean> {
    const { share } = this.#options;
    while (share?.isHome === false) {
      if (this.#speaker !== speaker) return false;
      const { sessionId } = speaker;
      const other = await share.claim({ sessionId, isResuming: this.#hadIt.has(speaker) });
      if (other === undefined) continue;
      this.#yield(speaker, other);
      return false;
    }
    if (!this.#hadIt.has(speaker)) {
      this.#hadIt.set(speaker, { heardUpToMs: share?.notes.heardUpTo(speaker.sessionId) ?? 0 });
    }
    return true;
  }

  /** Whether another node has made a line of it, before this one took the session up. */
  #wasHeard(speaker: Speaker, { startMs, endMs, heardUpToMs }: Sentence): boolean {
    const before = this.#hadIt.get(speaker)?.heardUpToMs ?? 0;
    // Heard once more, it may begin or end a little earlier.
    return heardUpToMs - (endMs - startMs) / 2 < before;
  }

  /** Gets the floor back after this node was cut off. @returns whether what was said here is heard elsewhere */
  async resume(): Promise<boolean> {
    const speaker = this.#speaker;
    if (speaker === undefined) return false;
    await this.#hasFloor(speaker);
    return speaker.isAbandoned;
  }

  #yield(speaker: Speaker, to: string): void {
    if (this.#speaker === speaker) this.#speaker = undefined;
    // The same session, which another node has taken up: it is heard there.
    if (to === speaker.sessionId) speaker.abandon();
    else {
      speaker.leave();
      speaker.end(new ServiceError('session_ended', TAKEN_OVER));
    }
    this.#options.onChange();
  }

  /** Somebody speaks at another node. @returns who speaks here and does not give way */
  giveWay({ sessionId, isResuming }: HomeClaim): string | undefined {
    const speaker = this.#speaker;
    if (speaker === undefined) return undefined;
    if (isResuming) return speaker.sessionId;
    this.#yield(speaker, sessionId);
    return undefined;
  }

  #noteEnd(speaker: Speaker): void {
    this.#passes.delete(speaker.sessionId);
    if (this.#speaker !== speaker || this.#options.over() !== undefined) return;
    this.#speaker = undefined;
    this.#options.onChange();
  }

  /**
   * Notes by what a session was requested that will speak here.
   *
   * @returns one that has to give way to it, as too many were requested and not begun
   */
  expect(sessionId: string, pass: RoomPass): string | undefined {
    this.#passes.set(sessionId, pass);
    if (this.#passes.size <= MAX_EXPECTED) return undefined;
    const oldest = [...this.#passes.keys()].find((id) => id !== this.sessionId);
    if (oldest !== undefined) this.#passes.delete(oldest);
    return oldest;
  }

  /** Nobody is let in by that link any more. */
  revoke(linkId: string): void {
    this.#revoked.add(linkId);
  }

  /** Ends the session that speaks, if it was let in by such a pass. */
  endThose(reason: ServiceError, which: (pass: RoomPass) => boolean): void {
    if (this.#pass !== undefined && which(this.#pass)) this.#speaker?.end(reason);
  }

  setPaused(isPaused: boolean): void {
    if (isPaused) this.#speaker?.pause();
    else this.#speaker?.resume();
  }

  /** What was being said stays as far as it was heard. */
  leave(): void {
    this.#speaker?.leave();
  }

  end(reason: ServiceError): void {
    this.#speaker?.end(reason);
  }
}

const NOT_HEARD = 'Nobody is heard in the room any more by this session: request another one.';
const TAKEN_OVER = 'Somebody else speaks in the room now: the floor is theirs.';
