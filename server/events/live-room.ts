/**
 * A live room: turns what is spoken or typed into caption lines, translates them into every language that has
 * readers, and fans them out.
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
import type { HomeClaim } from './nodes/questions.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import { createParcel, type FanOut, type Parcel, type Reader } from './reading/fan-out.ts';
import { hasExpired, type RoomPass } from './room-keys.ts';
import { createRoomWording, hasSameWords } from './room-wording.ts';
import { type AppendedLine, RoomLines, type Said, type Written } from './room-lines.ts';
import type { Speech } from './speaker.ts';
import type { Room } from './store.ts';

/**
 * How long a language is still translated after its last reader left, in ms: a phone may reconnect in a
 * moment.
 */
const UNREAD_MS = 30_000;
/** How far back lines are translated for the first reader of a language, in ms. */
const LATE_MS = 10 * 60_000;
/** Delay before readers are told that nobody speaks, in ms. */
const WAITING_MS = 1_000;
/** Delay before a failed read of earlier captions is retried, in ms. */
const AGAIN_MS = 10_000;
/** A new home renders lines this recent in order, as the old home would have, and older lines late; in ms. */
const IN_ORDER_MS = 60_000;
/** The other nodes that have the room open. */
export interface OtherNodes {
  share: SharedRoom;
  others: () => RoomPresence[];
  /** Announces this node's presence in the room. */
  tell: (options: { isUrgent: boolean }) => void;
  /** Synthesises a line, for listeners at any node. */
  speak: (wish: unknown) => Promise<object>;
  /** Called when the room's captions are deleted. */
  onForgotten: () => void;
}

export interface LiveRoomOptions {
  room: Room;
  captions: CaptionLog;
  fanOut: FanOut;
  /** Translates with the room's glossary and formality. */
  translateText: TranslateText;
  /** Returns the languages of the room that have a voice. */
  spokenLanguages: (room: Room) => string[];
  /** Undefined on a single node. */
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
  /** Why the room is over; undefined while it is live. */
  #over: ServiceError | undefined;
  #lastUsedMs = performance.now();
  #state: { of: Room; state: string; parcel: Parcel; madeMs: number } | undefined;
  /** Languages with readers on other nodes. */
  #readElsewhere: ReadonlySet<string> = new Set();

  constructor(options: LiveRoomOptions) {
    this.#options = options;
    this.#room = options.room;
    this.#translateText = options.translateText;
    this.#wording = createRoomWording(options.room.wishes);
    const { captions, log, nodes } = options;
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
    });
    this.#openAlways();
    nodes?.share.attach({
      onHome: () => this.#beHome(),
      onFollow: (lost) => this.#beFollower(lost),
      onForgotten: (upTo) => this.#clear(upTo),
      onClaim: (claim) => this.#yieldTo(claim),
      answer: (...wish) => this.#lines.answer(...wish),
      isReadElsewhere: () => this.#readElsewhere.size > 0,
    });
    this.noteOthers();
  }

  get room(): Room {
    return this.#room;
  }

  /** How long nobody has spoken, typed or read, in ms. */
  get idleMs(): number {
    if (this.sessionId !== undefined || this.readerCount > 0) return 0;
    return performance.now() - this.#lastUsedMs;
  }

  get readerCount(): number {
    return total(this.readers) + this.readersElsewhere;
  }

  /** Readers on this node, by language. */
  get readers(): Record<string, number> {
    const counts = [...this.#channels].map(([name, { readers }]) => [name, readers.size] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Number of readers on other nodes. */
  get readersElsewhere(): number {
    return total(addedUp(this.#others.map(({ readers }) => readers)));
  }

  /** What this node reports to the others about the room. */
  get presence(): RoomPresence {
    const { sessionId } = this.#floor;
    return {
      readers: this.readers,
      isHome: this.isHome,
      ...(sessionId !== undefined && { sessionId }),
    };
  }

  /** Whether this node is the home, which appends the room's captions. */
  get isHome(): boolean {
    return this.#options.nodes?.share.isHome ?? true;
  }

  get #others(): RoomPresence[] {
    return this.#options.nodes?.others() ?? [];
  }

  /** The session that has the floor, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#floor.sessionId ?? this.#others.find(({ sessionId }) => sessionId)?.sessionId;
  }

  get state(): 'waiting' | 'live' | 'paused' {
    if (this.#room.isPaused) return 'paused';
    return this.sessionId === undefined ? 'waiting' : 'live';
  }

  /** @returns whether the room can be read in a language */
  offers(language: string): boolean {
    return language === SPOKEN || this.#room.wishes.languages.includes(language);
  }

  // Speaking and typing.

  /** Gives the floor to a session; the latest speaker always has it. */
  hear(speech: Speech, pass?: RoomPass): void {
    this.#floor.hear(speech, pass);
  }

  #noteSpeaker(): void {
    if (this.#over !== undefined) return;
    this.#lastUsedMs = performance.now();
    this.#options.nodes?.tell({ isUrgent: true });
    this.#tellState();
  }

  /** Tells readers the state; `waiting` only after a delay, as changing a microphone takes but a moment. */
  #tellState(): void {
    if (this.state !== 'waiting') this.#sendAll(this.#stateParcel());
    else {
      const say = () => {
        if (this.state === 'waiting') this.#sendAll(this.#stateParcel());
      };
      setTimeout(say, WAITING_MS).unref();
    }
  }

  /** Appends a spoken or typed line; with a line number, it replaces that line. */
  say(said: Said): Promise<AppendedLine> {
    return this.#lines.say(said);
  }

  /** Appends a line that a person typed in one language. */
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

  // The home and the other nodes.

  /** Has a line synthesised by the home, which synthesises all lines. */
  speakThere(wish: unknown): Promise<unknown> {
    return this.#lines.speakThere(wish);
  }

  /** Takes over as the home: renders what the languages with readers still lack. */
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

  /**
   * Stops acting as the home, as another node does. @param lost captions told to readers here and to no other
   * node
   */
  #beFollower(lost: readonly SharedCaption[]): void {
    for (const channel of this.#channels.values()) {
      channel.interpretBy(undefined);
      if (lost.length > 0) channel.startOver();
    }
    this.#options.nodes?.tell({ isUrgent: true });
    const said = this.#lines.sayAgain(lost, () => this.#floor.resume());
    said.catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'captions of a room were lost');
    });
  }

  /** Yields the floor to a speaker at another node. @returns the local session if it keeps the floor */
  async #yieldTo(claim: HomeClaim): Promise<string | undefined> {
    const speaks = this.#floor.yieldTo(claim);
    if (speaks !== undefined) return speaks;
    for (const channel of this.#channels.values()) channel.interpretBy(undefined);
    await this.#lines.idle();
    return undefined;
  }

  /** Called when the speakers or readers at other nodes have changed. */
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

  // Reading.

  /** Lets a reader join: it receives the last lines first, or what followed `after`. */
  join(reader: Reader, wished: string, after: number | undefined): void {
    const reason = this.#floor.isRevoked(reader.pass) ? revoked() : this.#over;
    if (reason !== undefined) {
      reader.end(reason, createParcel({ type: 'end', message: reason.message }));
      return;
    }
    reader.write(this.#stateParcel().in(reader.encoding));
    // The language may have been removed while the reader was joining.
    const name = this.offers(wished) ? wished : SPOKEN;
    // A sequence in the future cannot come from this room, so it is ignored.
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

  /** Sends a reader what it missed, once it has read what it was sent. */
  async catchUp(reader: Reader): Promise<void> {
    for (const channel of this.#channels.values()) await channel.catchUp(reader);
  }

  /**
   * Records the pass with which a session that will speak here was requested.
   *
   * @returns a session to end, if too many have been requested
   */
  expect(sessionId: string, pass: RoomPass): string | undefined {
    return this.#floor.expect(sessionId, pass);
  }

  /** Ids of the links that admitted the current readers and the current or expected speakers. */
  get linkIds(): string[] {
    const passes = [...this.#channels.values()].flatMap(({ readers }) => [...readers]);
    const ofReaders = passes.flatMap(({ pass: { linkId } }) => linkId ?? []);
    return [...new Set([...ofReaders, ...this.#floor.linkIds])];
  }

  /**
   * Revokes a link: dismisses the readers and the speaker it admitted, and refuses those still joining.
   * @returns the reason they are given
   */
  revoke(linkId: string): ServiceError {
    const reason = revoked();
    this.#floor.revoke(linkId);
    this.#endThose(reason, (pass) => pass.linkId === linkId);
    return reason;
  }

  /** Dismisses readers, and the speaker, by their passes. */
  #endThose(reason: ServiceError, which: (pass: RoomPass) => boolean): void {
    this.endReaders(reason, ({ pass }) => which(pass));
    this.#floor.endThose(reason, which);
  }

  /** Dismisses readers. */
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
   * Sends readers a keep-alive, cuts those that `isStalled` finds, and dismisses those whose pass has
   * expired.
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

  /** Returns the room's state as a parcel, shared for a second: voices come and go with their engines. */
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

  /** Starts rendering a channel. @returns whether its language needs rendering */
  #interpret(channel: Channel): boolean {
    const { name } = channel.track;
    if (name === SPOKEN) return false;
    channel.interpretBy(this.#lines.renderings.interpreter(name));
    channel.grow(this.#growing);
    return true;
  }

  /**
   * Renders lines from before this node rendered the language.
   *
   * @param inOrderSinceMs lines since then are rendered as if spoken now, in ms since the epoch
   */
  async #interpretMissing(channel: Channel, inOrderSinceMs: number): Promise<void> {
    const { now = Date.now, log } = this.#options;
    try {
      const missing = await this.#lines.renderings.missing(channel.track.name, now() - LATE_MS);
      const late = missing.filter(({ endMs }) => endMs < inOrderSinceMs);
      channel.interpret(late.slice(-LAST_LINES), { areOld: true });
      channel.interpret(missing.filter(({ endMs }) => endMs >= inOrderSinceMs));
    } catch (error) {
      log.error({ err: error }, 'captions of a room could not be read');
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

  /** Renders every line that a language lacks, so that its transcript is complete. */
  async complete(name: string, signal: AbortSignal): Promise<void> {
    await this.#lines.complete(name, signal);
  }

  // Changes of the room.

  /** @param translateText undefined: keeps the current one */
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
        // Meanwhile the reader may have left, or the language may be offered again.
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

  /** Drops captions that ended before a moment, in ms since the epoch. */
  expire(beforeMs: number): void {
    this.#options.captions.expire(this.#room.roomId, beforeMs);
    for (const channel of this.#channels.values()) channel.forgetHistory();
  }

  /** Deletes all captions of the room; readers no longer see them. */
  async forget(): Promise<void> {
    await this.#lines.forget();
  }

  #clear(upTo: number): void {
    this.#lines.renderings.forget(upTo);
    for (const channel of this.#channels.values()) channel.clear(upTo);
    this.#options.nodes?.onForgotten();
  }

  /** Ends the room: its speaking session, every channel, and every reader. */
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
