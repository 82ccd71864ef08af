/** Descriptions of a room's properties. */
import { html, type TemplateResult } from 'lit';
import type { RoomAccess, RoomInfo, RoomRole } from '../../../shared/schemas/rooms.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, durationText, wholeNumber } from '../../page/numbers.ts';

/** Name of the untranslated track. */
const SPOKEN = 'spoken';

const HOUR_MS = 3_600_000;

/** `2 days`, `36 hours`, `30 min` */
export function hoursText(hours: number): string {
  if (!Number.isInteger(hours)) return durationText(hours * HOUR_MS);
  return hours >= 24 && hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour');
}

/** Returns how long the transcript is kept. */
export function keepText({ keep_hours: hours }: Pick<RoomInfo, 'keep_hours'>): string {
  return hours === 0 ? 'Not at all' : hoursText(hours);
}

const accessTexts: Record<RoomAccess, string> = {
  everyone: 'Everyone',
  passcode: 'With a passcode',
  link: 'With a signed link',
};

/** Returns the readers a room admits. */
export function accessText({ access }: Pick<RoomInfo, 'access'>): string {
  return accessTexts[access as RoomAccess];
}

export const roleTexts: Record<RoomRole, string> = {
  viewer: 'Reader',
  captioner: 'Captioner',
  speaker: 'Speaker',
};

/** Returns the name of a track: a language, or the untranslated one. */
export function trackText(track: string): string {
  return track === SPOKEN ? 'As spoken' : languageText(track);
}

/** Returns a room's tracks in the order used everywhere: the untranslated one, then its languages. */
export function tracksOf({ languages }: Pick<RoomInfo, 'languages'>): string[] {
  return [SPOKEN, ...languages];
}

export function readerCount({ viewers }: Pick<RoomInfo, 'viewers'>): number {
  return Object.values(viewers).reduce((sum, count) => sum + count, 0);
}

/** Returns `3 as spoken, 8 Spanish`, in a stable order; empty without readers. */
export function readersText(room: Pick<RoomInfo, 'languages' | 'viewers'>): string {
  return tracksOf(room)
    .map((track) => ({ track, count: room.viewers[track] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(
      ({ track, count }) =>
        `${wholeNumber(count)} ${track === SPOKEN ? 'as spoken' : languageText(track)}`,
    )
    .join(', ');
}

/** Returns the badge for a room's state. */
export function stateBadge({ state }: Pick<RoomInfo, 'state'>): TemplateResult {
  switch (state) {
    case 'live':
      return html`<span class="badge good">Live</span>`;
    case 'paused':
      return html`<span class="badge warn">Paused</span>`;
    default:
      return html`<span class="badge" title="Nobody speaks.">Waiting</span>`;
  }
}
