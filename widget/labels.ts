import { activeStates, type VoiceErrorCode, type VoiceState } from './events.ts';
import type { VoiceFailure } from './voice-failure.ts';

/** Wording of a state: a one-line title, and a hint about what to know or do. */
export interface StateLabel {
  title: string;
  hint: string;
}

/** Every visible or spoken word of the element, apart from captions. */
export interface Labels {
  /** Name of the whole element for screen readers. */
  region: string;
  /** Name of the live region for screen readers. */
  announcements: string;
  start: string;
  stop: string;
  cancel: string;
  stopping: string;
  tryAgain: string;
  smallerText: string;
  largerText: string;
  /** Labels of the button that mutes the speech and unmutes it. */
  mute: string;
  unmute: string;
  /** Label of the button that lets the browser play blocked speech. */
  tapToHear: string;
  /** Label of the speech button when the browser cannot play speech. */
  noSound: string;
  /** Hints about the speech, shown in place of the state's own hint. */
  speechHints: { blocked: string; failed: string; late: string; halfDuplex: string };
  /** Follows the name of the spoken language. */
  original: string;
  /** Placeholder before the first caption. */
  empty: string;
  states: Record<VoiceState, StateLabel>;
  /** Hints for failures that the state alone does not explain. */
  errors: Partial<Record<VoiceErrorCode, string>>;
}

/** Wording that a page overrides, in any part. State wording applies to every kind of source. */
export type LabelOverrides = Partial<Omit<Labels, 'states' | 'errors' | 'speechHints'>> & {
  speechHints?: Partial<Labels['speechHints']>;
  states?: StateOverrides;
  errors?: Labels['errors'];
};

type StateOverrides = Partial<Record<VoiceState, Partial<StateLabel>>>;

/** What the element listens to: a microphone, a stream, a file, or nothing. */
export type SourceKind = 'microphone' | 'stream' | 'file' | 'none';

/** Returns the kind of an element's `source`. */
export function sourceKind(source: 'none' | 'microphone' | MediaStream | Blob): SourceKind {
  if (typeof source === 'string') return source === 'none' ? 'none' : 'microphone';
  return source instanceof Blob ? 'file' : 'stream';
}

/** The English wording, for a microphone. */
const englishLabels: Labels = {
  region: 'Live captions',
  announcements: 'Captions, sentence by sentence',
  start: 'Start captions',
  stop: 'Stop',
  cancel: 'Cancel',
  stopping: 'Finishing…',
  tryAgain: 'Try again',
  smallerText: 'Smaller text',
  largerText: 'Larger text',
  mute: 'Mute',
  unmute: 'Unmute',
  tapToHear: 'Tap to hear',
  noSound: 'No sound',
  speechHints: {
    blocked: 'The browser waits for a tap before it plays the voice.',
    failed: 'The voice cannot be played here. Captions go on.',
    late: 'The voice is a little behind.',
    halfDuplex: 'Let the voice finish, then go on.',
  },
  original: 'spoken',
  empty: 'Captions appear here as you speak.',
  states: {
    idle: { title: 'Ready', hint: 'The microphone is off until you start.' },
    'requesting-microphone': {
      title: 'Waiting for the microphone',
      hint: 'Your browser asks whether this page may use it.',
    },
    connecting: { title: 'Connecting…', hint: 'You can speak already; nothing is lost.' },
    live: { title: 'Listening', hint: 'Speak at your own pace.' },
    quiet: {
      title: 'No sound is coming from the microphone',
      hint: 'Is it muted, or is another one meant?',
    },
    reconnecting: { title: 'Reconnecting…', hint: 'The connection dropped. Keep speaking.' },
    offline: {
      title: 'The server cannot be reached',
      hint: 'Captions continue as soon as the connection is back.',
    },
    stopping: { title: 'Finishing…', hint: 'The last words are on their way.' },
    ended: { title: 'Ended', hint: 'The microphone is off.' },
    'microphone-denied': {
      title: 'The microphone is blocked',
      hint: 'Allow it in the site settings beside the address, then try again.',
    },
    'no-microphone': {
      title: 'No microphone was found',
      hint: 'Connect one, then try again.',
    },
    'insecure-context': {
      title: 'The microphone needs a secure page',
      hint: 'Open this page with https:// or on localhost.',
    },
    failed: { title: 'Captions have stopped', hint: 'Something went wrong. Please try again.' },
  },
  errors: {
    'microphone-withheld':
      'The page around this one does not let it listen. Open this one by itself, or give its frame allow="microphone".',
    'microphone-busy': 'Another program is using it. Close that program, then try again.',
    'microphone-lost': 'It was disconnected. Connect it again, then try again.',
    'source-unreadable': 'This file holds no sound that the browser can play.',
    'worklet-unavailable': 'A part of this page, pcm-capture.worklet.js, could not be loaded.',
    'no-sound-device':
      'No sound device was found. Connect headphones or a loudspeaker, then try again.',
    'sound-blocked': 'The browser waits for a click on this page. Please try again.',
    unreachable: 'The server cannot be reached. Please try again.',
    'connection-lost': 'The connection was lost. Please try again.',
    'connection-refused':
      'The server takes no connection from here. This network may block it, or the site is not on the server’s list.',
    'token-refused': 'The server did not start a session. Please try again.',
    'update-refused': 'This change is not possible here. Captions go on as they were.',
  },
};

/** English wording that differs for sources other than a microphone. */
const englishSources: Record<
  Exclude<SourceKind, 'microphone'>,
  { empty: string; states: StateOverrides }
> = {
  stream: {
    empty: 'Captions appear here as people speak.',
    states: {
      idle: { hint: 'Nothing is heard until you start.' },
      connecting: { hint: 'Nothing is lost meanwhile.' },
      live: { hint: 'Captions appear as people speak.' },
      quiet: { title: 'No sound is coming in', hint: 'Is it muted where it comes from?' },
      reconnecting: { hint: 'The connection dropped. Nothing is lost meanwhile.' },
      ended: { hint: 'Nothing is heard any more.' },
      'no-microphone': { title: 'There is no sound to hear', hint: 'Start it, then try again.' },
      'insecure-context': { title: 'Sound needs a secure page' },
    },
  },
  file: {
    empty: 'Captions appear here as the recording plays.',
    states: {
      idle: { hint: 'Start to play the recording.' },
      connecting: { hint: 'The recording begins at once.' },
      live: { title: 'Listening to the recording', hint: 'Captions appear as it plays.' },
      reconnecting: { hint: 'The connection dropped. Nothing is lost meanwhile.' },
      ended: { hint: 'The recording is over.' },
      'insecure-context': { title: 'Sound needs a secure page' },
    },
  },
  none: {
    empty: 'Captions appear here as people speak.',
    states: {
      idle: { hint: 'Captions have not begun.' },
      connecting: { hint: 'Captions are about to begin.' },
      live: { title: 'Live', hint: 'Captions appear as people speak.' },
      reconnecting: { hint: 'The connection dropped. Captions go on by themselves.' },
      ended: { hint: 'These captions are over.' },
      failed: { hint: 'Something went wrong. Please reload the page.' },
    },
  },
};

/** Returns the English wording for a source, with the page's overrides applied. */
export function mergeLabels(overrides: LabelOverrides, source: SourceKind): Labels {
  const suited = source === 'microphone' ? undefined : englishSources[source];
  const states = { ...englishLabels.states };
  for (const words of [suited?.states, overrides.states]) {
    for (const [state, label] of Object.entries(words ?? {})) {
      states[state as VoiceState] = { ...states[state as VoiceState], ...label };
    }
  }
  const empty = suited?.empty ?? englishLabels.empty;
  const errors = { ...englishLabels.errors, ...overrides.errors };
  const speechHints = { ...englishLabels.speechHints, ...overrides.speechHints };
  return { ...englishLabels, empty, ...overrides, states, errors, speechHints };
}

/** Returns the wording of a state, with a hint about a failure or the speech where one applies. */
export function statusLabel({
  labels,
  state,
  failure,
  refusal,
  speech,
}: {
  labels: Labels;
  state: VoiceState;
  failure: VoiceFailure | undefined;
  /** Refusal of a change while the session goes on. */
  refusal: VoiceFailure | undefined;
  speech: keyof Labels['speechHints'] | undefined;
}): StateLabel {
  const label = labels.states[state];
  // Without the server's message: it addresses the page's author, and readers cannot act on it.
  if (state === 'live' && refusal !== undefined)
    return { ...label, hint: labels.errors[refusal.code] ?? label.hint };
  if (state === 'live' && speech !== undefined)
    return { ...label, hint: labels.speechHints[speech] };
  if (failure === undefined || activeStates.has(state)) return label;
  return { ...label, hint: failureHint(labels, failure) || label.hint };
}

/** Returns the server's own message if it sent one, because it says what to do. */
export function failureHint(labels: Labels, failure: VoiceFailure): string {
  return failure.message || labels.errors[failure.code] || '';
}
