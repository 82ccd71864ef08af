import type { VoiceState } from '../events.ts';
import type { Labels, StateLabel } from '../labels.ts';
import type { VoiceFailure } from '../voice-failure.ts';
import { activeStates } from './toolbar.ts';

/** What is said about a state, with what is to be known about a failure or the speech. */
export function statusLabel({
  labels,
  state,
  failure,
  speech,
}: {
  labels: Labels;
  state: VoiceState;
  failure: VoiceFailure | undefined;
  speech: keyof Labels['speechHints'] | undefined;
}): StateLabel {
  const label = labels.states[state];
  if (state === 'live' && speech !== undefined)
    return { ...label, hint: labels.speechHints[speech] };
  if (failure === undefined || activeStates.has(state)) return label;
  return { ...label, hint: failureHint(labels, failure) || label.hint };
}

/** The server's own words where it has some; they say what to do. */
export function failureHint(labels: Labels, failure: VoiceFailure): string {
  return failure.message || labels.errors[failure.code] || '';
}
