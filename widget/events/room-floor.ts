/** The floor of a room: taking it, leaving it to other speakers, and pausing. */
import { isReconnect, type TokenProvider } from '../../shared/client/token-provider.ts';
import { isPassingStatus, VoiceError } from '../../shared/client/voice-error.ts';
import { errorTable } from '../../shared/errors.ts';
import { ApiFailure } from '../console/api.ts';
import type { RoomDesk } from './room-desk.ts';

/** `reason_code` of a session that was ended for another one, or by the operator. */
export const SESSION_ENDED =
  errorTable.session_ended.status * 10_000 + errorTable.session_ended.detail;

export class RoomFloor {
  readonly #desk: Pick<RoomDesk, 'room' | 'pause' | 'provideToken'>;
  /** Sessions opened by this page. */
  readonly #own = new Set<string>();
  /** Whether the user has requested the next session by hand. */
  #isAskedFor = false;
  #isPausePending = false;

  constructor(desk: Pick<RoomDesk, 'room' | 'pause' | 'provideToken'>) {
    this.#desk = desk;
  }

  /** Whether a pause was requested that has not reached the server yet. */
  get isPausePending(): boolean {
    return this.#isPausePending;
  }

  /** Whether another speaker has the floor. */
  isTaken({ session_id: id }: { session_id?: string | undefined }): boolean {
    return id !== undefined && !this.#own.has(id);
  }

  /** Lets the next session take the floor from anyone and resume the room; call it in the click. */
  ask(): void {
    this.#isAskedFor = true;
    this.#isPausePending = false;
  }

  /** Pauses the room; if the room is unreachable, sets {@link isPausePending}. */
  async pause(): Promise<void> {
    try {
      await this.#desk.pause(true);
      this.#isPausePending = false;
    } catch {
      this.#isPausePending = true;
    }
  }

  /** Opens sessions that speak into the room. @throws VoiceError */
  readonly provideToken: TokenProvider = async (request, signal) => {
    if (!isReconnect(request)) await this.#take(signal);
    const answer = await this.#desk.provideToken(request, signal);
    this.#own.add(answer.session_id);
    return answer;
  };

  /**
   * Takes the floor. A page that reconnects by itself leaves the floor to a speaker who has taken it since.
   */
  async #take(signal: AbortSignal): Promise<void> {
    try {
      if (this.#isAskedFor) {
        await this.#desk.pause(false);
        this.#isAskedFor = false;
      } else if (this.isTaken(await this.#desk.room(signal))) {
        throw new VoiceError('server-error', { status: 403, reasonCode: SESSION_ENDED });
      }
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const { message, status, isOffline } = error;
      if (isOffline) throw new VoiceError('unreachable', { isPassing: true, cause: error });
      const isPassing = isPassingStatus(status);
      throw new VoiceError('token-refused', { message, status, isPassing, cause: error });
    }
  }
}
