import type { RoomLine, RoomMessageOf } from '../shared/protocol/room-messages.ts';
import type { RoomEntrance } from '../shared/schemas/rooms.ts';
import type { RoomCaptionsState } from './room-words.ts';

/** The room as its readers know it. */
export type RoomDetail = Omit<RoomMessageOf<'room'>, 'type'>;

/** `detail` of `rc-caption`. */
export interface RoomCaptionDetail {
  /** The track that is read: `spoken`, or a language. */
  language: string;
  /** Lines that arrived, including corrections and late translations; empty text removes a line. */
  lines: readonly RoomLine[];
  /** The subset of `lines` that follows every earlier line. */
  added: readonly RoomLine[];
  tentative: string;
}

/** Events of `<room-captions>`; all bubble and cross shadow roots. */
export interface RoomCaptionsEventMap {
  'rc-statechange': CustomEvent<{ state: RoomCaptionsState; previous: RoomCaptionsState }>;
  /** Fires whenever the room changes. */
  'rc-room': CustomEvent<RoomDetail>;
  /** What is public before the room is read. A language can be chosen at this point. */
  'rc-entrance': CustomEvent<RoomEntrance>;
  'rc-caption': CustomEvent<RoomCaptionDetail>;
  /** The room does not have the requested language, so another track is read. */
  'rc-language': CustomEvent<{ language: string }>;
  /** Whether the newest words are in view. */
  'rc-scroll': CustomEvent<{ isAtEnd: boolean }>;
}

/** An event of {@link RoomCaptionsEventMap}. */
export function roomEvent<Name extends keyof RoomCaptionsEventMap>(
  name: Name,
  detail: RoomCaptionsEventMap[Name]['detail'],
): CustomEvent<RoomCaptionsEventMap[Name]['detail']> {
  return new CustomEvent(name, { detail, bubbles: true, composed: true });
}

declare global {
  interface HTMLElementEventMap {
    'rc-statechange': RoomCaptionsEventMap['rc-statechange'];
    'rc-room': RoomCaptionsEventMap['rc-room'];
    'rc-entrance': RoomCaptionsEventMap['rc-entrance'];
    'rc-caption': RoomCaptionsEventMap['rc-caption'];
    'rc-language': RoomCaptionsEventMap['rc-language'];
    'rc-scroll': RoomCaptionsEventMap['rc-scroll'];
  }
}
