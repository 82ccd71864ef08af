/** What to say when there is no room on a disk. */
import { statfs } from 'node:fs/promises';

/** Less than this is none, in bytes: a database needs a few pages for next to nothing. */
const NO_ROOM_BYTES = 256 * 1024;

/** There is no room left; the message says where, and what to do. */
export class LackOfRoom extends Error {}

/** The lack of room for a folder; undefined when there is some. */
export async function lackOfRoom(folder: string): Promise<LackOfRoom | undefined> {
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined) return undefined;
  const freeBytes = disk.bavail * disk.bsize;
  if (freeBytes >= NO_ROOM_BYTES) return undefined;
  const freeKb = Math.floor(freeBytes / 1000);
  return new LackOfRoom(
    `There is no room left on the disk of ${folder} (${freeKb} kB are free). Make room and start again.`,
  );
}
