/** What a room is, in plain words. */
import { html, type TemplateResult } from 'lit';
import type { RoomAccess, RoomInfo, RoomRole } from '../../../shared/schemas/rooms.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, durationText, wholeNumber } from '../../page/numbers.ts';

/** The track of what is said itself. */
export const SPOKEN = 'spoken';

const HOUR_MS = 3_600_000;

/** `2 days`, `36 hours`, `30 min` */
export function hoursText(hours: number): string {
  if (!Number.isInteger(hours)) return durationText(hours * HOUR_MS);
  return hours >= 24 && hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour');
}

/** How long the transcript is kept. */
export function keepText({ keep_hours: hours }: Pick<RoomInfo, 'keep_hours'>): string {
  return hours === 0 ? 'Not at all' : hoursText(hours);
}

const accessTexts: Record<RoomAccess, string> = {
  everyone: 'Everyone',
  passcode: 'With a passcode',
  link: 'With a signed link',
};

/** Who may read. */
export function accessText({ access }: Pick<RoomInfo, 'access'>): string {
  return accessTexts[access as RoomAccess];
}

export const roleTexts: Record<RoomRole, string> = {
  viewer: 'Reader',
  captioner: 'Captioner',
  speaker: 'Speaker',
};

/** A language of a room, or what is said itself. */
export function trackText(track: string): string {
  return track === SPOKEN ? 'As spoken' : languageText(track);
}

/** What can be read of a room, in one order wherever it is listed: as spoken, then its languages. */
export function tracksOf({ languages }: Pick<RoomInfo, 'languages'>): string[] {
  return [SPOKEN, ...languages];
}

export function readerCount({ viewers }: Pick<RoomInfo, 'viewers'>): number {
  return Object.values(viewers).reduce((sum, count) => sum + count, 0);
}

/** `3 as spoken, 8 Spanish`, in an order that stays while they come and go; empty when nobody reads. */
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

/** Whether somebody speaks. */
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
