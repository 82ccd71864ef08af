import type { RoomLine, RoomMessageOf } from '../shared/protocol/room-messages.ts';
import type { RoomEntrance } from '../shared/schemas/rooms.ts';
import type { RoomCaptionsState } from './room-words.ts';

/** What is known of the room that is read. */
export type RoomDetail = Omit<RoomMessageOf<'room'>, 'type'>;

/** `detail` of `rc-caption`. */
export interface RoomCaptionDetail {
  /** `spoken`, or the language that is read. */
  language: string;
  /** Lines that came, also corrections and late translations; empty text takes a line away. */
  lines: readonly RoomLine[];
  /** Those of them that follow all lines before. */
  added: readonly RoomLine[];
  tentative: string;
}

/** Events of `<room-captions>`; all bubble and cross shadow roots. */
export interface RoomCaptionsEventMap {
  'rc-statechange': CustomEvent<{ state: RoomCaptionsState; previous: RoomCaptionsState }>;
  /** The room, whenever something of it changes. */
  'rc-room': CustomEvent<RoomDetail>;
  /** What may be known before it is read: a language can be chosen now. */
  'rc-entrance': CustomEvent<RoomEntrance>;
  'rc-caption': CustomEvent<RoomCaptionDetail>;
  /** The track that is read is another one than was asked for: the room does not have that. */
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
