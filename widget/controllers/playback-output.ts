/** Where translated speech is heard; one for each path. */

/** Plays the pieces it is given one after the other. Times count the sound of all streams, in ms. */
export interface SpeechOutput {
  /** What is being heard now; stands still while nothing is left to play. */
  readonly positionMs: number;
  /** Another stream begins, at such a time; what came before is played to its end. */
  begin(startMs: number): void;
  /** Adds pieces of the stream, headers among them. */
  append(pieces: readonly Uint8Array[]): void;
  /** Asks the browser for sound, in the middle of a click if it can be. Resolves with its answer. */
  unlock(): Promise<boolean>;
  /** Leaves out whatever would be heard before a time. */
  skipTo(timeMs: number): void;
  /** @param volume 0 to 1; @param rampMs how fast it gets there */
  setVolume(volume: number, rampMs: number): void;
  close(): void;
}

/** What an output tells. */
export interface SpeechOutputOptions {
  /** The browser has begun, or has stopped, to let it sound. */
  onAllowed: (isAllowed: boolean) => void;
  /** Nothing more can be played. */
  onFailure: (cause: unknown) => void;
}

/** Without a gesture, a browser does not even answer. */
const UNLOCK_WAIT_MS = 400;

/** Whether a promise is kept within the time that browsers take to allow sound. */
export async function isKeptSoon(promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, UNLOCK_WAIT_MS, false);
  });
  const kept = promise.then(
    () => true,
    () => false,
  );
  const isKept = await Promise.race([kept, late]);
  clearTimeout(timer);
  return isKept;
}
