/**
 * A room while somebody speaks into it or reads along: what is said becomes lines, is translated into the
 * languages that are read, and goes to everybody who reads them.
 */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { TranslateText } from '../voice/index.ts';
import { LAST_LINES, type CaptionLog, type CaptionTrack } from './caption-log.ts';
import { Channel } from './channel.ts';
import type { SharedCaption } from './embedded-caption-log.ts';
import { Floor } from './floor.ts';
import type { Growing } from './interpreter.ts';
import { addedUp, type RoomPresence, total } from './nodes/presence.ts';
import type { HomeClaim } from './nodes/room-host.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import { createParcel, type FanOut, type Parcel, type Reader } from './reading/fan-out.ts';
import { hasExpired, type RoomPass } from './room-keys.ts';
import { createRoomWording, hasSameWords } from './room-wording.ts';
import { type AppendedLine, RoomLines, type Said, type Written } from './room-lines.ts';
import type { Speech } from './speaker.ts';
import type { Room } from './store.ts';

/** How long a language that nobody reads any more is still translated: a phone may be back in a moment. */
const UNREAD_MS = 30_000;
/** What is translated for the first reader of a language: of the last lines those of so many ms. */
const LATE_MS = 10 * 60_000;
/** Nobody has spoken for so long before readers are told. */
const WAITING_MS = 1_000;
/** After which what could not be read is tried again, in ms. */
const AGAIN_MS = 10_000;
/** What is rendered in its order where another node was to render it, and late where it was said earlier. */
const IN_ORDER_MS = 60_000;
/** The other nodes that have a room open. */
export interface OtherNodes {
  share: SharedRoom;
  others: () => RoomPresence[];
  /** Tells them who is here. */
  tell: (options: { isUrgent: boolean }) => void;
  /** Speaks a line, for listeners at any node. */
  speak: (wish: unknown) => Promise<object>;
  /** What was said is deleted. */
  onForgotten: () => void;
}

export interface LiveRoomOptions {
  room: Room;
  captions: CaptionLog;
  fanOut: FanOut;
  /** Translates as the room's glossary and formality have it. */
  translateText: TranslateText;
  /** Languages of the room that can be spoken. */
  spokenLanguages: (room: Room) => string[];
  /** Undefined where there is one node. */
  nodes?: OtherNodes | undefined;
  log: Logger;
  now?: () => number;
  unreadMs?: number;
}

export class LiveRoom {
  #room: Room;
  #translateText: TranslateText;
  readonly #options: LiveRoomOptions;
  readonly #lines: RoomLines;
  readonly #channels = new Map<string, Channel>();
  #wording;
  readonly #floor: Floor;
  #growing: Growing | undefined;
  /** Why the room is over. */
  #over: ServiceError | undefined;
  #lastUsedMs = performance.now();
  #state: { of: Room; state: string; parcel: Parcel; madeMs: number } | undefined;
  /** Languages that are read at other nodes. */
  #readElsewhere: ReadonlySet<string> = new Set();

  constructor(options: LiveRoomOptions) {
    this.#options = options;
    this.#room = options.room;
    this.#translateText = options.translateText;
    this.#wording = createRoomWording(options.room.wishes);
    const { captions, log, nodes, now } = options;
    this.#lines = new RoomLines({
      ...{ captions, log, share: nodes?.share },
      roomId: options.room.roomId,
      keepMs: options.room.keepMs,
      translateText: (...wish) => this.#translateText(...wish),
      wording: () => this.#wording,
      onUsed: () => (this.#lastUsedMs = performance.now()),
      onSaid: (caption) => {
        for (const channel of this.#channels.values()) channel.interpret([caption]);
      },
      onForgotten: (upTo) => this.#clear(upTo),
      speak: (wish) => nodes?.speak(wish) ?? Promise.resolve({}),
    });
    this.#floor = new Floor({
      isPaused: () => this.#room.isPaused,
      over: () => this.#over,
      say: (...sentence) => this.#lines.hear(...sentence),
      sayLast: ({ heardUpToMs: _, ...sentence }) => this.say({ ...sentence, author: 'machine' }),
      grow: (growing) => this.#grow(growing),
      onChange: () => this.#noteSpeaker(),
      share: nodes?.share,
      log,
      ...(now !== undefined && { now }),
    });
    this.#openAlways();
    nodes?.share.attach({
      onHome: () => this.#beHome(),
      onFollow: (lost) => this.#beFollower(lost),
      onForgotten: (upTo) => this.#clear(upTo),
      onClaim: (claim) => this.#giveWay(claim),
      answer: (...wish) => this.#lines.answer(...wish),
      isReadElsewhere: () => this.#readElsewhere.size > 0,
    });
    this.noteOthers();
  }

  get room(): Room {
    return this.#room;
  }

  /** How long nobody has spoken, typed or read. */
  get idleMs(): number {
    if (this.sessionId !== undefined || this.readerCount > 0) return 0;
    return performance.now() - this.#lastUsedMs;
  }

  get readerCount(): number {
    return total(this.readers) + this.readersElsewhere;
  }

  /** Who reads here, by language. */
  get readers(): Record<string, number> {
    const counts = [...this.#channels].map(([name, { readers }]) => [name, readers.size] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** How many read at other nodes. */
  get readersElsewhere(): number {
    return total(addedUp(this.#others.map(({ readers }) => readers)));
  }

  /** Who is here. */
  get presence(): RoomPresence {
    const { sessionId } = this.#floor;
    return {
      readers: this.readers,
      isHome: this.isHome,
      ...(sessionId !== undefined && { sessionId }),
    };
  }

  /** Whether what is said is appended here. */
  get isHome(): boolean {
    return this.#options.nodes?.share.isHome ?? true;
  }

  get #others(): RoomPresence[] {
    return this.#options.nodes?.others() ?? [];
  }

  /** The session that speaks, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#floor.sessionId ?? this.#others.find(({ sessionId }) => sessionId)?.sessionId;
  }

  get state(): 'waiting' | 'live' | 'paused' {
    if (this.#room.isPaused) return 'paused';
    return this.sessionId === undefined ? 'waiting' : 'live';
  }

  /** @returns whether it can be read in a language */
  offers(language: string): boolean {
    return language === SPOKEN || this.#room.wishes.languages.includes(language);
  }

  // What is said.

  /** The one who speaks last has the floor. */
  hear(speech: Speech, pass?: RoomPass): void {
    this.#floor.hear(speech, pass);
  }

  #noteSpeaker(): void {
    if (this.#over !== undefined) return;
    this.#lastUsedMs = performance.now();
    this.#options.nodes?.tell({ isUrgent: true });
    this.#tellState();
  }

  /** That nobody speaks not at once: who changes the microphone, or pauses, is back or has done so in a moment. */
  #tellState(): void {
    if (this.state !== 'waiting') this.#sendAll(this.#stateParcel());
    else {
      const say = () => {
        if (this.state === 'waiting') this.#sendAll(this.#stateParcel());
      };
      setTimeout(say, WAITING_MS).unref();
    }
  }

  /** A line of what is said, also one that was typed; with a number, in the place of that one. */
  say(said: Said): Promise<AppendedLine> {
    return this.#lines.say(said);
  }

  /** A line of one language that somebody typed. */
  write(language: LanguageTag, written: Written): Promise<AppendedLine> {
    return this.#lines.write(language, written);
  }

  #grow(heard: Growing | undefined): void {
    const growing = heard && { ...heard, text: this.#wording.spoken(heard.text) };
    this.#growing = growing;
    if (!this.isHome) return;
    this.#options.captions.tell(this.#track(SPOKEN), growing?.text ?? '');
    for (const channel of this.#channels.values()) channel.grow(growing);
  }

  #track(name: string): CaptionTrack {
    return { roomId: this.#room.roomId, name };
  }

  // Where it is said.

  /** Has a line spoken where all lines are. */
  speakThere(wish: unknown): Promise<unknown> {
    return this.#lines.speakThere(wish);
  }

  /** What is said is said here from now on, and rendered. */
  #beHome(): void {
    this.#lines.takeOver();
    for (const name of this.#readElsewhere) this.#channel(name);
    for (const channel of this.#channels.values()) {
      if (channel.isInterpreted || !this.#interpret(channel)) continue;
      void this.#interpretMissing(channel, Date.now() - IN_ORDER_MS);
    }
    this.#grow(this.#growing);
    this.#options.nodes?.tell({ isUrgent: true });
  }

  /** Another node does all that. @param lost what was told to those who read here, and to nobody else */
  #beFollower(lost: readonly SharedCaption[]): void {
    for (const channel of this.#channels.values()) {
      channel.interpretBy(undefined);
      if (lost.length > 0) channel.startOver();
    }
    this.#options.nodes?.tell({ isUrgent: true });
    const said = this.#lines.sayAgain(lost, () => this.#floor.resume());
    said.catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'something said in a room was lost');
    });
  }

  /** Somebody speaks at another node. @returns who speaks here and does not give way */
  async #giveWay(claim: HomeClaim): Promise<string | undefined> {
    const speaks = this.#floor.giveWay(claim);
    if (speaks !== undefined) return speaks;
    for (const channel of this.#channels.values()) channel.interpretBy(undefined);
    await this.#lines.idle();
    return undefined;
  }

  /** Who speaks or reads at other nodes has changed. */
  noteOthers(): void {
    if (this.#over !== undefined) return;
    const read = new Set(this.#others.flatMap(({ readers }) => Object.keys(readers)));
    const before = this.#readElsewhere;
    this.#readElsewhere = read;
    if (this.isHome) for (const name of read) if (this.offers(name)) this.#channel(name);
    for (const [name, channel] of this.#channels) {
      if (before.has(name) && !read.has(name)) this.#closeWhenUnread(name, channel);
    }
    if (this.#state?.state !== this.state) this.#tellState();
  }

  // Who reads.

  /** Lets somebody read along; what was said comes first, or what followed `after`. */
  join(reader: Reader, wished: string, after: number | undefined): void {
    const reason = this.#floor.isRevoked(reader.pass) ? revoked() : this.#over;
    if (reason !== undefined) {
      reader.end(reason, createParcel({ type: 'end', message: reason.message }));
      return;
    }
    reader.write(this.#stateParcel().in(reader.encoding));
    // The language may have been taken away while the reader was on the way in.
    const name = this.offers(wished) ? wished : SPOKEN;
    // What is yet to come has been read by nobody.
    const isPast = after !== undefined && after < this.#options.captions.nextLine();
    const channel = this.#channel(name);
    channel.join(reader, isPast && name === wished ? after : undefined);
    this.#options.nodes?.tell({ isUrgent: channel.readers.size === 1 });
  }

  leave(reader: Reader): void {
    this.#lastUsedMs = performance.now();
    this.#options.nodes?.tell({ isUrgent: false });
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
    return this.#floor.expect(sessionId, pass);
  }

  /** Links by which somebody is here, or is to speak. */
  get linkIds(): string[] {
    const passes = [...this.#channels.values()].flatMap(({ readers }) => [...readers]);
    const ofReaders = passes.flatMap(({ pass: { linkId } }) => linkId ?? []);
    return [...new Set([...ofReaders, ...this.#floor.linkIds])];
  }

  /** Asks whoever has come by a link to leave, who speaks as well; who is on the way is not let in. @returns what they are told */
  revoke(linkId: string): ServiceError {
    const reason = revoked();
    this.#floor.revoke(linkId);
    this.#endThose(reason, (pass) => pass.linkId === linkId);
    return reason;
  }

  /** Asks readers to leave, and who speaks, by what they were let in. */
  #endThose(reason: ServiceError, which: (pass: RoomPass) => boolean): void {
    this.endReaders(reason, ({ pass }) => which(pass));
    this.#floor.endThose(reason, which);
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
    const channel = new Channel({ track, captions, fanOut, log });
    this.#channels.set(name, channel);
    if (this.isHome && this.#interpret(channel)) void this.#interpretMissing(channel, Infinity);
    return channel;
  }

  /** Renders from now on what is said. @returns whether that is needed */
  #interpret(channel: Channel): boolean {
    const { name } = channel.track;
    if (name === SPOKEN) return false;
    channel.interpretBy(this.#lines.renderings.interpreter(name));
    channel.grow(this.#growing);
    return true;
  }

  /**
   * Renders what was said before this node rendered the language.
   *
   * @param inOrderSinceMs what was said since then as if it were said now, ms since the epoch
   */
  async #interpretMissing(channel: Channel, inOrderSinceMs: number): Promise<void> {
    const { now = Date.now, log } = this.#options;
    try {
      const missing = await this.#lines.renderings.missing(channel.track.name, now() - LATE_MS);
      const late = missing.filter(({ endMs }) => endMs < inOrderSinceMs);
      channel.interpret(late.slice(-LAST_LINES), { areOld: true });
      channel.interpret(missing.filter(({ endMs }) => endMs >= inOrderSinceMs));
    } catch (error) {
      log.error({ err: error }, 'what was said in a room could not be read');
      setTimeout(() => {
        const isOpen = this.#channels.get(channel.track.name) === channel;
        if (isOpen && channel.isInterpreted) void this.#interpretMissing(channel, inOrderSinceMs);
      }, AGAIN_MS).unref();
    }
  }

  #close(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || channel.readers.size > 0) return;
    const { always } = this.#room.wishes;
    const isRead = this.isHome && this.#readElsewhere.has(name) && this.offers(name);
    if (always.includes(name) || isRead) return;
    channel.close();
    this.#channels.delete(name);
  }

  /** Renders what nobody has read of a language, so that its transcript is whole. */
  async complete(name: string, signal: AbortSignal): Promise<void> {
    await this.#lines.complete(name, signal);
  }

  // How the room changes.

  /** @param translateText undefined: as before */
  change(room: Room, translateText = this.#translateText): void {
    if (this.#over !== undefined) return;
    if (!hasSameWords(room.wishes, this.#room.wishes)) {
      this.#wording = createRoomWording(room.wishes);
    }
    this.#lines.keep(room.keepMs);
    this.#room = room;
    this.#translateText = translateText;
    this.#floor.setPaused(room.isPaused);
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
    await this.#lines.forget();
  }

  #clear(upTo: number): void {
    this.#lines.renderings.forget(upTo);
    for (const channel of this.#channels.values()) channel.clear(upTo);
    this.#options.nodes?.onForgotten();
  }

  /** Ends the session that speaks, every language, and every reader. */
  end(reason: ServiceError): void {
    this.#floor.leave();
    this.#over = reason;
    this.#lines.renderings.end();
    this.#floor.end(reason);
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
