/** Keeps the screen on for a reader, and reports whether it really is kept on. */

export type ScreenLockState =
  | 'off'
  | 'on'
  /** The device refused, as it does to save battery; the next tap tries again. */
  | 'refused'
  /** The browser does not support it, or only on secure pages. */
  | 'unsupported';

export class ScreenLock {
  readonly #onChange: () => void;
  #isWanted = false;
  #lock: WakeLockSentinel | undefined;
  #isRequesting = false;
  #state: ScreenLockState = 'wakeLock' in navigator ? 'off' : 'unsupported';

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    // Browsers release the lock whenever the page is hidden.
    document.addEventListener('visibilitychange', () => void this.#hold());
    document.addEventListener('pointerdown', () => void this.#hold());
  }

  get state(): ScreenLockState {
    return this.#state;
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (isWanted) void this.#hold();
    else {
      void this.#lock?.release();
      this.#lock = undefined;
      this.#set('off');
    }
  }

  async #hold(): Promise<void> {
    const isHeld = this.#lock?.released === false;
    if (!this.#isWanted || isHeld || document.visibilityState !== 'visible') return;
    if (this.#state === 'unsupported' || this.#isRequesting) return;
    this.#isRequesting = true;
    const isWanted = (): boolean => this.#isWanted;
    try {
      const lock = await navigator.wakeLock.request('screen');
      if (!isWanted()) {
        await lock.release();
        return;
      }
      this.#lock = lock;
      lock.addEventListener('release', () => {
        if (this.#lock === lock) this.#set('off');
      });
      this.#set('on');
    } catch {
      if (isWanted()) this.#set('refused');
    } finally {
      this.#isRequesting = false;
    }
  }

  #set(state: ScreenLockState): void {
    if (state === this.#state || this.#state === 'unsupported') return;
    this.#state = state;
    this.#onChange();
  }
}
