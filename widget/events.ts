import type { LanguageTag } from '../shared/language.ts';
import type { SourceSegment, TargetSegment } from '../shared/protocol/messages.ts';

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

/** Names what went wrong, for code; the message is for people. */
export type VoiceErrorCode =
  | 'microphone-denied'
  | 'microphone-missing'
  | 'microphone-busy'
  | 'microphone-lost'
  | 'insecure-context'
  | 'source-unreadable'
  | 'worklet-unavailable'
  | 'token-refused'
  | 'unreachable'
  | 'connection-lost'
  | 'server-error';

/** `detail` of `vc-caption`: one update of one track, segments as the gateway sent them. */
export interface VoiceCaptionDetail {
  kind: 'source' | 'target';
  language: LanguageTag;
  concluded: readonly (SourceSegment | TargetSegment)[];
  tentative: readonly (SourceSegment | TargetSegment)[];
}

/** Events of `<voice-captions>`; all bubble and cross shadow roots. */
export interface VoiceCaptionsEventMap {
  'vc-statechange': CustomEvent<{ state: VoiceState; previous: VoiceState }>;
  'vc-caption': CustomEvent<VoiceCaptionDetail>;
  /** Ten times a second while audio flows; `level` is the peak of that moment, 0 to 1. */
  'vc-level': CustomEvent<{ level: number }>;
  'vc-error': CustomEvent<{ code: VoiceErrorCode; message: string }>;
  /** The session is over: stopped, its source at its end, or failed for good. */
  'vc-end': CustomEvent<{ reason: 'stopped' | 'source-ended' | 'failed' }>;
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
    'vc-error': VoiceCaptionsEventMap['vc-error'];
    'vc-end': VoiceCaptionsEventMap['vc-end'];
  }
}
