/** The words of captions of rooms, and what there must be in other languages. */
/** What the element is doing, for code and for words. */
export const roomStates = [
  'idle',
  'connecting',
  'waiting',
  'live',
  'paused',
  'reconnecting',
  'offline',
  'full',
  'locked',
  'refused',
  'gone',
] as const;
export type RoomCaptionsState = (typeof roomStates)[number];

/** What is said about a state: one line, and what to know or do. */
export interface RoomStateWords {
  title: string;
  hint: string;
}

export interface RoomWords {
  /** Name of the whole element for screen readers. */
  region: string;
  /** Name of the live region for screen readers. */
  announcements: string;
  jump: string;
  /** Of a line that somebody typed or corrected. */
  byPerson: string;
  states: Record<RoomCaptionsState, RoomStateWords>;
}

export const roomWords: RoomWords = {
  region: 'Live captions',
  announcements: 'Captions, sentence by sentence',
  jump: 'Jump to now',
  byPerson: 'Typed or corrected by a person',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Connecting…', hint: '' },
    waiting: {
      title: 'Nobody is speaking yet',
      hint: 'Captions appear here as soon as somebody does.',
    },
    live: { title: 'Listening', hint: 'The first words are on their way.' },
    paused: { title: 'Paused', hint: 'Captions go on when the speaker does.' },
    reconnecting: { title: 'Reconnecting…', hint: 'Nothing is lost meanwhile.' },
    offline: { title: 'No connection', hint: 'Captions go on by themselves when it is back.' },
    full: { title: 'The room is full', hint: 'It is tried again by itself.' },
    locked: { title: 'This room has a passcode', hint: 'The organisers can tell you.' },
    refused: {
      title: 'This link does not work any more',
      hint: 'Please ask the organisers for a new one.',
    },
    gone: {
      title: 'There is no such room',
      hint: 'It was closed, or the address is incomplete.',
    },
  },
};
