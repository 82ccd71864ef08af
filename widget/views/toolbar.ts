import { html, nothing, type TemplateResult } from 'lit';
import type { SpeechState, VoiceState } from '../events.ts';
import type { Labels, SourceKind, StateLabel } from '../labels.ts';
import {
  microphoneIcon,
  noticeIcon,
  playIcon,
  retryIcon,
  speechIcons,
  stopIcon,
  textSizeIcons,
} from './icons.ts';

/** States in which the button stops instead of starting. */
export const activeStates: ReadonlySet<VoiceState> = new Set<VoiceState>([
  'requesting-microphone',
  'connecting',
  'live',
  'quiet',
  'reconnecting',
  'offline',
  'stopping',
]);

const waitingStates = new Set<VoiceState>(['requesting-microphone', 'connecting']);
const problemStates = new Set<VoiceState>([
  'microphone-denied',
  'no-microphone',
  'insecure-context',
  'failed',
]);
/** Still running, but the reader should know. */
const noticeStates = new Set<VoiceState>(['quiet', 'offline']);

/** How many bars the level meter has: the last half second. */
export const METER_BARS = 5;

/** What the button of the speech shows and does. */
export interface SpeechControl {
  state: SpeechState;
  isMuted: boolean;
  onPress: () => void;
}

/** The row below the captions: button, state and text size. */
export function toolbarView({
  state,
  status,
  labels,
  source,
  speech,
  onToggle,
  onResize,
}: {
  state: VoiceState;
  status: StateLabel;
  labels: Labels;
  /** Where nothing is heard from here, there is nothing to start or to stop. */
  source: SourceKind;
  speech: SpeechControl;
  onToggle: () => void;
  onResize: (direction: -1 | 1) => void;
}): TemplateResult {
  const resize = (direction: -1 | 1, label: string, icon: TemplateResult) =>
    html`<button
      part="button size"
      class="button size"
      type="button"
      aria-label=${label}
      @click=${() => onResize(direction)}
    >
      ${icon}
    </button>`;
  return html`<div part="toolbar" class="toolbar">
    ${source === 'none' ? nothing : mainButton({ state, labels, source, onToggle })}
    ${statusView(state, status)}
    <div class="extras ${speech.state === 'off' ? '' : 'many'}">
      ${speech.state === 'off' ? nothing : speechButton(speech, labels)}
      ${resize(-1, labels.smallerText, textSizeIcons.smaller)}
      ${resize(1, labels.largerText, textSizeIcons.larger)}
      <slot name="controls"></slot>
    </div>
  </div>`;
}

function mainButton({
  state,
  labels,
  source,
  onToggle,
}: {
  state: VoiceState;
  labels: Labels;
  source: SourceKind;
  onToggle: () => void;
}): TemplateResult {
  const isActive = activeStates.has(state);
  const { icon, label } = mainAction(state, labels, source);
  // aria-disabled, not disabled: a button that loses the focus loses the keyboard's place.
  return html`<button
    part="button main"
    class="button main ${isActive ? 'active' : ''}"
    type="button"
    aria-disabled=${state === 'stopping' ? 'true' : nothing}
    @click=${onToggle}
  >
    ${icon}<bdi>${label}</bdi>
  </button>`;
}

/** Silences the speech, or lets it sound where the browser waits for a tap. */
function speechButton({ state, isMuted, onPress }: SpeechControl, labels: Labels): TemplateResult {
  const { label, icon } = speechAction(state, isMuted, labels);
  return html`<button
    part="button speech"
    class="button speech ${state}"
    type="button"
    aria-label=${label}
    aria-disabled=${state === 'failed' ? 'true' : nothing}
    @click=${onPress}
  >
    ${icon}<bdi class="name">${label}</bdi>
  </button>`;
}

function speechAction(
  state: SpeechState,
  isMuted: boolean,
  labels: Labels,
): { label: string; icon: TemplateResult } {
  if (state === 'failed') return { label: labels.noSound, icon: speechIcons.off };
  if (state === 'blocked') return { label: labels.tapToHear, icon: speechIcons.on };
  return isMuted
    ? { label: labels.unmute, icon: speechIcons.off }
    : { label: labels.mute, icon: speechIcons.on };
}

function mainAction(
  state: VoiceState,
  labels: Labels,
  source: SourceKind,
): { icon: TemplateResult; label: string } {
  if (state === 'stopping') return { icon: stopIcon, label: labels.stopping };
  if (waitingStates.has(state)) return { icon: stopIcon, label: labels.cancel };
  if (activeStates.has(state)) return { icon: stopIcon, label: labels.stop };
  if (problemStates.has(state)) return { icon: retryIcon, label: labels.tryAgain };
  const icon = source === 'microphone' ? microphoneIcon : playIcon;
  return { icon, label: labels.start };
}

// Each text in its own direction: the words may be English on a page in Arabic.
function statusView(state: VoiceState, { title, hint }: StateLabel): TemplateResult {
  const isNotice = problemStates.has(state) || noticeStates.has(state);
  return html`<div part="status" class="status ${isNotice ? 'notice' : ''}">
    <span class="sign ${state}" aria-hidden="true">${isNotice ? noticeIcon : meterView()}</span>
    <div class="words" role="status">
      <p class="title"><bdi>${title}</bdi></p>
      <p class="hint"><bdi>${hint}</bdi></p>
    </div>
  </div>`;
}

function meterView(): TemplateResult {
  return html`<span part="meter" class="meter">
    ${Array.from({ length: METER_BARS }, () => html`<i class="bar"></i>`)}
  </span>`;
}
