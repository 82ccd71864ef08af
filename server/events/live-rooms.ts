/**
 * The live rooms of this process. Opens a room on first use, applies changes from here and other nodes, and
 * closes rooms that are idle.
 */
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../shared/errors.ts';
import type { LanguagePair } from '../engines/engine.ts';
import type { Caller } from '../http/door.ts';
import { withinTime } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import type { LiveTranslation, TranslateText } from '../voice/index.ts';
import type { Broker } from '../broker/index.ts';
import { followNews } from '../broker/news.ts';
import type { CaptionLog } from './caption-log.ts';
import { LiveRoom, type OtherNodes } from './live-room.ts';
import { addedUp, Presence, type RoomPresence } from './nodes/presence.ts';
import type { SharedCaptionLog } from './nodes/shared-caption-log.ts';
import type { FanOut } from './reading/fan-out.ts';
import { createStallWatch } from './reading/readers.ts';
import type { ClipWish, SpokenLines } from './spoken-lines.ts';
import { passcodeMark } from './room-keys.ts';
import { isClosedBy, type Room, type RoomLink, type RoomStore } from './store.ts';

/** A room idle for longer is closed, and captions that are not kept are lost with it; in ms. */
const IDLE_MS = 15 * 60_000;
/** Interval of keep-alives to readers, in ms: the contract says 15 s. */
const BEAT_MS = 12_000;
const SWEEP_MS = 60_000;
/** How long the server waits at a stop for readers to be told, in ms. */
const FAREWELL_MS = 2_000;

export interface LiveRoomsOptions {
  captions: CaptionLog;
  /** Undefined on a single node. */
  nodes?: Nodes | undefined;
  store: Pick<RoomStore, 'find' | 'links' | 'deleteExpired'>;
  fanOut: FanOut;
  spokenLines: Pick<SpokenLines, 'forget' | 'speakFor'>;
  liveTranslation: LiveTranslation;
  /** Returns the account and key that pay for the room. @throws ServiceError forbidden */
  callerOf: (room: Room) => Promise<Caller>;
  /** Language pairs into which a room may be translated. */
  pairsOf: (room: Room) => LanguagePair[];
  spokenLanguages: (room: Room) => string[];
  log: Logger;
  sweepMs?: number;
}

/** What nodes share. */
export interface Nodes {
  captions: SharedCaptionLog;
  broker: Pick<Broker, 'announcements' | 'onBack' | 'streams' | 'node'>;
}

/** Announcement to the other nodes about a room. */
interface RoomNews {
  from: string;
  roomId: string;
  changed?: { isClosed: boolean };
  revoked?: string;
  isDeleted?: true;
}

const TOPIC = 'rooms';

export class LiveRooms {
  readonly #options: LiveRoomsOptions;
  readonly #opening = new Map<string, Promise<LiveRoom>>();
  readonly #open = new Map<string, LiveRoom>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #presence: Presence | undefined;
  #stopListening: () => void = () => undefined;
  /** Rooms being closed. */
  readonly #leaving = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: LiveRoomsOptions) {
    this.#options = options;
    const { nodes, log } = options;
    this.#presence =
      nodes &&
      new Presence({
        ...{ broker: nodes.broker, log },
        own: () => new Map([...this.#open].map(([roomId, live]) => [roomId, live.presence])),
        onChange: (roomId) => this.#open.get(roomId)?.noteOthers(),
      });
    if (nodes !== undefined) {
      this.#stopListening = followNews({
        ...{ broker: nodes.broker, topic: TOPIC, log },
        onNews: (news) => this.#hear(JSON.parse(news) as RoomNews, nodes.broker.node),
        lookUp: () => this.#readAllAgain(),
      });
    }
    const isStalled = createStallWatch();
    const beat = () => {
      for (const live of this.#open.values()) live.keepAlive(isStalled);
    };
    this.#timers = [
      setInterval(beat, BEAT_MS).unref(),
      setInterval(() => this.#sweep(), options.sweepMs ?? SWEEP_MS).unref(),
    ];
  }

  /** @throws ServiceError invalid_request, not_found for a glossary or a formality that cannot be served */
  async check(room: Room): Promise<void> {
    await this.#translationOf(room);
  }

  /** @throws ServiceError */
  open(room: Room): Promise<LiveRoom> {
    const { roomId } = room;
    if (this.#isStopped) return Promise.reject(stopping());
    const known = this.#opening.get(roomId);
    if (known !== undefined) return known;
    const live = this.#begin(roomId, () => this.#opening.get(roomId) === live);
    this.#opening.set(roomId, live);
    live.catch(() => {
      if (this.#opening.get(roomId) === live) this.#opening.delete(roomId);
    });
    return live;
  }

  /** Returns undefined for a room that is not live here. */
  find(roomId: string): LiveRoom | undefined {
    return this.#open.get(roomId);
  }

  /** Returns the readers and the speaker of a room on all nodes; undefined if no node has it open. */
  presence(roomId: string): Omit<RoomPresence, 'isHome'> | undefined {
    const own = this.#open.get(roomId)?.presence ?? [];
    const all = [own, this.#presence?.others(roomId) ?? []].flat();
    if (all.length === 0) return undefined;
    const sessionId = all.find((each) => each.sessionId !== undefined)?.sessionId;
    return {
      readers: addedUp(all.map(({ readers }) => readers)),
      ...(sessionId !== undefined && { sessionId }),
    };
  }

  // Changes of a room, here and on all other nodes.

  /**
   * Applies changed settings of a room on all nodes.
   *
   * @param options.isClosed whether readers must leave who would not be admitted any more
   */
  async changed(room: Room, options: { isClosed: boolean }): Promise<void> {
    this.#tell({ roomId: room.roomId, changed: options });
    await this.#change(room, options);
  }

  /** Called when a link has been revoked. */
  revoked(roomId: string, linkId: string): void {
    this.#tell({ roomId, revoked: linkId });
    this.#open.get(roomId)?.revoke(linkId);
  }

  /** Called when the room has been deleted. */
  deleted(roomId: string): void {
    this.#tell({ roomId, isDeleted: true });
    this.#end(roomId, deleted(), { isOver: true });
  }

  #tell(news: Omit<RoomNews, 'from'>): void {
    const { nodes, log } = this.#options;
    nodes?.broker.announcements
      .tell(TOPIC, JSON.stringify({ from: nodes.broker.node, ...news } satisfies RoomNews))
      .catch((error: unknown) =>
        log.error({ err: error }, 'other servers were not notified of a change to a room'),
      );
  }

  async #hear({ from, roomId, changed, revoked, isDeleted }: RoomNews, own: string): Promise<void> {
    if (from === own) return;
    if (revoked !== undefined) this.#open.get(roomId)?.revoke(revoked);
    if (isDeleted === true) this.#end(roomId, deleted(), { isOver: true });
    if (changed !== undefined) await this.#readAgain(roomId);
  }

  async #readAllAgain(): Promise<void> {
    for (const roomId of this.#opening.keys()) await this.#readAgain(roomId);
  }

  /** Applies another server's change, and repeats until this room equals what the database has. */
  async #readAgain(roomId: string): Promise<void> {
    const { store } = this.#options;
    const live = await this.#opening.get(roomId)?.catch(() => undefined);
    if (live === undefined) return;
    const { room: before, linkIds } = live;
    const [room, links] = await Promise.all([store.find(roomId), store.links(roomId)]);
    if (this.#open.get(roomId) !== live) return;
    if (room === undefined) {
      this.#end(roomId, deleted(), { isOver: true });
      return;
    }
    if (!isDeepStrictEqual(room, before)) {
      // A change made here meanwhile is newer.
      if (live.room === before)
        await this.#change(room, { isClosed: isClosedBy(room, before), links });
      await this.#readAgain(roomId);
      return;
    }
    // A reader admitted by passcode has the passcode's mark in place of a link.
    const known = new Set([...links.map(({ linkId }) => linkId), passcodeMark(room)]);
    for (const linkId of linkIds) if (!known.has(linkId)) live.revoke(linkId);
  }

  async #change(room: Room, options: { isClosed: boolean; links?: RoomLink[] }): Promise<void> {
    const live = await this.#opening.get(room.roomId)?.catch(() => undefined);
    if (live === undefined) return;
    const { log } = this.#options;
    // The change takes effect even if the translation cannot be prepared anew.
    const translateText = await this.#translationOfRunning(room).catch((error: unknown) => {
      log.error({ err: error, roomId: room.roomId }, 'a room keeps its previous translation');
    });
    live.change(room, translateText ?? undefined);
    if (options.isClosed) await this.#endUninvited(live, options.links);
  }

  /** Dismisses readers who would not be admitted any more. */
  async #endUninvited(live: LiveRoom, known?: RoomLink[]): Promise<void> {
    const { roomId, wishes } = live.room;
    if (wishes.access === 'everyone') return;
    const all = known ?? (await this.#options.store.links(roomId));
    const links = new Set(all.map(({ linkId }) => linkId));
    const reason = new ServiceError('forbidden', 'Who may read here has changed: come in again.');
    live.endReaders(reason, ({ pass: { linkId } }) => linkId === undefined || !links.has(linkId));
  }

  /** Ids of the keys that pay for the live rooms. */
  keyIds(): string[] {
    return [...this.#open.values()].map(({ room }) => room.keyId);
  }

  /** Called when a key has been deactivated. */
  endOfKey(keyId: string): void {
    const { log } = this.#options;
    for (const live of this.#open.values()) {
      if (live.room.keyId !== keyId) continue;
      this.#translationOfRunning(live.room).then(
        // Meanwhile the room may have been changed, also to another key.
        (translateText) => {
          if (live.room.keyId === keyId) live.change(live.room, translateText);
        },
        (error: unknown) => log.error({ err: error }, 'a room keeps its previous translation'),
      );
    }
  }

  /** @param options.isOver whether nothing of the room is to remain on any server */
  #end(roomId: string, reason: ServiceError, { isOver }: { isOver: boolean }): void {
    this.#opening.delete(roomId);
    this.#open.get(roomId)?.end(reason);
    this.#open.delete(roomId);
    this.#options.spokenLines.forget(roomId);
    const { nodes, log } = this.#options;
    if (nodes === undefined) return;
    this.#presence?.changed(roomId);
    const left = nodes.captions.leave(roomId, { isLast: isOver }).catch((error: unknown) => {
      log.warn(
        { err: error },
        'captions of a room were not removed from the broker; they expire there',
      );
    });
    this.#leaving.add(left);
    void left.then(() => this.#leaving.delete(left));
  }

  /** Resolves when all readers have been told, or after a short time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#opening.clear();
    this.#stopListening();
    // The room continues on another server, or here after a restart.
    for (const roomId of [...this.#open.keys()]) this.#end(roomId, stopping(), { isOver: false });
    const untilMs = performance.now() + FAREWELL_MS;
    await withinTime(this.#options.fanOut.idle(), untilMs);
    await withinTime(Promise.all(this.#leaving), untilMs);
    this.#presence?.stop();
    this.#options.nodes?.captions.stop();
  }

  /** Reads the room once more from the database: any change after this read finds the room being opened. */
  async #begin(roomId: string, isWanted: () => boolean): Promise<LiveRoom> {
    const { captions, fanOut, log, spokenLanguages, store } = this.#options;
    const room = await store.find(roomId);
    if (room === undefined) throw deleted();
    const translateText = await this.#translationOfRunning(room);
    if (!isWanted()) throw this.#isStopped ? stopping() : deleted();
    const live = new LiveRoom({
      ...{ room, captions, fanOut, log, translateText, spokenLanguages },
      nodes: this.#othersOf(roomId),
    });
    this.#open.set(roomId, live);
    this.#presence?.changed(roomId);
    return live;
  }

  #othersOf(roomId: string): OtherNodes | undefined {
    const { nodes, spokenLines } = this.#options;
    return (
      nodes && {
        share: nodes.captions.share(roomId),
        others: () => this.#presence?.others(roomId) ?? [],
        tell: (options) => this.#presence?.changed(roomId, options),
        speak: (wish) => spokenLines.speakFor(roomId, wish as ClipWish),
        onForgotten: () => spokenLines.forget(roomId),
      }
    );
  }

  /**
   * Prepares a live room's translation. The room continues without a deleted glossary or an unavailable
   * formality, and untranslated if its key is not active.
   */
  async #translationOfRunning(room: Room): Promise<TranslateText> {
    const { log } = this.#options;
    try {
      return await this.#translationOf(room);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      log.warn(
        { err: error, roomId: room.roomId },
        'a room continues without its glossary, formality or translation',
      );
      if (error.code === 'forbidden') return () => Promise.reject(error);
      if (error.code !== 'not_found' && error.code !== 'invalid_request') throw error;
      const wishes = { ...room.wishes, glossaryId: null, formality: null };
      return this.#translationOf({ ...room, wishes });
    }
  }

  async #translationOf(room: Room): Promise<TranslateText> {
    const { liveTranslation, callerOf, pairsOf } = this.#options;
    const { translateText } = await liveTranslation.prepare({
      caller: await callerOf(room),
      glossaryId: room.wishes.glossaryId ?? undefined,
      formality: room.wishes.formality ?? undefined,
      pairs: pairsOf(room),
    });
    return translateText;
  }

  #sweep(): void {
    const { store, spokenLines, log } = this.#options;
    const nowMs = Date.now();
    for (const [roomId, live] of this.#open) {
      const { keepMs } = live.room;
      if (live.idleMs > IDLE_MS) {
        const isOver = this.#presence?.others(roomId).length === 0;
        this.#end(roomId, idle(), { isOver });
      } else if (keepMs > 0) {
        live.expire(nowMs - keepMs);
        spokenLines.forget(roomId, nowMs - keepMs);
      }
    }
    store.deleteExpired(nowMs).catch((error: unknown) => {
      log.error({ err: error }, 'expired transcripts could not be deleted');
    });
  }
}

function idle(): ServiceError {
  return new ServiceError('session_ended', 'Nothing happens in the room.');
}

function deleted(): ServiceError {
  return new ServiceError('not_found', 'The room has been deleted.');
}

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Try again in a moment.');
}
