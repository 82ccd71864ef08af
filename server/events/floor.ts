/** The floor of a room: one speaker at a time, the one who began last, on whichever node. */
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import type { Growing } from './interpreter.ts';
import { type HomeClaim, NotHome } from './nodes/questions.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import type { RoomPass } from './room-keys.ts';
import { Speaker, type Sentence, type Speech } from './speaker.ts';

/** Maximum number of sessions that speak or were requested by links; only one can have the floor. */
const MAX_EXPECTED = 8;

export interface FloorOptions {
  isPaused: () => boolean;
  /** Returns why no session is heard any more; undefined while the room is live. */
  over: () => ServiceError | undefined;
  /** Appends a line. @throws NotHome if this node is not the home any more */
  say: (sentence: Sentence, sessionId: string) => Promise<unknown>;
  /** Appends a line of a speaker that has lost the floor, wherever the home is. */
  sayLast: (sentence: Sentence) => Promise<unknown>;
  grow: (growing: Growing | undefined) => void;
  /** Called when a speaker has begun or ended. */
  onChange: () => void;
  /** Undefined on a single node. */
  share: SharedRoom | undefined;
  log: Logger;
}

export class Floor {
  readonly #options: FloorOptions;
  #speaker: Speaker | undefined;
  #pass: RoomPass | undefined;
  /** Speakers that have had the floor: they regain it only if no other speaker has it. */
  readonly #hadIt = new WeakMap<Speaker, { heardUpToMs: number }>();
  /** Passes of the sessions that speak, or were requested and have not spoken yet. */
  readonly #passes = new Map<string, RoomPass>();
  readonly #revoked = new Set<string>();

  constructor(options: FloorOptions) {
    this.#options = options;
  }

  /** The session that has the floor, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#speaker?.sessionId;
  }

  /** Ids of the links of the sessions that speak here, or may. */
  get linkIds(): string[] {
    return [...this.#passes.values(), this.#pass].flatMap((pass) => pass?.linkId ?? []);
  }

  isRevoked({ linkId }: RoomPass): boolean {
    return linkId !== undefined && this.#revoked.has(linkId);
  }

  /** Gives a session the floor; the previous speaker's session ends. */
  hear(speech: Speech, given?: RoomPass): void {
    const { sessionId } = speech;
    const pass = this.#passes.get(sessionId) ?? given;
    if (this.#options.over() !== undefined || (pass !== undefined && this.isRevoked(pass))) {
      speech.end(new ServiceError('session_ended', NOT_HEARD));
      return;
    }
    const before = this.#speaker;
    before?.leave();
    const speaker: Speaker = new Speaker(speech, {
      log: this.#options.log,
      isPaused: this.#options.isPaused(),
      say: (sentence) => this.#say(speaker, sentence),
      grow: (growing) => {
        if (this.#speaker === speaker) this.#options.grow(growing);
      },
      onPause: (pause) => this.#options.share?.notePause(sessionId, pause),
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
    // A resumed session repeats some audio, which may have been spoken in a pause.
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

  /** Resolves to whether a speaker has the floor across all nodes. @throws NotHome when the room is closed */
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

  /** Whether another node appended the sentence before this node took over the session. */
  #wasHeard(speaker: Speaker, { startMs, endMs, heardUpToMs }: Sentence): boolean {
    const before = this.#hadIt.get(speaker)?.heardUpToMs ?? 0;
    // Recognised again, the sentence may begin or end a little earlier, so its middle decides.
    return heardUpToMs - (endMs - startMs) / 2 < before;
  }

  /**
   * Regains the floor after this node was cut off.
   * @returns whether another node hears the speaker's session
   */
  async resume(): Promise<boolean> {
    const speaker = this.#speaker;
    if (speaker === undefined) return false;
    await this.#hasFloor(speaker);
    return speaker.isAbandoned;
  }

  #yield(speaker: Speaker, to: string): void {
    if (this.#speaker === speaker) this.#speaker = undefined;
    // Another node has taken over the same session and hears it there.
    if (to === speaker.sessionId) speaker.abandon();
    else {
      speaker.leave();
      speaker.end(new ServiceError('session_ended', TAKEN_OVER));
    }
    this.#options.onChange();
  }

  /** Yields the floor to a speaker at another node. @returns the local session if it keeps the floor */
  yieldTo({ sessionId, isResuming }: HomeClaim): string | undefined {
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
   * Records the pass with which a session that will speak here was requested.
   *
   * @returns a session to end, if too many have been requested
   */
  expect(sessionId: string, pass: RoomPass): string | undefined {
    this.#passes.set(sessionId, pass);
    if (this.#passes.size <= MAX_EXPECTED) return undefined;
    const oldest = [...this.#passes.keys()].find((id) => id !== this.sessionId);
    if (oldest !== undefined) this.#passes.delete(oldest);
    return oldest;
  }

  /** Refuses sessions with that link from now on. */
  revoke(linkId: string): void {
    this.#revoked.add(linkId);
  }

  /** Ends the speaking session, if its pass matches. */
  endThose(reason: ServiceError, which: (pass: RoomPass) => boolean): void {
    if (this.#pass !== undefined && which(this.#pass)) this.#speaker?.end(reason);
  }

  setPaused(isPaused: boolean): void {
    if (isPaused) this.#speaker?.pause();
    else this.#speaker?.resume();
  }

  /** Stops listening; the unfinished segment becomes a line as far as it was heard. */
  leave(): void {
    this.#speaker?.leave();
  }

  end(reason: ServiceError): void {
    this.#speaker?.end(reason);
  }
}

const NOT_HEARD = 'Nobody is heard in the room any more by this session: request another one.';
const TAKEN_OVER = 'Somebody else speaks in the room now: the floor is theirs.';
