/** English wording of the speaker and captioner pages, and the shape of the wording in every language. */
import type { VoiceErrorCode, VoiceState } from '../../events.ts';
import type { StateLabel } from '../../labels.ts';

/** Plural forms of a language; `{n}` stands for the number. */
export type Counted = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Voice states with wording of their own; the others are never shown this way. */
type ShownVoiceState = Exclude<VoiceState, 'idle' | 'live' | 'stopping' | 'ended'>;

export interface DeskWords {
  /** Name of the user's role on each page. */
  roles: { speaker: string; captioner: string };
  /** Precedes the state of the room, for screen readers. */
  room: string;
  roomStates: { waiting: string; live: string; paused: string };
  loading: string;
  tryAgain: string;
  noConnection: string;
  didNotWork: string;
  unreachable: string;
  wentWrong: string;
  /** What the server's refusals mean, by their status; other than in English, its own messages are not shown. */
  failures: { refused: string; missing: string; tooMany: string; usedUp: string; unable: string };
  /** Follows the reason why the page is not up to date. */
  outOfDate: string;
  gone: StateLabel;
  refused: StateLabel;
  speaker: {
    yourMicrophone: string;
    level: string;
    check: string;
    endCheck: string;
    pauseOwed: string;
    inTime: string;
    /** `{n}` stands for seconds. */
    behind: string;
    readingAlong: string;
    asSpoken: string;
    offered: string;
    notRead: string;
    nobodyReads: string;
    readers: Counted;
    settings: string;
    microphone: string;
    browserChoice: string;
    othersLater: string;
    youSpeak: string;
    captions: string;
    calmness: { instant: StateLabel; balanced: StateLabel; settled: StateLabel };
    start: string;
    pause: string;
    goOn: string;
    takeOver: string;
    cancel: string;
    pausing: string;
    finishing: string;
    lastWords: string;
    ready: StateLabel;
    live: string;
    paused: StateLabel;
    /** Replaces the hint if another speaker had the floor. */
    pausedByOther: string;
    taken: StateLabel;
    takenOver: StateLabel;
    /** The room was paused from elsewhere. */
    unread: StateLabel;
    states: Record<ShownVoiceState, StateLabel>;
    errors: Partial<Record<VoiceErrorCode, string>>;
    /** Wording of the caption element on the page. */
    heard: { region: string; announcements: string; original: string; empty: string };
  };
  audience: {
    heading: string;
    noLink: string;
    showLarge: string;
    copy: string;
    copied: string;
    fullScreen: string;
    close: string;
    readAlong: string;
    code: string;
    passcode: string;
  };
  captioner: {
    captions: string;
    youWrite: string;
    whatIsSaid: string;
    /** Each text follows the name of a key. */
    keys: { sends: string; undoes: string; editsLast: string };
    connecting: string;
    reconnecting: string;
    offline: string;
    full: string;
    lines: string;
    nothingYet: string;
    /** `{time}` stands for the time of the line. */
    lineOf: string;
    lineByHand: string;
    byHand: string;
    notTranslated: string;
    sending: string;
    /** `{text}` stands for the text of the line. */
    meanwhile: string;
    emptied: string;
    changed: string;
    heardAs: string;
    /** `{reason}` stands for the cause. */
    notSent: string;
    /** `{n}` stands for the limit. */
    tooLong: string;
    discard: string;
    beingHeard: string;
    /** `{language}` stands for the language's name in itself. */
    newLine: string;
    newLineSpoken: string;
    send: string;
    whatWasSaid: string;
  };
}

export const deskWords: DeskWords = {
  roles: { speaker: 'Speaker', captioner: 'Captioner' },
  room: 'Room:',
  roomStates: { waiting: 'Waiting', live: 'Live', paused: 'Paused' },
  loading: 'Loading…',
  tryAgain: 'Try again',
  noConnection: 'No connection to the server',
  didNotWork: 'That did not work',
  unreachable: 'The server cannot be reached.',
  wentWrong: 'Something went wrong.',
  failures: {
    refused: 'The server does not allow this. Ask whoever made the room.',
    missing: 'This is not there any more.',
    tooMany: 'Too much at once. Try again in a moment.',
    usedUp: 'The allowance is used up. Ask whoever made the room.',
    unable: 'The server cannot do this right now. Try again in a moment.',
  },
  outOfDate: 'What you see may be out of date.',
  gone: {
    title: 'There is no such room',
    hint: 'It may have been deleted. Ask whoever gave you the link.',
  },
  refused: {
    title: 'This link does not work any more',
    hint: 'It has expired, or was revoked. Ask for a new one.',
  },
  speaker: {
    yourMicrophone: 'Your microphone',
    level: 'Level of the microphone',
    check: 'Check the microphone',
    endCheck: 'End the check',
    pauseOwed: 'The room does not know yet that you pause. It is tried again.',
    inTime: 'In time',
    behind: '{n} s behind',
    readingAlong: 'Reading along',
    asSpoken: 'as spoken',
    offered: 'Offered:',
    notRead: 'Not read at the moment:',
    nobodyReads: 'Nobody reads along yet.',
    readers: { one: '{n} person reads along.', other: '{n} people read along.' },
    settings: 'Settings',
    microphone: 'Microphone',
    browserChoice: 'Choice of the browser',
    othersLater: 'Others are listed once you have allowed one.',
    youSpeak: 'You speak',
    captions: 'Captions',
    calmness: {
      instant: { title: 'At once', hint: 'Every word as it is heard; some change again.' },
      balanced: { title: 'Calm', hint: 'Words that are unlikely to change.' },
      settled: { title: 'Settled', hint: 'Only what cannot change any more; a little later.' },
    },
    start: 'Start speaking',
    pause: 'Pause',
    goOn: 'Go on',
    takeOver: 'Take over',
    cancel: 'Cancel',
    pausing: 'Pausing…',
    finishing: 'Finishing…',
    lastWords: 'The microphone is off; the last words are on their way.',
    ready: { title: 'Ready', hint: 'The microphone is off until you start.' },
    live: 'You are live',
    paused: {
      title: 'Paused',
      hint: 'Your microphone is off. Readers see that it goes on later.',
    },
    pausedByOther: 'Somebody else was speaking. If you go on, you take over from them.',
    taken: {
      title: 'Somebody else is speaking',
      hint: 'If you start, you take over from them.',
    },
    takenOver: {
      title: 'Somebody else has taken over',
      hint: 'Your microphone is off. You can take over again.',
    },
    unread: {
      title: 'The room was paused',
      hint: 'You are heard, but nobody reads what you say.',
    },
    states: {
      'requesting-microphone': {
        title: 'Waiting for the microphone',
        hint: 'Your browser asks whether this page may use it.',
      },
      connecting: { title: 'Connecting…', hint: 'You can speak already; nothing is lost.' },
      quiet: {
        title: 'No sound is coming from the microphone',
        hint: 'Is it muted, or is another one meant?',
      },
      reconnecting: { title: 'Reconnecting…', hint: 'The connection dropped. Keep speaking.' },
      offline: {
        title: 'The server cannot be reached',
        hint: 'Captions go on by themselves when it is back. Keep speaking.',
      },
      'microphone-denied': {
        title: 'The microphone is blocked',
        hint: 'Allow it in the site settings beside the address, then try again.',
      },
      'no-microphone': { title: 'No microphone was found', hint: 'Connect one, then try again.' },
      'insecure-context': {
        title: 'The microphone needs a secure page',
        hint: 'Open this page with https:// or on localhost.',
      },
      failed: {
        title: 'You are not heard any more',
        hint: 'Something went wrong. Please try again.',
      },
    },
    errors: {
      'microphone-withheld':
        'The page around this one keeps it back. Please open this page by itself.',
      'microphone-busy': 'Another program is using it. Close that program, then try again.',
      'microphone-lost': 'It was disconnected. Connect it again, then try again.',
      'worklet-unavailable': 'A part of this page could not be loaded. Please reload it.',
      'no-sound-device':
        'No sound device was found. Connect headphones or a loudspeaker, then try again.',
      'sound-blocked': 'The browser waits for a click on this page. Please try again.',
      unreachable: 'The server cannot be reached. Please try again.',
      'connection-lost': 'The connection was lost. Please try again.',
      'connection-refused':
        'This network may let no live connection through. Try another one, such as a phone’s.',
      'token-refused': 'The server did not start a session. Please try again.',
    },
    heard: {
      region: 'What is heard of you',
      announcements: 'Captions, sentence by sentence',
      original: 'spoken',
      empty: 'What is heard of you appears here.',
    },
  },
  audience: {
    heading: 'For your audience',
    noLink: 'No link for readers is good any more. Whoever made the room can make another one.',
    showLarge: 'Show large',
    copy: 'Copy link',
    copied: 'Copied',
    fullScreen: 'Full screen',
    close: 'Close',
    readAlong: 'Read along on your phone',
    code: 'QR code of the link for readers',
    passcode: 'Passcode',
  },
  captioner: {
    captions: 'Captions',
    youWrite: 'You write',
    whatIsSaid: 'What is said',
    keys: { sends: 'sends', undoes: 'undoes', editsLast: 'edits the last line' },
    connecting: 'Connecting…',
    reconnecting: 'Reconnecting… What you type is kept.',
    offline: 'The server cannot be reached. What you type is kept.',
    full: 'As many read along as may: new lines come as soon as there is room.',
    lines: 'Lines',
    nothingYet:
      'Nothing has been said yet. Lines appear here as they are heard; you can correct them, and type your own below.',
    lineOf: 'Line of {time}',
    lineByHand: 'Line of {time}, by hand',
    byHand: 'by hand',
    notTranslated: 'Not translated yet',
    sending: 'Sending…',
    meanwhile: 'It has become “{text}” meanwhile. Enter sends yours, Esc takes that.',
    emptied: 'Enter takes this line away, Esc keeps it.',
    changed: 'Not sent: Enter sends, Esc undoes.',
    heardAs: 'Heard as “{text}”',
    notSent: 'Not sent: {reason}',
    tooLong: 'A line has {n} characters at most.',
    discard: 'Discard',
    beingHeard: 'Being heard:',
    newLine: 'New line in {language}',
    newLineSpoken: 'New line in what is said',
    send: 'Send',
    whatWasSaid: 'What was said',
  },
};
