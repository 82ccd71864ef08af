/**
 * A room while somebody speaks into it or reads along: what is said becomes lines, is translated into the
 * languages that are read, and goes to everybody who reads them.
 */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { SessionRoom, TranslateText } from '../voice/index.ts';
import {
  LAST_LINES,
  type Caption,
  type CaptionLog,
  type CaptionTrack,
  type NewCaption,
} from './caption-log.ts';
import { Channel } from './channel.ts';
import type { Growing } from './interpreter.ts';
import { createParcel, type FanOut, type Parcel, type Reader } from './reading/fan-out.ts';
import { Renderings } from './renderings.ts';
import { hasExpired, type RoomPass } from './room-keys.ts';
import { createRoomWording, hasSameWords } from './room-wording.ts';
import { Speaker, type Speech } from './speaker.ts';
import type { Room } from './store.ts';

/** How long a language that nobody reads any more is still translated: a phone may be back in a moment. */
const UNREAD_MS = 30_000;
/** What is translated for the first reader of a language: of the last lines those of so many ms. */
const LATE_MS = 10 * 60_000;
/** Nobody has spoken for so long before readers are told. */
const WAITING_MS = 1_000;
/** After which what could not be read is tried again, in ms. */
const AGAIN_MS = 10_000;
/** Sessions that speak, or were requested by links and may: the floor is for one. */
const MAX_EXPECTED = 8;

export interface LiveRoomOptions {
  room: Room;
  captions: CaptionLog;
  fanOut: FanOut;
  /** Translates as the room's glossary and formality have it. */
  translateText: TranslateText;
  /** Languages of the room that can be spoken. */
  spokenLanguages: (room: Room) => string[];
  log: Logger;
  now?: () => number;
  unreadMs?: number;
}

export class LiveRoom implements SessionRoom {
  #room: Room;
  #translateText: TranslateText;
  readonly #options: LiveRoomOptions;
  readonly #renderings: Renderings;
  readonly #channels = new Map<string, Channel>();
  #wording;
  /** What was said from that number on is kept, and so are its translations. */
  #keptSince = 0;
  #speaker: Speaker | undefined;
  #speakersPass: RoomPass | undefined;
  #growing: Growing | undefined;
  /** Why the room is over. */
  #over: ServiceError | undefined;
  #lastUsedMs = performance.now();
  #state: { of: Room; state: string; parcel: Parcel; madeMs: number } | undefined;
  /** By what sessions were requested that were not heard yet, or are. */
  readonly #passes = new Map<string, RoomPass>();
  readonly #revoked = new Set<string>();

  constructor(options: LiveRoomOptions) {
    this.#options = options;
    this.#room = options.room;
    this.#translateText = options.translateText;
    this.#wording = createRoomWording(options.room.wishes);
    if (options.room.keepMs === 0) this.#keptSince = Infinity;
    const { captions, log } = options;
    this.#renderings = new Renderings({
      roomId: options.room.roomId,
      captions,
      log,
      translateText: (...wish) => this.#translateText(...wish),
      wording: () => this.#wording,
      append: (...caption) => this.#append(...caption),
    });
    this.#openAlways();
  }

  get room(): Room {
    return this.#room;
  }

  /** How long nobody has spoken, typed or read. */
  get idleMs(): number {
    if (this.#speaker !== undefined || this.readerCount > 0) return 0;
    return performance.now() - this.#lastUsedMs;
  }

  get readerCount(): number {
    let count = 0;
    for (const { readers } of this.#channels.values()) count += readers.size;
    return count;
  }

  /** Who reads, by language. */
  get readers(): Record<string, number> {
    const counts = [...this.#channels].map(([name, { readers }]) => [name, readers.size] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** The session that speaks, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#speaker?.sessionId;
  }

  get state(): 'waiting' | 'live' | 'paused' {
    if (this.#room.isPaused) return 'paused';
    return this.#speaker === undefined ? 'waiting' : 'live';
  }

  /** @returns whether it can be read in a language */
  offers(language: string): boolean {
    return language === SPOKEN || this.#room.wishes.languages.includes(language);
  }

  // What is said.

  /** The one who speaks last has the floor: the session of the one before ends. */
  hear(speech: Speech): void {
    const pass = this.#passes.get(speech.sessionId);
    if (
      this.#over !== undefined ||
      (pass?.linkId !== undefined && this.#revoked.has(pass.linkId))
    ) {
      speech.end(new ServiceError('session_ended', NOT_HEARD));
      return;
    }
    const before = this.#speaker;
    before?.leave();
    const { log, now } = this.#options;
    const speaker: Speaker = new Speaker(speech, {
      log,
      isPaused: this.#room.isPaused,
      say: (sentence) => this.say({ ...sentence, author: 'machine' }),
      grow: (growing) => {
        if (this.#speaker === speaker) this.#grow(growing);
      },
      ...(now !== undefined && { now }),
    });
    this.#speaker = speaker;
    this.#speakersPass = pass;
    before?.end(new ServiceError('session_ended', TAKEN_OVER));
    this.#sendAll(this.#stateParcel());
    void speaker.listen().then(() => this.#noteEnd(speaker));
  }

  #noteEnd(speaker: Speaker): void {
    this.#passes.delete(speaker.sessionId);
    if (this.#speaker !== speaker || this.#over !== undefined) return;
    this.#speaker = undefined;
    this.#lastUsedMs = performance.now();
    this.#sayThatNobodySpeaks();
  }

  /** Not at once: who changes the microphone, or pauses, is back or has done so in a moment. */
  #sayThatNobodySpeaks(): void {
    const say = () => {
      if (this.state === 'waiting') this.#sendAll(this.#stateParcel());
    };
    setTimeout(say, WAITING_MS).unref();
  }

  /** A line of what is said, also one that was typed; with a number, in the place of that one. */
  async say(
    said: Pick<Caption, 'text' | 'language' | 'startMs' | 'endMs' | 'author'> & { line?: number },
  ): Promise<Caption> {
    const { text, line = this.#options.captions.nextLine() } = said;
    const spoken = { ...said, line, renders: null, text: this.#wording.spoken(text) };
    const caption = await this.#append(SPOKEN, spoken);
    for (const channel of this.#channels.values()) channel.interpret([caption]);
    return caption;
  }

  /** A line of one language that somebody typed. */
  write(
    language: LanguageTag,
    written: Pick<Caption, 'text' | 'startMs' | 'endMs'> & { line?: number },
  ): Promise<Caption> {
    const { text, startMs, endMs, line = this.#options.captions.nextLine() } = written;
    if (written.line !== undefined) this.#renderings.noteWritten(language, line);
    return this.#append(language, {
      line,
      language,
      startMs,
      endMs,
      text: this.#wording.translated(text),
      renders: null,
      author: 'person',
    });
  }

  #grow(heard: Growing | undefined): void {
    const growing = heard && { ...heard, text: this.#wording.spoken(heard.text) };
    this.#growing = growing;
    this.#options.captions.tell(this.#track(SPOKEN), growing?.text ?? '');
    for (const channel of this.#channels.values()) channel.grow(growing);
  }

  #append(name: string, caption: NewCaption, { isLate } = { isLate: false }): Promise<Caption> {
    const isKept = (caption.renders ?? Infinity) >= this.#keptSince && this.#room.keepMs > 0;
    this.#lastUsedMs = performance.now();
    // PostgreSQL keeps none of these.
    const appended = { ...caption, text: caption.text.replaceAll('\0', '') };
    return this.#options.captions.append(this.#track(name), appended, { isKept, isLate });
  }

  #track(name: string): CaptionTrack {
    return { roomId: this.#room.roomId, name };
  }

  // Who reads.

  /** Lets somebody read along; what was said comes first, or what followed `after`. */
  join(reader: Reader, wished: string, after: number | undefined): void {
    const { linkId } = reader.pass;
    const isRevoked = linkId !== undefined && this.#revoked.has(linkId);
    const reason = isRevoked ? revoked() : this.#over;
    if (reason !== undefined) {
      reader.end(reason, createParcel({ type: 'end', message: reason.message }));
      return;
    }
    reader.write(this.#stateParcel().in(reader.encoding));
    // The language may have been taken away while the reader was on the way in.
    const name = this.offers(wished) ? wished : SPOKEN;
    // What is yet to come has been read by nobody.
    const isPast = after !== undefined && after < this.#options.captions.nextLine();
    this.#channel(name).join(reader, isPast && name === wished ? after : undefined);
  }

  leave(reader: Reader): void {
    this.#lastUsedMs = performance.now();
    for (const [name, channel] of this.#channels) {
      if (channel.leave(reader)) this.#closeWhenUnread(name, channel);
    }
  }

  #closeWhenUnread(name: string, channel: Channel): void {
    if (this.#room.wishes.always.includes(name)) return;
    const { unreadMs = UNREAD_MS } = this.#options;
    channel.whenUnread(unreadMs, () => this.#close(name));
  }

  /** Sends what a reader has missed, once it has read what it was sent. */
  async catchUp(reader: Reader): Promise<void> {
    for (const channel of this.#channels.values()) await channel.catchUp(reader);
  }

  /**
   * Notes by what a session was requested that will speak here.
   *
   * @returns one that has to give way to it, as too many were requested and not begun
   */
  expect(sessionId: string, pass: RoomPass): string | undefined {
    this.#passes.set(sessionId, pass);
    if (this.#passes.size <= MAX_EXPECTED) return undefined;
    const oldest = [...this.#passes.keys()].find((id) => id !== this.#speaker?.sessionId);
    if (oldest !== undefined) this.#passes.delete(oldest);
    return oldest;
  }

  /** Asks whoever has come by a link to leave, who speaks as well; who is on the way is not let in. @returns what they are told */
  revoke(linkId: string): ServiceError {
    const reason = revoked();
    this.#revoked.add(linkId);
    this.#endThose(reason, (pass) => pass.linkId === linkId);
    return reason;
  }

  /** Asks readers to leave, and who speaks, by what they were let in. */
  #endThose(reason: ServiceError, which: (pass: RoomPass) => boolean): void {
    this.endReaders(reason, ({ pass }) => which(pass));
    const pass = this.#speakersPass;
    if (pass !== undefined && which(pass)) this.#speaker?.end(reason);
  }

  /** Asks readers to leave. */
  endReaders(reason: ServiceError, which: (reader: Reader) => boolean = () => true): void {
    const farewell = createParcel({ type: 'end', message: reason.message });
    this.#each((reader) => {
      if (which(reader)) reader.end(reason, farewell);
    });
  }

  #each(act: (reader: Reader) => void): void {
    for (const { readers } of this.#channels.values()) {
      this.#options.fanOut.each([...readers], act);
    }
  }

  /**
   * Lets readers know that their connection lives, cuts those that `isStalled` finds, and asks those to
   * leave whose time is up.
   */
  keepAlive(isStalled: (reader: Reader) => boolean): void {
    const { now = Date.now } = this.#options;
    this.#each((reader) => {
      if (isStalled(reader)) reader.destroy();
    });
    this.#sendAll(createParcel({ type: 'keep_alive' }));
    const nowMs = now();
    this.#endThose(new ServiceError('forbidden', EXPIRED), (pass) => hasExpired(pass, nowMs));
  }

  #sendAll(parcel: Parcel): void {
    for (const channel of this.#channels.values()) channel.send(parcel);
  }

  /** One for all who come within a second: voices come and go with their engines. */
  #stateParcel(): Parcel {
    const room = this.#room;
    const { state } = this;
    const before = this.#state;
    const nowMs = performance.now();
    const isGood = before?.of === room && before.state === state && nowMs - before.madeMs < 1_000;
    if (isGood) return before.parcel;
    const { name, wishes } = room;
    const parcel = createParcel({
      type: 'room',
      name,
      state,
      languages: wishes.languages,
      spoken_languages: this.#options.spokenLanguages(room),
      ...(wishes.sourceLanguage !== null && { source_language: wishes.sourceLanguage }),
    });
    this.#state = { of: room, state, parcel, madeMs: nowMs };
    return parcel;
  }

  #channel(name: string): Channel {
    const open = this.#channels.get(name);
    if (open !== undefined) return open;
    const track = this.#track(name);
    const { captions, fanOut, log } = this.#options;
    const interpreter = name === SPOKEN ? undefined : this.#renderings.interpreter(name);
    const channel = new Channel({ track, captions, fanOut, interpreter, log });
    this.#channels.set(name, channel);
    channel.grow(this.#growing);
    if (name !== SPOKEN) void this.#interpretLate(channel);
    return channel;
  }

  /** Renders what was said before anybody read this language. */
  async #interpretLate(channel: Channel): Promise<void> {
    const { now = Date.now, log } = this.#options;
    try {
      const late = await this.#renderings.missing(channel.track.name, now() - LATE_MS);
      channel.interpret(late.slice(-LAST_LINES), { areOld: true });
    } catch (error) {
      log.error({ err: error }, 'what was said in a room could not be read');
      setTimeout(() => {
        const isOpen = this.#channels.get(channel.track.name) === channel;
        if (isOpen) void this.#interpretLate(channel);
      }, AGAIN_MS).unref();
    }
  }

  #close(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || channel.readers.size > 0) return;
    if (this.#room.wishes.always.includes(name)) return;
    channel.close();
    this.#channels.delete(name);
  }

  /** Renders what nobody has read of a language, so that its transcript is whole. */
  async complete(name: string, signal: AbortSignal): Promise<void> {
    if (name !== SPOKEN) await this.#renderings.complete(name, signal);
  }

  // How the room changes.

  /** @param translateText undefined: as before */
  change(room: Room, translateText = this.#translateText): void {
    if (this.#over !== undefined) return;
    if (!hasSameWords(room.wishes, this.#room.wishes)) {
      this.#wording = createRoomWording(room.wishes);
    }
    if (room.keepMs === 0) this.#keptSince = Infinity;
    else if (this.#room.keepMs === 0) this.#keptSince = this.#options.captions.nextLine();
    this.#room = room;
    this.#translateText = translateText;
    if (room.isPaused) this.#speaker?.pause();
    else this.#speaker?.resume();
    this.#openAlways();
    for (const [name, channel] of this.#channels) {
      if (this.offers(name)) {
        this.#closeWhenUnread(name, channel);
        continue;
      }
      this.#options.fanOut.each([...channel.readers], (reader) => {
        // It may have left, or the language be there again.
        if (!this.offers(name) && channel.leave(reader)) this.join(reader, SPOKEN, undefined);
        this.#close(name);
      });
      this.#close(name);
    }
    this.#sendAll(this.#stateParcel());
  }

  #openAlways(): void {
    for (const language of this.#room.wishes.always) this.#channel(language);
  }

  /** Lets go of what was said before a moment, ms since the epoch. */
  expire(beforeMs: number): void {
    this.#options.captions.expire(this.#room.roomId, beforeMs);
    for (const channel of this.#channels.values()) channel.forgetHistory();
  }

  /** What was said is deleted: readers are shown nothing of it any more. */
  async forget(): Promise<void> {
    await this.#options.captions.forget(this.#room.roomId, (upTo) => {
      this.#renderings.forget(upTo);
      for (const channel of this.#channels.values()) channel.clear(upTo);
    });
  }

  /** Ends the session that speaks, every language, and every reader. */
  end(reason: ServiceError): void {
    this.#speaker?.leave();
    this.#over = reason;
    this.#renderings.end();
    this.#speaker?.end(reason);
    this.endReaders(reason);
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    this.#options.captions.release(this.#room.roomId);
  }
}

function revoked(): ServiceError {
  return new ServiceError('forbidden', 'The link was revoked.');
}

const EXPIRED = 'The link has expired: ask for a new one.';
const NOT_HEARD = 'Nobody is heard in the room any more by this session: request another one.';
const TAKEN_OVER = 'Somebody else speaks in the room now: the floor is theirs.';
