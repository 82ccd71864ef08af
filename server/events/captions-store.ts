/** What was said in rooms that keep it. */
import type { LanguageTag } from '../../shared/language.ts';
import { type Database, locksRows } from '../storage/database.ts';

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

export interface CaptionStore {
  /** Nothing is written for a room that is gone, or keeps nothing, nor what was deleted. */
  append(track: CaptionTrack, captions: readonly Caption[]): Promise<void>;
  /** What there is of the last lines, in its order; at most `limit`. */
  latest(track: CaptionTrack, limit: number): Promise<LatestCaptions>;
  /** What came after a sequence, in its order; the first `limit` of it. */
  captions(track: CaptionTrack, after: number, limit: number): Promise<Caption[]>;
  /** What came last in the place of a line. */
  caption(track: CaptionTrack, line: number): Promise<Caption | undefined>;
  /**
   * Deletes what was said in a room.
   *
   * @param upTo what was said up to this sequence is not written any more; 0: it may still be shown
   * @param toldUpTo who was told something up to this sequence is to forget what was deleted
   */
  deleteCaptions(roomId: string, upTo: number, toldUpTo: number): Promise<void>;
  /** What was said in a room up to that sequence was deleted, and is to be shown to nobody; 0: nothing was. */
  forgottenUpTo(roomId: string): Promise<number>;
  /** Deletes what was said longer ago than its room keeps it. */
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
      // Other servers may share the database: what a room keeps is decided here, and now.
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
        // The answer to an earlier try may have been lost.
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
      // Waits for what is being written, also by a connection that was given up on.
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
      // The one is a moment later, the other may be of what was erased and can still be shown.
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
