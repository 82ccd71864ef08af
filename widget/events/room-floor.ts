/** Who has the floor of a room: taking it, leaving it to others, and pausing. */
import { isReconnect, type TokenProvider } from '../../shared/client/token-provider.ts';
import { isPassingStatus, VoiceError } from '../../shared/client/voice-error.ts';
import { errorTable } from '../../shared/errors.ts';
import { ApiFailure } from '../console/api.ts';
import type { RoomDesk } from './room-desk.ts';

/** `reason_code` of a session that was ended for another one, or by whoever runs the server. */
export const SESSION_ENDED =
  errorTable.session_ended.status * 10_000 + errorTable.session_ended.detail;

export class RoomFloor {
  readonly #desk: Pick<RoomDesk, 'room' | 'pause' | 'provideToken'>;
  /** Sessions that this page has asked for. */
  readonly #own = new Set<string>();
  /** The next session is one that somebody has asked for by hand. */
  #isAskedFor = false;
  #isPauseOwed = false;

  constructor(desk: Pick<RoomDesk, 'room' | 'pause' | 'provideToken'>) {
    this.#desk = desk;
  }

  /** The room was to be paused, and does not know it yet. */
  get isPauseOwed(): boolean {
    return this.#isPauseOwed;
  }

  /** Whether somebody else speaks in the room. */
  isTaken({ session_id: id }: { session_id?: string | undefined }): boolean {
    return id !== undefined && !this.#own.has(id);
  }

  /** The next session takes the floor, whoever has it, and lets the room go on; call it in the click. */
  ask(): void {
    this.#isAskedFor = true;
    this.#isPauseOwed = false;
  }

  /** Pauses the room; where it cannot be reached, {@link isPauseOwed} says so. */
  async pause(): Promise<void> {
    try {
      await this.#desk.pause(true);
      this.#isPauseOwed = false;
    } catch {
      this.#isPauseOwed = true;
    }
  }

  /** Sessions that speak into the room. @throws VoiceError */
  readonly provideToken: TokenProvider = async (request, signal) => {
    if (!isReconnect(request)) await this.#take(signal);
    const answer = await this.#desk.provideToken(request, signal);
    this.#own.add(answer.session_id);
    return answer;
  };

  /** A page that comes back by itself, from where there was no network, leaves the floor to who has it by now. */
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
