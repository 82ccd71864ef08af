import type { VoiceState } from '../events.ts';
import type { Labels, StateLabel } from '../labels.ts';
import type { VoiceFailure } from '../voice-failure.ts';
import { activeStates } from './toolbar.ts';

/** What is said about a state, with what is to be known about a failure or the speech. */
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
  /** Of a change, while everything goes on. */
  refusal: VoiceFailure | undefined;
  speech: keyof Labels['speechHints'] | undefined;
}): StateLabel {
  const label = labels.states[state];
  // Without the server's words: they are for the page, and readers can do nothing about them.
  if (state === 'live' && refusal !== undefined)
    return { ...label, hint: labels.errors[refusal.code] ?? label.hint };
  if (state === 'live' && speech !== undefined)
    return { ...label, hint: labels.speechHints[speech] };
  if (failure === undefined || activeStates.has(state)) return label;
  return { ...label, hint: failureHint(labels, failure) || label.hint };
}

/** The server's own words where it has some; they say what to do. */
export function failureHint(labels: Labels, failure: VoiceFailure): string {
  return failure.message || labels.errors[failure.code] || '';
}
