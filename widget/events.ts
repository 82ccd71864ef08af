import type { LanguageTag } from '../shared/language.ts';
import type { ServerMessage, SourceSegment, TargetSegment } from '../shared/protocol/messages.ts';

/** State of the element between two presses of its button. */
export type VoiceState =
  | 'idle'
  | 'requesting-microphone'
  | 'connecting'
  | 'live'
  /** Live, but nothing but digital silence has arrived for five seconds. */
  | 'quiet'
  | 'reconnecting'
  | 'offline'
  | 'stopping'
  | 'ended'
  | 'microphone-denied'
  | 'no-microphone'
  | 'insecure-context'
  | 'failed';

/** States of a session that runs or is about to: the button stops it. */
export const activeStates: ReadonlySet<VoiceState> = new Set<VoiceState>([
  'requesting-microphone',
  'connecting',
  'live',
  'quiet',
  'reconnecting',
  'offline',
  'stopping',
]);

/** State of translated speech. */
export type SpeechState =
  /** No speech was requested. */
  | 'off'
  /** Speech will play as soon as it arrives. */
  | 'ready'
  | 'playing'
  /** The browser waits for a tap before it plays sound. */
  | 'blocked'
  /** The browser cannot play speech; captions go on. */
  | 'failed';

/** Error code for programs; the message is for the user. */
export type VoiceErrorCode =
  | 'microphone-denied'
  /** The page's frame may not use the microphone. */
  | 'microphone-withheld'
  | 'microphone-missing'
  | 'microphone-busy'
  | 'microphone-lost'
  | 'insecure-context'
  | 'source-unreadable'
  /** The browser does not process audio, as Firefox without an output device. */
  | 'no-sound-device'
  /** The browser does not process audio before the first click. */
  | 'sound-blocked'
  | 'worklet-unavailable'
  | 'token-refused'
  | 'unreachable'
  | 'connection-lost'
  /** The session exists but no socket opens: the network or the server's list of origins blocks it. */
  | 'connection-refused'
  | 'server-error'
  /** The requested languages cannot be served; captions go on in the previous ones. */
  | 'update-refused';

/** `detail` of `vc-caption`: one update of one track, segments as the gateway sent them. */
export interface VoiceCaptionDetail {
  kind: 'source' | 'target';
  language: LanguageTag;
  concluded: readonly (SourceSegment | TargetSegment)[];
  tentative: readonly (SourceSegment | TargetSegment)[];
}

/** `detail` of `vc-speech`: the state of translated speech, and the segment that is playing, if any. */
export interface VoiceSpeechDetail {
  state: SpeechState;
  muted: boolean;
  language: LanguageTag;
  /** Text of the segment that is playing. */
  text?: string;
  /** Time until the newest segment is heard, in ms. */
  lagMs: number;
}

/** `detail` of `vc-error`. */
export interface VoiceErrorDetail {
  code: VoiceErrorCode;
  /** Message for the user. */
  message: string;
  /** `reason_code` of the gateway's `error` message, if that ended the session. */
  reasonCode: number | undefined;
}

/** Events of `<voice-captions>`; all bubble and cross shadow roots. */
export interface VoiceCaptionsEventMap {
  'vc-statechange': CustomEvent<{ state: VoiceState; previous: VoiceState }>;
  'vc-caption': CustomEvent<VoiceCaptionDetail>;
  /** Fires ten times a second while audio flows; `level` is the peak of that interval, 0 to 1. */
  'vc-level': CustomEvent<{ level: number }>;
  /** Length of the speech that the gateway has not processed yet, in ms; 0 once it has caught up. */
  'vc-lag': CustomEvent<{ lagMs: number }>;
  /** The state of speech changed, or another segment is playing. */
  'vc-speech': CustomEvent<VoiceSpeechDetail>;
  /** The browser blocks the speech until `unlockAudio()` is called in a click. */
  'vc-autoplayblocked': CustomEvent<{ language: LanguageTag }>;
  'vc-error': CustomEvent<VoiceErrorDetail>;
  /** The session is over: stopped, its source ended, or failed for good. */
  'vc-end': CustomEvent<{ reason: 'stopped' | 'source-ended' | 'failed' }>;
}

/** Returns the caption detail of a message; undefined if the message carries none. */
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

/** Creates an event of {@link VoiceCaptionsEventMap}. */
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
