import type { Generated, Selectable } from 'kysely';
import { ServiceError } from '../../shared/errors.ts';
import type { RoomRole } from '../../shared/schemas/rooms.ts';
import { countOf, type Database, lockAccount, locksRows } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';
import { type CaptionStore, createCaptionRows } from './captions-store.ts';

/** Settings of a room; stored as JSON. */
export interface RoomWishes {
  languages: string[];
  always: string[];
  sourceLanguage: string | null;
  access: 'everyone' | 'passcode' | 'link';
  passcode: string | null;
  glossaryId: string | null;
  formality: string | null;
  replacements: { from: string; to: string }[];
  hiddenWords: string[];
}

/** A room as stored. */
export interface Room {
  roomId: string;
  accountId: string;
  /** Id of the key whose account pays for the room. */
  keyId: string;
  name: string;
  wishes: RoomWishes;
  /** How long captions are kept, in ms; 0: captions are never written to disk. */
  keepMs: number;
  isPaused: boolean;
  /** Secret that signs the room's links, 64 hex digits. */
  linkSecret: string;
  createdAtMs: number;
}

/** Whether a change of access or passcode means that readers must be checked again. */
export function isClosedBy(
  { wishes: now }: Room,
  { wishes: before }: Pick<Room, 'wishes'>,
): boolean {
  return now.access !== before.access || now.passcode !== before.passcode;
}

/** A link that was handed out and not revoked. */
export interface RoomLink {
  linkId: string;
  role: RoomRole;
  label: string;
  expiresAtMs: number | null;
  createdAtMs: number;
}

/** Fields of a room that can change. */
export type RoomPatch = Partial<Pick<Room, 'name' | 'wishes' | 'keepMs' | 'isPaused' | 'keyId'>>;

export interface RoomStore extends CaptionStore {
  /** @returns false if the account already has `maxRooms` */
  create(room: Room, links: readonly RoomLink[], maxRooms: number): Promise<boolean>;
  /** Returns the rooms of an account, oldest first. */
  list(accountId: string): Promise<Room[]>;
  find(roomId: string): Promise<Room | undefined>;
  /** @returns undefined if the account has no such room */
  change(accountId: string, roomId: string, patch: RoomPatch): Promise<Room | undefined>;
  /** Deletes a room with its links and captions. */
  delete(accountId: string, roomId: string): Promise<boolean>;
  /** @returns false if the room already has `maxLinks` */
  addLink(roomId: string, link: RoomLink, maxLinks: number): Promise<boolean>;
  /** Returns the links of a room, oldest first. */
  links(roomId: string): Promise<RoomLink[]>;
  /** Returns the links of every room of an account, by room. */
  allLinks(accountId: string): Promise<Map<string, RoomLink[]>>;
  removeLink(roomId: string, linkId: string): Promise<boolean>;
}

interface RoomsTable {
  room_id: string;
  account_id: string;
  key_id: string;
  name: string;
  wishes: string;
  keep_ms: number;
  is_paused: number;
  link_secret: string;
  created_at_ms: number;
  deleted_up_to: Generated<number>;
  written_after: Generated<number>;
}

interface RoomLinksTable {
  room_id: string;
  link_id: string;
  role: RoomRole;
  label: string;
  expires_at_ms: number | null;
  created_at_ms: number;
}

declare module '../storage/database.ts' {
  interface Tables {
    rooms: RoomsTable;
    room_links: RoomLinksTable;
  }
}

export const roomStore = defineStore<RoomStore>({
  over: createRooms,
  reads: ['list', 'find', 'links', 'allLinks', 'latest', 'captions', 'caption'],
});

function createRooms(db: Database): RoomStore {
  return { ...createRoomRows(db), ...createLinkRows(db), ...createCaptionRows(db) };
}

function createRoomRows(
  db: Database,
): Pick<RoomStore, 'create' | 'list' | 'find' | 'change' | 'delete'> {
  const find = async (roomId: string) => {
    const row = await db
      .selectFrom('rooms')
      .selectAll()
      .where('room_id', '=', roomId)
      .executeTakeFirst();
    return row && toRoom(row);
  };
  return {
    async create(room, links, maxRooms) {
      await lockAccount(db, room.accountId);
      const own = db.selectFrom('rooms').where('account_id', '=', room.accountId);
      if ((await countOf(own)) >= maxRooms) return false;
      await db
        .insertInto('rooms')
        .values({
          room_id: room.roomId,
          account_id: room.accountId,
          key_id: room.keyId,
          name: room.name,
          wishes: JSON.stringify(room.wishes),
          keep_ms: room.keepMs,
          is_paused: Number(room.isPaused),
          link_secret: room.linkSecret,
          created_at_ms: room.createdAtMs,
        })
        .execute();
      for (const link of links) await insertLink(db, room.roomId, link);
      return true;
    },

    async list(accountId) {
      const rows = await db
        .selectFrom('rooms')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at_ms')
        .orderBy('room_id')
        .execute();
      return rows.map(toRoom);
    },

    find,

    async change(accountId, roomId, { name, wishes, keepMs, isPaused, keyId }) {
      const changed = {
        ...(name !== undefined && { name }),
        ...(wishes !== undefined && { wishes: JSON.stringify(wishes) }),
        ...(keepMs !== undefined && { keep_ms: keepMs }),
        ...(isPaused !== undefined && { is_paused: Number(isPaused) }),
        ...(keyId !== undefined && { key_id: keyId }),
      };
      if (Object.keys(changed).length > 0) {
        await db
          .updateTable('rooms')
          .set(changed)
          .where('account_id', '=', accountId)
          .where('room_id', '=', roomId)
          .execute();
      }
      const room = await find(roomId);
      return room?.accountId === accountId ? room : undefined;
    },

    async delete(accountId, roomId) {
      const { numDeletedRows } = await db
        .deleteFrom('rooms')
        .where('account_id', '=', accountId)
        .where('room_id', '=', roomId)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
}

function createLinkRows(
  db: Database,
): Pick<RoomStore, 'addLink' | 'links' | 'allLinks' | 'removeLink'> {
  return {
    async addLink(roomId, link, maxLinks) {
      const room = await db
        .selectFrom('rooms')
        .select('room_id')
        .where('room_id', '=', roomId)
        .$if(locksRows(db), (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      if (room === undefined) throw new ServiceError('not_found', 'There is no such room.');
      const links = db.selectFrom('room_links').where('room_id', '=', roomId);
      if ((await countOf(links)) >= maxLinks) return false;
      await insertLink(db, roomId, link);
      return true;
    },

    async links(roomId) {
      const rows = await db
        .selectFrom('room_links')
        .selectAll()
        .where('room_id', '=', roomId)
        .orderBy('created_at_ms')
        .orderBy('link_id')
        .execute();
      return rows.map(toLink);
    },

    async allLinks(accountId) {
      const rows = await db
        .selectFrom('room_links')
        .innerJoin('rooms', 'rooms.room_id', 'room_links.room_id')
        .selectAll('room_links')
        .where('rooms.account_id', '=', accountId)
        .orderBy('room_links.created_at_ms')
        .orderBy('room_links.link_id')
        .execute();
      const byRoom = new Map<string, RoomLink[]>();
      for (const row of rows) {
        byRoom.set(row.room_id, [...(byRoom.get(row.room_id) ?? []), toLink(row)]);
      }
      return byRoom;
    },

    async removeLink(roomId, linkId) {
      const { numDeletedRows } = await db
        .deleteFrom('room_links')
        .where('room_id', '=', roomId)
        .where('link_id', '=', linkId)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
}

async function insertLink(db: Database, roomId: string, link: RoomLink): Promise<void> {
  await db
    .insertInto('room_links')
    .values({
      room_id: roomId,
      link_id: link.linkId,
      role: link.role,
      label: link.label,
      expires_at_ms: link.expiresAtMs,
      created_at_ms: link.createdAtMs,
    })
    .execute();
}

function toRoom(row: Selectable<RoomsTable>): Room {
  return {
    roomId: row.room_id,
    accountId: row.account_id,
    keyId: row.key_id,
    name: row.name,
    wishes: JSON.parse(row.wishes) as RoomWishes,
    keepMs: row.keep_ms,
    isPaused: row.is_paused !== 0,
    linkSecret: row.link_secret,
    createdAtMs: row.created_at_ms,
  };
}

function toLink(row: RoomLinksTable): RoomLink {
  return {
    linkId: row.link_id,
    role: row.role,
    label: row.label,
    expiresAtMs: row.expires_at_ms,
    createdAtMs: row.created_at_ms,
  };
}
