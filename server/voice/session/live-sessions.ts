/** Registry of the running sessions of this process, and their orderly end. */
import type { ServiceError } from '../../../shared/errors.ts';
import type { RunningSession } from './running-session.ts';

/** The sessions of this process: those that are connected, expected, or kept for a reconnection. */
export class LiveSessions {
  readonly #sessions = new Map<string, RunningSession>();
  #onEmpty: (() => void) | undefined;

  get count(): number {
    return this.#sessions.size;
  }

  add(session: RunningSession): void {
    this.#sessions.set(session.id, session);
  }

  /** Oldest first. */
  list(): RunningSession[] {
    return [...this.#sessions.values()];
  }

  find(id: string): RunningSession | undefined {
    return this.#sessions.get(id);
  }

  /** Removes a session that is over. */
  remove(id: string): void {
    if (this.#sessions.delete(id) && this.#sessions.size === 0) this.#onEmpty?.();
  }

  /**
   * Lets connected sessions conclude within `graceMs`, then ends them; the others end at once.
   * Resolves when all are gone.
   */
  async drain(graceMs: number, reason: () => ServiceError): Promise<void> {
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const session of this.list()) {
      if (session.isConnected) session.conclude();
      else session.end(reason());
    }
    if (this.count === 0) return;
    const timer = setTimeout(() => {
      for (const session of this.list()) session.end(reason());
    }, graceMs);
    await empty;
    clearTimeout(timer);
  }
}
