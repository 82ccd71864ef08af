import type { LanguageTag } from '../shared/language.ts';
import type { ServerMessage, SourceSegment, TargetSegment } from '../shared/protocol/messages.ts';

/** Where the element is between two presses of its button. */
export type VoiceState =
  | 'idle'
  | 'requesting-microphone'
  | 'connecting'
  | 'live'
  /** Live, but nothing but digital silence has come for five seconds. */
  | 'quiet'
  | 'reconnecting'
  | 'offline'
  | 'stopping'
  | 'ended'
  | 'microphone-denied'
  | 'no-microphone'
  | 'insecure-context'
  | 'failed';

/** States of a session that runs, or is about to: the button stops it. */
export const activeStates: ReadonlySet<VoiceState> = new Set<VoiceState>([
  'requesting-microphone',
  'connecting',
  'live',
  'quiet',
  'reconnecting',
  'offline',
  'stopping',
]);

/** What becomes of translated speech. */
export type SpeechState =
  /** None was asked for. */
  | 'off'
  /** It will be heard as soon as there is some. */
  | 'ready'
  | 'playing'
  /** The browser waits for a tap before it makes sound. */
  | 'blocked'
  /** The browser cannot play it; captions go on. */
  | 'failed';

/** Names what went wrong, for code; the message is for people. */
export type VoiceErrorCode =
  | 'microphone-denied'
  /** The frame of the page may not use it. */
  | 'microphone-withheld'
  | 'microphone-missing'
  | 'microphone-busy'
  | 'microphone-lost'
  | 'insecure-context'
  | 'source-unreadable'
  /** The browser processes no sound, as Firefox does where there is no device to play it. */
  | 'no-sound-device'
  /** The browser processes no sound before somebody has clicked. */
  | 'sound-blocked'
  | 'worklet-unavailable'
  | 'token-refused'
  | 'unreachable'
  | 'connection-lost'
  /** There is a session, and no socket opens: the network, or the server's list of sites, keeps it out. */
  | 'connection-refused'
  | 'server-error'
  /** Other languages cannot be served: captions go on in those there were. */
  | 'update-refused';

/** `detail` of `vc-caption`: one update of one track, segments as the gateway sent them. */
export interface VoiceCaptionDetail {
  kind: 'source' | 'target';
  language: LanguageTag;
  concluded: readonly (SourceSegment | TargetSegment)[];
  tentative: readonly (SourceSegment | TargetSegment)[];
}

/** `detail` of `vc-speech`: the state of translated speech, and what is heard if anything is. */
export interface VoiceSpeechDetail {
  state: SpeechState;
  muted: boolean;
  language: LanguageTag;
  /** The segment that is being heard. */
  text?: string;
  /** How long what came last has to wait until it is heard, in ms. */
  lagMs: number;
}

/** `detail` of `vc-error`. */
export interface VoiceErrorDetail {
  code: VoiceErrorCode;
  /** For people. */
  message: string;
  /** `reason_code` of the gateway's `error` message, where it ended the session. */
  reasonCode: number | undefined;
}

/** Events of `<voice-captions>`; all bubble and cross shadow roots. */
export interface VoiceCaptionsEventMap {
  'vc-statechange': CustomEvent<{ state: VoiceState; previous: VoiceState }>;
  'vc-caption': CustomEvent<VoiceCaptionDetail>;
  /** Ten times a second while audio flows; `level` is the peak of that moment, 0 to 1. */
  'vc-level': CustomEvent<{ level: number }>;
  /** So much of what was said has not been heard yet, in ms; 0 once the gateway has caught up. */
  'vc-lag': CustomEvent<{ lagMs: number }>;
  /** Speech has changed its state, or another segment is heard. */
  'vc-speech': CustomEvent<VoiceSpeechDetail>;
  /** The browser keeps the speech back until `unlockAudio()` is called in a click. */
  'vc-autoplayblocked': CustomEvent<{ language: LanguageTag }>;
  'vc-error': CustomEvent<VoiceErrorDetail>;
  /** The session is over: stopped, its source at its end, or failed for good. */
  'vc-end': CustomEvent<{ reason: 'stopped' | 'source-ended' | 'failed' }>;
}

/** What a message says of a track; undefined when it says nothing. */
export function captionDetail(
  message: ServerMessage,
  sourceLanguage: LanguageTag,
): VoiceCaptionDetail | undefined {
  if (message.type === 'source_transcript_update') {
    const { concluded, tentative } = message;
    const language = (concluded.at(-1) ?? tentative.at(-1))?.language ?? sourceLanguage;
    return { kind: 'source', language, concluded, tentative };
  }
  if (message.type !== 'target_transcript_update') return undefined;
  const { language, concluded, tentative } = message;
  return { kind: 'target', language, concluded, tentative };
}

/** An event of {@link VoiceCaptionsEventMap}. */
export function voiceEvent<Name extends keyof VoiceCaptionsEventMap>(
  name: Name,
  detail: VoiceCaptionsEventMap[Name]['detail'],
): CustomEvent<VoiceCaptionsEventMap[Name]['detail']> {
  return new CustomEvent(name, { detail, bubbles: true, composed: true });
}

declare global {
  interface HTMLElementEventMap {
    'vc-statechange': VoiceCaptionsEventMap['vc-statechange'];
    'vc-caption': VoiceCaptionsEventMap['vc-caption'];
    'vc-level': VoiceCaptionsEventMap['vc-level'];
    'vc-lag': VoiceCaptionsEventMap['vc-lag'];
    'vc-speech': VoiceCaptionsEventMap['vc-speech'];
    'vc-autoplayblocked': VoiceCaptionsEventMap['vc-autoplayblocked'];
    'vc-error': VoiceCaptionsEventMap['vc-error'];
    'vc-end': VoiceCaptionsEventMap['vc-end'];
  }
}
