/** Keeps the screen of a phone on, while it is wished and the page can be seen; where browsers can. */
export class ScreenLock {
  #isWished = false;
  #lock: Promise<WakeLockSentinel | undefined> | undefined;

  /** Keeps it on from now on, or lets it go dark again. */
  keep(isWished: boolean): void {
    if (isWished === this.#isWished) return;
    this.#isWished = isWished;
    if (isWished) {
      document.addEventListener('visibilitychange', this.#renew);
      this.#renew();
    } else {
      document.removeEventListener('visibilitychange', this.#renew);
      void this.#lock?.then((lock) => lock?.release());
      this.#lock = undefined;
    }
  }

  /** Browsers take the lock away from a page that is hidden. */
  readonly #renew = (): void => {
    if (document.hidden || !('wakeLock' in navigator)) return;
    // Refused where the battery is low.
    this.#lock = navigator.wakeLock.request('screen').catch(() => undefined);
  };
}
