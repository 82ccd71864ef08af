import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { RoomRole } from '../../shared/schemas/rooms.ts';
import { type Database, lockAccount, locksRows } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';

/** What a room was asked to be; kept as JSON. */
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

/** A room as it is kept. */
export interface Room {
  roomId: string;
  accountId: string;
  /** Of the key whose account pays for what is said in it. */
  keyId: string;
  name: string;
  wishes: RoomWishes;
  /** How long what was said is kept; 0: it is never written. */
  keepMs: number;
  isPaused: boolean;
  /** Links are signed with it, 64 hex digits. */
  linkSecret: string;
  createdAtMs: number;
}

/** A link that was given out and not revoked. */
export interface RoomLink {
  linkId: string;
  role: RoomRole;
  label: string;
  expiresAtMs: number | null;
  createdAtMs: number;
}

/** What a room can be read in: `spoken`, or one of its languages. */
export interface CaptionTrack {
  roomId: string;
  name: string;
}

/** A line that somebody said, or its translation; a later one with the same number replaces it. */
export interface Caption {
  /** Grows within a track, with gaps; later than all that came before a restart as well. */
  sequence: number;
  /** The same in all tracks. */
  line: number;
  /** The sequence of what was said, for a translation; null for what was said or typed itself. */
  renders: number | null;
  language: LanguageTag;
  /** Without blanks around it; empty: the line is taken away. */
  text: string;
  /** ms since the epoch. */
  startMs: number;
  endMs: number;
  author: 'machine' | 'person';
}

export interface LatestCaptions {
  captions: Caption[];
  /** What there is besides came up to this sequence; 0: nothing. */
  cutAt: number;
}

/** What of a room can change. */
export type RoomPatch = Partial<Pick<Room, 'name' | 'wishes' | 'keepMs' | 'isPaused' | 'keyId'>>;

export interface RoomStore {
  /** @returns false when the account has `maxRooms` already */
  create(room: Room, links: readonly RoomLink[], maxRooms: number): Promise<boolean>;
  /** Of an account, oldest first. */
  list(accountId: string): Promise<Room[]>;
  find(roomId: string): Promise<Room | undefined>;
  /** @returns undefined when the account has no such room */
  change(accountId: string, roomId: string, patch: RoomPatch): Promise<Room | undefined>;
  /** With its links and what was said. */
  delete(accountId: string, roomId: string): Promise<boolean>;
  /** @returns false when it has `maxLinks` already */
  addLink(roomId: string, link: RoomLink, maxLinks: number): Promise<boolean>;
  /** Oldest first. */
  links(roomId: string): Promise<RoomLink[]>;
  /** Of every room of an account, by room. */
  allLinks(accountId: string): Promise<Map<string, RoomLink[]>>;
  removeLink(roomId: string, linkId: string): Promise<boolean>;
  /** Nothing is written for a room that is gone, or keeps nothing. */
  append(track: CaptionTrack, captions: readonly Caption[]): Promise<void>;
  /** What there is of the last lines, in its order; at most `limit`. */
  latest(track: CaptionTrack, limit: number): Promise<LatestCaptions>;
  /** What came after a sequence, in its order; the first `limit` of it. */
  captions(track: CaptionTrack, after: number, limit: number): Promise<Caption[]>;
  /** What came last in the place of a line. */
  caption(track: CaptionTrack, line: number): Promise<Caption | undefined>;
  /** Deletes what was said in a room. */
  deleteCaptions(roomId: string): Promise<void>;
  /** Deletes what was said longer ago than its room keeps it. */
  deleteExpired(nowMs: number): Promise<void>;
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
}

interface RoomLinksTable {
  room_id: string;
  link_id: string;
  role: RoomRole;
  label: string;
  expires_at_ms: number | null;
  created_at_ms: number;
}

interface RoomCaptionsTable {
  room_id: string;
  track: string;
  sequence: number;
  line: number;
  renders: number | null;
  language: string;
  start_ms: number;
  end_ms: number;
  author: Caption['author'];
  text: string;
}

declare module '../storage/database.ts' {
  interface Tables {
    rooms: RoomsTable;
    room_links: RoomLinksTable;
    room_captions: RoomCaptionsTable;
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
      const { count } = await db
        .selectFrom('rooms')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', room.accountId)
        .executeTakeFirstOrThrow();
      if (count >= maxRooms) return false;
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
      const { count } = await db
        .selectFrom('room_links')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('room_id', '=', roomId)
        .executeTakeFirstOrThrow();
      if (count >= maxLinks) return false;
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

function createCaptionRows(
  db: Database,
): Pick<
  RoomStore,
  'append' | 'latest' | 'captions' | 'caption' | 'deleteCaptions' | 'deleteExpired'
> {
  const rowsOf = ({ roomId, name }: CaptionTrack) =>
    db
      .selectFrom('room_captions')
      .selectAll()
      .where('room_id', '=', roomId)
      .where('track', '=', name);
  return {
    async append({ roomId, name }, captions) {
      // Other servers may share the database: what a room keeps is decided here, and now.
      const keeping = await db
        .selectFrom('rooms')
        .select('room_id')
        .where('room_id', '=', roomId)
        .where('keep_ms', '>', 0)
        .$if(locksRows(db), (query) => query.forShare())
        .executeTakeFirst();
      if (keeping === undefined || captions.length === 0) return;
      await db
        .insertInto('room_captions')
        .values(
          captions.map((caption) => ({
            room_id: roomId,
            track: name,
            sequence: caption.sequence,
            line: caption.line,
            renders: caption.renders,
            language: caption.language,
            start_ms: caption.startMs,
            end_ms: caption.endMs,
            author: caption.author,
            text: caption.text,
          })),
        )
        // The answer to an earlier try may have been lost.
        .onConflict((conflict) => conflict.columns(['room_id', 'track', 'sequence']).doNothing())
        .execute();
    },

    async latest(track, limit) {
      const rows = await rowsOf(track)
        .orderBy('line', 'desc')
        .orderBy('sequence', 'desc')
        .limit(limit)
        .execute();
      const captions = rows.map(toCaption).sort((a, b) => a.sequence - b.sequence);
      const oldest = rows.length < limit ? undefined : rows.at(-1);
      if (oldest === undefined) return { captions, cutAt: 0 };
      const others = await db
        .selectFrom('room_captions')
        .select(({ fn }) => fn.max('sequence').as('cut_at'))
        .where('room_id', '=', track.roomId)
        .where('track', '=', track.name)
        .where((row) =>
          row.or([
            row('line', '<', oldest.line),
            row.and([row('line', '=', oldest.line), row('sequence', '<', oldest.sequence)]),
          ]),
        )
        .executeTakeFirst();
      return { captions, cutAt: others?.cut_at ?? 0 };
    },

    async captions(track, after, limit) {
      const rows = await rowsOf(track)
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(limit)
        .execute();
      return rows.map(toCaption);
    },

    async caption(track, line) {
      const row = await rowsOf(track)
        .where('line', '=', line)
        .orderBy('sequence', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toCaption(row);
    },

    async deleteCaptions(roomId) {
      // What is being written, also by a server that was given up on, is written before.
      await db
        .selectFrom('rooms')
        .select('room_id')
        .where('room_id', '=', roomId)
        .$if(locksRows(db), (query) => query.forUpdate())
        .executeTakeFirst();
      await db.deleteFrom('room_captions').where('room_id', '=', roomId).execute();
    },

    async deleteExpired(nowMs) {
      await db
        .deleteFrom('room_captions')
        .where((expression) =>
          expression(
            'end_ms',
            '<',
            expression
              .selectFrom('rooms')
              .whereRef('rooms.room_id', '=', 'room_captions.room_id')
              .select((room) => room(room.val(nowMs), '-', room.ref('keep_ms')).as('since')),
          ),
        )
        .execute();
    },
  };
}

function toCaption(row: RoomCaptionsTable): Caption {
  return {
    sequence: row.sequence,
    line: row.line,
    renders: row.renders,
    language: row.language,
    startMs: row.start_ms,
    endMs: row.end_ms,
    author: row.author,
    text: row.text,
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

function toRoom(row: RoomsTable): Room {
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
