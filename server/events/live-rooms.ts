/** The rooms of this process in which somebody speaks or reads along. */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguagePair } from '../engines/engine.ts';
import type { Caller } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { LiveTranslation, TranslateText } from '../voice/index.ts';
import type { CaptionLog } from './caption-log.ts';
import { LiveRoom } from './live-room.ts';
import type { FanOut } from './reading/fan-out.ts';
import { createStallWatch } from './reading/readers.ts';
import type { Room, RoomStore } from './store.ts';

/** A room in which nothing happens is let go of; captions that are not kept are forgotten with it. */
const IDLE_MS = 15 * 60_000;
/** Readers are told that they are connected so often: the contract says 15 s. */
const BEAT_MS = 12_000;
const SWEEP_MS = 60_000;

export interface LiveRooms {
  /** @throws ServiceError invalid_request, not_found for a glossary or a formality that cannot be served */
  check(room: Room): Promise<void>;
  /** @throws ServiceError */
  open(room: Room): Promise<LiveRoom>;
  /** Undefined where nothing happens. */
  find(roomId: string): LiveRoom | undefined;
  /** Puts other wishes in force. */
  changed(room: Room): Promise<void>;
  /** The room is gone. */
  end(roomId: string, reason: ServiceError): void;
  stop(): void;
}

export interface LiveRoomsOptions {
  captions: CaptionLog;
  store: Pick<RoomStore, 'deleteExpired'>;
  fanOut: FanOut;
  liveTranslation: LiveTranslation;
  /** Whose room it is. @throws ServiceError forbidden */
  callerOf: (room: Room) => Promise<Caller>;
  /** Directions in which a room may be translated. */
  pairsOf: (room: Room) => LanguagePair[];
  spokenLanguages: (room: Room) => string[];
  log: Logger;
}

export function createLiveRooms(options: LiveRoomsOptions): LiveRooms {
  const { captions, store, fanOut, liveTranslation, callerOf, pairsOf, log } = options;
  const rooms = new Map<string, Promise<LiveRoom>>();
  const open = new Map<string, LiveRoom>();
  const idleSinceMs = new Map<string, number>();

  async function translationOf(room: Room): Promise<TranslateText> {
    const { translateText } = await liveTranslation.prepare({
      caller: await callerOf(room),
      glossaryId: room.wishes.glossaryId ?? undefined,
      formality: room.wishes.formality ?? undefined,
      pairs: pairsOf(room),
    });
    return translateText;
  }

  async function begin(room: Room): Promise<LiveRoom> {
    const live = new LiveRoom({
      room,
      captions,
      fanOut,
      log,
      translateText: await translationOf(room),
      spokenLanguages: options.spokenLanguages,
    });
    open.set(room.roomId, live);
    return live;
  }

  function end(roomId: string, reason: ServiceError): void {
    rooms.delete(roomId);
    idleSinceMs.delete(roomId);
    open.get(roomId)?.end(reason);
    open.delete(roomId);
  }

  function sweep(): void {
    const nowMs = performance.now();
    for (const [roomId, live] of open) {
      if (!live.isIdle) idleSinceMs.delete(roomId);
      else if (!idleSinceMs.has(roomId)) idleSinceMs.set(roomId, nowMs);
      else if (nowMs - (idleSinceMs.get(roomId) ?? nowMs) > IDLE_MS) end(roomId, idle());
    }
    store.deleteExpired(Date.now()).catch((error: unknown) => {
      log.error({ err: error }, 'transcripts whose time is up could not be deleted');
    });
  }

  const isStalled = createStallWatch();
  const timers = [
    setInterval(sweep, SWEEP_MS).unref(),
    setInterval(() => {
      for (const live of open.values()) live.keepAlive(isStalled);
    }, BEAT_MS).unref(),
  ];

  return {
    async check(room) {
      await translationOf(room);
    },
    open(room) {
      const { roomId } = room;
      let live = rooms.get(roomId);
      if (live === undefined) {
        live = begin(room);
        rooms.set(roomId, live);
        live.catch(() => rooms.delete(roomId));
      }
      return live;
    },
    find: (roomId) => open.get(roomId),
    async changed(room) {
      open.get(room.roomId)?.change(room, await translationOf(room));
    },
    end,
    stop() {
      for (const timer of timers) clearInterval(timer);
      for (const roomId of [...open.keys()]) end(roomId, stopping());
    },
  };
}

function idle(): ServiceError {
  return new ServiceError('session_ended', 'Nothing happens in the room.');
}

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Try again in a moment.');
}
