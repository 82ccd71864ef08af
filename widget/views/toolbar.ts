import { css, html, nothing, type TemplateResult } from 'lit';
import { activeStates, type SpeechState, type VoiceState } from '../events.ts';
import type { Labels, SourceKind, StateLabel } from '../labels.ts';
import { singlePress } from '../page/single-press.ts';
import {
  microphoneIcon,
  noticeIcon,
  playIcon,
  retryIcon,
  speechIcons,
  stopIcon,
  textSizeIcons,
} from './icons.ts';

const waitingStates = new Set<VoiceState>(['requesting-microphone', 'connecting']);
const problemStates = new Set<VoiceState>([
  'microphone-denied',
  'no-microphone',
  'insecure-context',
  'failed',
]);
/** States in which the session still runs, but the reader should be notified. */
const noticeStates = new Set<VoiceState>(['quiet', 'offline']);

/** Number of bars of the level meter. */
const METER_BARS = 5;

/** State and action of the speech button. */
export interface SpeechControl {
  state: SpeechState;
  isMuted: boolean;
  onPress: () => void;
}

/** Returns the row below the captions: main button, status and text size. */
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
  /** Kind of audio source; `none` hides the start and stop button. */
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
  const { icon, label } = mainAction(state, labels, source);
  // aria-disabled instead of disabled: a disabled button loses the focus and the keyboard's position.
  return html`<button
    part="button main"
    class="button main ${activeStates.has(state) ? 'active' : ''}"
    type="button"
    aria-disabled=${state === 'stopping' ? 'true' : nothing}
    @click=${singlePress(onToggle)}
  >
    ${icon}<bdi>${label}</bdi>
  </button>`;
}

/** Button that mutes the speech, or unlocks audio where the browser waits for a tap. */
function speechButton({ state, isMuted, onPress }: SpeechControl, labels: Labels): TemplateResult {
  const { label, icon } = speechAction(state, isMuted, labels);
  return html`<button
    part="button speech"
    class="button speech ${state}"
    type="button"
    aria-label=${label}
    aria-disabled=${state === 'failed' ? 'true' : nothing}
    @click=${singlePress(onPress)}
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

// Each text is isolated in its own direction: the labels may be English on an Arabic page.
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

/** Height of a bar at silence, as a share of its full height. */
const METER_REST = 0.14;
/** Quietest level that moves the meter, in dBFS. */
const FLOOR_DB = -54;
/** Level that fills the meter, in dBFS: ordinary speech comes close to it. */
const CEILING_DB = -6;

/** Moves the bars of the level meter with the voice, without rendering. */
export class LevelMeter {
  readonly #bars: () => ArrayLike<Element>;
  readonly #heights: number[] = [];

  constructor(bars: () => ArrayLike<Element>) {
    this.#bars = bars;
  }

  /** Adds a reading: the middle bar shows the newest, the outer bars earlier ones. @param peak 0 to 1 */
  show(peak: number): void {
    this.#heights.unshift(loudnessShare(peak));
    this.#heights.length = Math.min(this.#heights.length, 3);
    this.#draw();
  }

  rest(): void {
    this.#heights.length = 0;
    this.#draw();
  }

  #draw(): void {
    const bars = Array.from(this.#bars());
    const middle = Math.floor(bars.length / 2);
    bars.forEach((bar, index) => {
      const share = Math.max(METER_REST, this.#heights[Math.abs(index - middle)] ?? 0);
      (bar as HTMLElement).style.setProperty('--_level', share.toFixed(2));
    });
  }
}

/**
 * Returns the share of a level meter that a sound fills, 0 to 1, on a decibel scale.
 *
 * @param peak loudest sample, 0 to 1
 */
export function loudnessShare(peak: number): number {
  const share = (20 * Math.log10(Math.max(peak, 1e-6)) - FLOOR_DB) / (CEILING_DB - FLOOR_DB);
  return Math.max(0, Math.min(1, share));
}

export const toolbarStyles = css`
  .toolbar {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    gap: 0.75rem 1.25rem;
    align-items: center;
    padding: 0.875rem clamp(1.125rem, 3.6cqi, 2.25rem);
    background: var(--_wash);
    border-block-start: 1px solid var(--_line);
  }
  .status {
    grid-column: 2;
    display: flex;
    gap: 0.75rem;
    align-items: center;
    /* Room for a title and two lines of hint, so that no state moves another. */
    --_status-lines: 3;
    min-block-size: calc(var(--_status-lines) * 1.35em + 0.5rem);
    padding: 0.25rem 0.75rem;
    border-radius: 0.75rem;
    font-size: 0.9375rem;
    line-height: 1.35;
  }
  .status.notice {
    background: var(--_notice);
    color: var(--_notice-ink);
  }
  .title {
    font-weight: 600;
  }
  .hint {
    color: var(--_soft);
  }
  .notice .hint {
    color: inherit;
  }
  .sign {
    flex: none;
    display: grid;
    place-items: center;
    inline-size: 1.75rem;
    block-size: 1.75rem;
    color: var(--_soft);
  }
  .notice .sign {
    color: inherit;
  }
  .meter {
    display: flex;
    gap: 3px;
    align-items: center;
    block-size: 1.5rem;
  }
  .bar {
    inline-size: 3px;
    block-size: 100%;
    border-radius: 2px;
    background: currentColor;
    transform: scaleY(var(--_level, 0.14));
  }
  .sign.live,
  .sign.stopping {
    color: var(--_accent);
  }
  .extras {
    grid-column: 3;
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    justify-content: flex-end;
  }
  @media (prefers-reduced-motion: no-preference) {
    .bar {
      transition: transform 110ms linear;
    }
    .sign:is(.requesting-microphone, .connecting, .reconnecting) .bar {
      animation-name: wait;
      animation-duration: 1.4s;
      animation-timing-function: ease-in-out;
      animation-iteration-count: infinite;
    }
    .bar:nth-child(2) {
      animation-delay: 0.12s;
    }
    .bar:nth-child(3) {
      animation-delay: 0.24s;
    }
    .bar:nth-child(4) {
      animation-delay: 0.36s;
    }
    .bar:nth-child(5) {
      animation-delay: 0.48s;
    }
    @keyframes wait {
      0%,
      60%,
      100% {
        transform: scaleY(0.14);
      }
      30% {
        transform: scaleY(0.7);
      }
    }
  }
  @container (max-width: 46rem) {
    .toolbar {
      display: flex;
      flex-wrap: wrap;
    }
    .status {
      order: -1;
      flex: 1 0 100%;
      padding-inline: 0.25rem;
    }
    .status.notice {
      padding-inline: 0.75rem;
    }
    .toolbar .button.main {
      flex: 1 1 11.75rem;
      min-inline-size: 0;
    }
  }
  /* In a narrow column words break, rather than leave the element. */
  @container (max-width: 13rem) {
    .toolbar :is(.button.main, .button.speech, .words) {
      flex: 1 1 5rem;
      min-inline-size: 0;
      white-space: normal;
      overflow-wrap: anywhere;
    }
    .status {
      flex-wrap: wrap;
    }
  }
  /* A phone breaks longer hints, and the longest title, once more. */
  @container (max-width: 30rem) {
    .status {
      --_status-lines: 4;
    }
    .extras.many {
      flex: 1 0 100%;
    }
    /* Beside the buttons of text size on a phone, in any language. */
    .toolbar {
      column-gap: 0.75rem;
    }
    .toolbar .button.main {
      flex-basis: 10.5rem;
      padding-inline: 0.75rem;
      white-space: normal;
    }
    .button.main .icon {
      min-inline-size: 1.25rem;
    }
  }
  .button {
    display: inline-flex;
    gap: 0.5rem;
    align-items: center;
    justify-content: center;
    min-block-size: 3rem;
    min-inline-size: 3rem;
    padding: 0.5rem 0.75rem;
    font: inherit;
    font-weight: 600;
    color: var(--_ink);
    background: var(--_paper);
    border: 1px solid var(--_line);
    border-radius: 0.875rem;
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
  }
  .button.main {
    min-block-size: 3.25rem;
    min-inline-size: 12rem;
    padding-inline: 1rem 1.25rem;
    white-space: nowrap;
    color: var(--_on-accent);
    background: var(--_accent);
    border-color: transparent;
    border-radius: 2rem;
  }
  .button.main.active {
    color: var(--_accent);
    background: var(--_paper);
    border-color: var(--_accent);
  }
  .button.main[aria-disabled] {
    cursor: default;
    color: var(--_soft);
    border-color: var(--_line);
  }
  .button.speech {
    white-space: nowrap;
  }
  .button.speech:not(.blocked) .name {
    display: none;
  }
  .button.speech.blocked {
    color: var(--_accent);
    border-color: var(--_accent);
  }
  .button.speech[aria-disabled] {
    color: var(--_soft);
    border-style: dashed;
    cursor: default;
  }
  @container (max-width: 30rem) {
    .button.speech {
      flex: 1;
    }
    .button.speech:not(.blocked) .name {
      display: inline;
    }
  }
  .button:focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 3px;
  }
  @media (hover: hover) {
    .button:hover:not([aria-disabled]) {
      border-color: var(--_accent);
    }
    .button.main:hover:not(.active) {
      filter: brightness(1.12);
    }
  }
  .button:active:not([aria-disabled]) {
    transform: translateY(1px);
  }
`;
