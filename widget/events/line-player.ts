/** Plays the lines of a room as speech, one after the other, as they arrive. */
import type { RoomLine } from '../../shared/protocol/room-messages.ts';

export type ListeningState =
  | 'off'
  /** Speech plays as soon as a line arrives. */
  | 'waiting'
  | 'playing'
  /** The browser wants another tap before it plays sound, or the device has paused it. */
  | 'blocked'
  | 'failed';

/**
 * Back-pressure: from HURRY_FROM waiting lines speech is faster; beyond MOST_WAITING the oldest are dropped.
 */
const HURRY_FROM = 2;
const MOST_WAITING = 6;
const HURRIED_RATE = 1.2;
/** Time after which a line whose speech has not arrived is skipped, in ms. */
const CLIP_DEADLINE_MS = 20_000;
/** Consecutive failures after which playing stops. */
const MOST_FAILURES = 3;
const FORBIDDEN = 403;

interface Room {
  src: string;
  key: string;
  language: string;
}

interface Waiting {
  line: number;
  clip: Promise<Blob>;
}

export class LinePlayer {
  readonly #onChange: () => void;
  readonly #audio = new Audio();
  #state: ListeningState = 'off';
  #waiting: Waiting[] = [];
  #failures = 0;
  /** Aborted by each start and stop, so that speech requested before counts no more. */
  #turn = new AbortController();
  #room: Room | undefined;
  /** Newest line when playing began: earlier lines are not played. */
  #after = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get state(): ListeningState {
    return this.#state;
  }

  /** Plays the lines spoken from now on; call it from a click, which browsers require. */
  start(room: Room, newestLine: number): void {
    this.#reset();
    this.#room = room;
    this.#after = newestLine;
    this.#failures = 0;
    this.#set('waiting');
    // An audio element that has played in a click may play again without one.
    this.#audio.src = silence();
    const { signal } = this.#turn;
    this.#audio.play().catch((error: unknown) => {
      // A stop, or the first line, has cut the silence short.
      const isCut = error instanceof DOMException && error.name === 'AbortError';
      if (!isCut && !signal.aborted) this.#set('blocked');
    });
  }

  stop(): void {
    this.#reset();
    this.#room = undefined;
    this.#set('off');
  }

  /** Queues new lines. */
  add(lines: readonly RoomLine[]): void {
    const room = this.#room;
    if (room === undefined || this.#state === 'blocked' || this.#state === 'failed') return;
    for (const { line, text } of lines) {
      if (line <= this.#after || text === '') continue;
      this.#after = line;
      this.#waiting.push({ line, clip: this.#fetch(room, line) });
    }
    if (this.#waiting.length > MOST_WAITING) this.#waiting = this.#waiting.slice(-HURRY_FROM);
    if (this.#state === 'waiting') void this.#playAll(this.#turn.signal);
  }

  async #fetch(room: Room, line: number): Promise<Blob> {
    const { src, language } = room;
    const isOpus = this.#audio.canPlayType('audio/webm;codecs=opus') !== '';
    const address = `${src}/live/speech/${language}/${line}?format=${isOpus ? 'webm' : 'flac'}`;
    const answered = ask(address, room, this.#turn.signal);
    const clip = Promise.race([answered, deadline(CLIP_DEADLINE_MS)]);
    // A dropped line's promise is never awaited, so its rejection is handled here.
    clip.catch(() => undefined);
    return clip;
  }

  async #playAll(signal: AbortSignal): Promise<void> {
    this.#set('playing');
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      try {
        const clip = await next.clip;
        if (signal.aborted) return;
        // A line without words, such as notes for music, is an empty file.
        if (clip.size > 0) await this.#play(clip, signal);
        this.#failures = 0;
      } catch {
        this.#failures += 1;
      }
      if (signal.aborted) return;
      if (this.#failures >= MOST_FAILURES) {
        this.#reset();
        this.#set('failed');
        return;
      }
    }
    this.#set('waiting');
  }

  async #play(clip: Blob, signal: AbortSignal): Promise<void> {
    const url = URL.createObjectURL(clip);
    const audio = this.#audio;
    try {
      audio.src = url;
      audio.playbackRate = this.#waiting.length >= HURRY_FROM ? HURRIED_RATE : 1;
      const over = new Promise<void>((resolve, reject) => {
        audio.onended = () => resolve();
        audio.onerror = () => reject(new Error('The browser cannot play it.'));
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      // A phone call, unplugged headphones or another app pauses the speech; some devices also resume it.
      audio.onpause = () => {
        if (!audio.ended && !signal.aborted) this.#set('blocked');
      };
      audio.onplaying = () => {
        if (!signal.aborted) this.#set('playing');
      };
      await audio.play();
      await over;
    } finally {
      audio.onpause = audio.onplaying = null;
      URL.revokeObjectURL(url);
    }
  }

  #reset(): void {
    this.#turn.abort();
    this.#turn = new AbortController();
    this.#waiting = [];
    this.#audio.pause();
  }

  #set(state: ListeningState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange();
  }
}

async function ask(address: string, room: Room, signal: AbortSignal): Promise<Blob> {
  const { key } = room;
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Room-Key ${key}` };
  const response = await fetch(address, { headers, signal });
  if (response.ok) return response.blob();
  if (key === '' || response.status !== FORBIDDEN) {
    throw new Error(`There is no speech: ${response.status}.`);
  }
  // An old key, for a room that no longer requires one.
  room.key = '';
  return ask(address, room, signal);
}

function deadline(ms: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('It takes too long.')), ms);
  });
}

/** Returns the URL of 50 ms of silence, 8 kHz WAV. */
function silence(): string {
  const samples = 400;
  const view = new DataView(new ArrayBuffer(44 + samples));
  const text = (at: number, word: string) => {
    for (let index = 0; index < word.length; index++) {
      view.setUint8(at + index, word.charCodeAt(index));
    }
  };
  text(0, 'RIFF');
  view.setUint32(4, 36 + samples, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 8_000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  text(36, 'data');
  view.setUint32(40, samples, true);
  new Uint8Array(view.buffer, 44).fill(128);
  return URL.createObjectURL(new Blob([view], { type: 'audio/wav' }));
}
