/** Stores the captions of rooms that keep them. */
import type { LanguageTag } from '../../shared/language.ts';
import { type Database, locksRows } from '../storage/database.ts';

/** A readable track of a room: `spoken`, or one of its languages. */
export interface CaptionTrack {
  roomId: string;
  name: string;
}

/** A spoken line or its translation. A later caption with the same line number replaces an earlier one. */
export interface Caption {
  /** Increases within a track, with gaps, also across restarts. */
  sequence: number;
  /** Line number, the same in all tracks. */
  line: number;
  /** Sequence of the spoken caption that a translation renders; null for a caption spoken or typed itself. */
  renders: number | null;
  language: LanguageTag;
  /** Trimmed; empty text removes the line. */
  text: string;
  /** ms since the epoch. */
  startMs: number;
  endMs: number;
  author: 'machine' | 'person';
}

export interface LatestCaptions {
  captions: Caption[];
  /** Sequence up to which earlier captions were left out; 0: none were. */
  cutAt: number;
}

export interface CaptionStore {
  /** Stores captions, except for a deleted room, a room that keeps nothing, or captions already deleted. */
  append(track: CaptionTrack, captions: readonly Caption[]): Promise<void>;
  /** Returns the captions of the last lines in order, at most `limit`. */
  latest(track: CaptionTrack, limit: number): Promise<LatestCaptions>;
  /** Returns the first `limit` captions after a sequence, in order. */
  captions(track: CaptionTrack, after: number, limit: number): Promise<Caption[]>;
  /** Returns the newest caption of a line. */
  caption(track: CaptionTrack, line: number): Promise<Caption | undefined>;
  /**
   * Deletes all captions of a room.
   *
   * @param upTo captions up to this sequence are not written any more; 0: they may still be shown
   * @param toldUpTo readers whose last caption is at or before this sequence must discard what was deleted
   */
  deleteCaptions(roomId: string, upTo: number, toldUpTo: number): Promise<void>;
  /** Returns the sequence up to which captions were deleted and must not be shown; 0: none were. */
  forgottenUpTo(roomId: string): Promise<number>;
  /** Deletes captions older than their room keeps them. */
  deleteExpired(nowMs: number): Promise<void>;
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
    room_captions: RoomCaptionsTable;
  }
}

export function createCaptionRows(db: Database): CaptionStore {
  return { ...createWriting(db), ...createDeleting(db), ...createReading(db) };
}

function createWriting(db: Database): Pick<CaptionStore, 'append'> {
  return {
    async append(track, captions) {
      // Other servers may share the database, so whether the room keeps captions is decided here, at write
      // time.
      const keeping = await db
        .selectFrom('rooms')
        .select('written_after')
        .where('room_id', '=', track.roomId)
        .where('keep_ms', '>', 0)
        .$if(locksRows(db), (query) => query.forShare())
        .executeTakeFirst();
      if (keeping === undefined) return;
      const { written_after: after } = keeping;
      const wanted = captions.filter(({ renders, sequence }) => (renders ?? sequence) > after);
      if (wanted.length === 0) return;
      await db
        .insertInto('room_captions')
        .values(wanted.map((caption) => toRow(track, caption)))
        // A retry repeats rows if the answer to the first attempt was lost.
        .onConflict((conflict) => conflict.columns(['room_id', 'track', 'sequence']).doNothing())
        .execute();
    },
  };
}

function createDeleting(
  db: Database,
): Pick<CaptionStore, 'deleteCaptions' | 'forgottenUpTo' | 'deleteExpired'> {
  return {
    async deleteCaptions(roomId, upTo, toldUpTo) {
      // This update waits for concurrent writes of the room, also those of an abandoned connection.
      await db
        .updateTable('rooms')
        .set((room) => {
          const atLeast = (column: 'deleted_up_to' | 'written_after', least: number) =>
            room.case().when(column, '<', least).then(least).else(room.ref(column)).end();
          return {
            deleted_up_to: atLeast('deleted_up_to', toldUpTo),
            written_after: atLeast('written_after', upTo),
          };
        })
        .where('room_id', '=', roomId)
        .execute();
      await db.deleteFrom('room_captions').where('room_id', '=', roomId).execute();
    },

    async forgottenUpTo(roomId) {
      const room = await db
        .selectFrom('rooms')
        .select(['deleted_up_to', 'written_after'])
        .where('room_id', '=', roomId)
        .executeTakeFirst();
      // `deleted_up_to` is slightly later than the deletion; `written_after` also covers erased captions that
      // may still be shown.
      return room === undefined ? 0 : Math.min(room.deleted_up_to, room.written_after);
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

function createReading(db: Database): Pick<CaptionStore, 'latest' | 'captions' | 'caption'> {
  const rowsOf = ({ roomId, name }: CaptionTrack) =>
    db
      .selectFrom('room_captions')
      .selectAll()
      .where('room_id', '=', roomId)
      .where('track', '=', name);
  return {
    async latest(track, limit) {
      const rows = await rowsOf(track)
        .orderBy('line', 'desc')
        .orderBy('sequence', 'desc')
        .limit(limit)
        .execute();
      const captions = rows.map(toCaption).sort((a, b) => a.sequence - b.sequence);
      const room = await db
        .selectFrom('rooms')
        .select('deleted_up_to')
        .where('room_id', '=', track.roomId)
        .executeTakeFirst();
      const deletedUpTo = room?.deleted_up_to ?? 0;
      const oldest = rows.length < limit ? undefined : rows.at(-1);
      if (oldest === undefined) return { captions, cutAt: deletedUpTo };
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
      return { captions, cutAt: Math.max(deletedUpTo, others?.cut_at ?? 0) };
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
  };
}

function toRow({ roomId, name }: CaptionTrack, caption: Caption): RoomCaptionsTable {
  return {
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
