/** Writes the audio of a session as it comes, from the last place on from which it can be heard again. */
import type { MediaPiece } from '../audio/media.ts';
import { AudioIntake } from './audio-entry.ts';
import type { JournalWriter } from './journal-writer.ts';
import { AUDIO, type KeptAudio } from './kept-session.ts';

/** What waits for a broker that is away, in bytes: two minutes of PCM. Of more, the oldest is given up. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** The head of a container: its tracks and their codecs. */
const MOST_HEAD_BYTES = 64 * 1024;

export interface AudioJournalOptions {
  writer: JournalWriter;
  /** Whether audio of this kind can be read from anywhere. */
  isPcm: boolean;
  /** Sequence of the last message that the client has. */
  confirmed: () => number;
  /** The head is whole, and to be written. */
  onHead: () => void;
  /** Audio that was counted is there, in ms. */
  onKept: (durationMs: number) => void;
}

export class AudioJournal {
  readonly #options: AudioJournalOptions;
  readonly #intake = new AudioIntake();
  #intakeFrom = 0;
  #waitingBytes = 0;
  #cameBytes = 0;
  #countedMs = 0;
  #unkeptMs = 0;
  #hasEnded = false;
  #isEndKept = false;
  #kept = { bytes: 0, ms: 0 };
  #writing: Promise<void> | undefined;
  #writtenAtMs = performance.now();
  #number = 0;
  readonly #entries: { id: number; endBytes: number }[] = [];
  /** Entries that go with the next that comes. */
  #trimUpTo: number | undefined;
  #headPieces: Uint8Array[] = [];
  #headBytes = 0;
  #isHeadWhole: boolean;

  constructor(options: AudioJournalOptions) {
    this.#options = options;
    this.#isHeadWhole = options.isPcm;
  }

  /** How much of it the broker has. */
  get kept(): Readonly<{ bytes: number; ms: number }> {
    return this.#kept;
  }

  /** What was counted and is not there yet, in ms: nothing more is said of it, wherever it gets to. */
  takeUnkept(): number {
    const unkeptMs = this.#unkeptMs;
    this.#unkeptMs = 0;
    return unkeptMs;
  }

  /** What is to be read before any of it; undefined: nothing, or not known yet. */
  get head(): readonly Uint8Array[] | undefined {
    return this.#isHeadWhole && this.#headPieces.length > 0 ? this.#headPieces : undefined;
  }

  /** Whether there is something to write. */
  get isNew(): boolean {
    return !this.#intake.isEmpty || this.#hasEnded !== this.#isEndKept;
  }

  /** Whether nothing was written for so long: what is there is needed for as long as the session is. */
  isSilentFor(ms: number): boolean {
    return this.#cameBytes > 0 && performance.now() - this.#writtenAtMs > ms;
  }

  /** Goes on where another was. */
  resume({ head, receivedBytes, receivedMs, hasEnded }: KeptAudio): void {
    this.#headPieces = head;
    this.#cameBytes = this.#intakeFrom = receivedBytes;
    this.#countedMs = receivedMs;
    this.#kept = { bytes: receivedBytes, ms: receivedMs };
    this.#hasEnded = this.#isEndKept = hasEnded;
    this.#isHeadWhole ||= receivedBytes > 0;
  }

  /** Some has come, or something to be known of it. */
  came(piece: MediaPiece): void {
    if (this.#options.writer.isOver) return;
    this.#intake.add(piece);
    if (!(piece instanceof Uint8Array)) return;
    this.#cameBytes += piece.length;
    this.#waitingBytes += piece.length;
    if (!this.#isHeadWhole) this.#keepHead(piece);
  }

  /** No more comes. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** So much was counted, in ms. */
  counted(durationMs: number): void {
    this.#countedMs += durationMs;
    this.#unkeptMs += durationMs;
  }

  /** Writes what there is, and waits for what is on its way. */
  write(): Promise<void> {
    if (!this.#options.writer.isWriting) return Promise.resolve();
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Nothing is on its way. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** The broker is away. */
  giveUpBeyondMost(): void {
    if (this.#waitingBytes <= MOST_WAITING_BYTES) return;
    this.#intake.clear();
    this.#intakeFrom = this.#cameBytes;
    this.#waitingBytes = 0;
  }

  /** What came before a place is not heard again. */
  trim(fromBytes: number): void {
    const needed = this.#entries.findIndex(({ endBytes }) => endBytes > fromBytes);
    const [last] = this.#entries.splice(0, Math.max(0, needed)).slice(-1);
    this.#trimUpTo = last?.id ?? this.#trimUpTo;
  }

  /** The broker has lost what it had. */
  forgotten(): void {
    this.#entries.length = 0;
  }

  async #write(): Promise<void> {
    const { writer, confirmed, onKept } = this.#options;
    const [endBytes, ms, countedMs] = [this.#cameBytes, this.#countedMs, this.#unkeptMs];
    const hasEnded = this.#hasEnded;
    const head = { fromBytes: this.#intakeFrom, receivedMs: ms, confirmed: confirmed(), hasEnded };
    const bytes = this.#intake.take(head);
    const trimUpTo = this.#trimUpTo;
    this.#trimUpTo = undefined;
    this.#intakeFrom = endBytes;
    this.#number += 1;
    const id = await writer.append(AUDIO, { bytes, number: this.#number, trimUpTo });
    this.#intake.givenBack();
    if (id === undefined) return;
    this.#writtenAtMs = performance.now();
    this.#waitingBytes = this.#cameBytes - endBytes;
    this.#isEndKept = hasEnded;
    this.#entries.push({ id, endBytes });
    this.#kept = { bytes: endBytes, ms };
    const keptMs = Math.min(countedMs, this.#unkeptMs);
    this.#unkeptMs -= keptMs;
    onKept(keptMs);
  }

  #keepHead(piece: Uint8Array): void {
    this.#headPieces.push(piece);
    this.#headBytes += piece.length;
    this.#isHeadWhole = this.#countedMs > 0 || this.#headBytes >= MOST_HEAD_BYTES;
    if (this.#isHeadWhole) this.#options.onHead();
  }
}
