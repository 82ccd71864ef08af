import { css, html } from 'lit';

export const pauseIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M8 5.5v13M16 5.5v13" fill="none" stroke="currentColor" stroke-width="4" />
</svg>`;

/** Style of the speaker page. */
export const speakerStyles = css`
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.25rem;
    align-items: start;
  }
  .side {
    display: grid;
    gap: 1.25rem;
    align-content: start;
  }
  .side > .card {
    display: grid;
    gap: 0.875rem;
    align-content: start;
  }
  .stage {
    display: grid;
    grid-template: auto 1fr auto / minmax(0, 1fr);
    overflow: clip;
  }
  .status {
    display: grid;
    gap: 0.75rem;
    align-content: start;
    /* Two lines of hint on a phone: no state moves the captions. */
    min-block-size: 7rem;
    padding: var(--inset);
    border-block-end: 1px solid var(--line);
  }
  .status h2 {
    font-size: 1.375rem;
    letter-spacing: -0.015em;
  }
  .status p {
    color: var(--soft);
  }
  .status.live {
    color: var(--good);
    background: var(--good-tint);
  }
  .status.notice {
    color: var(--warn);
    background: var(--warn-tint);
  }
  .status:is(.live, .notice) [role='status'] p {
    color: inherit;
  }
  voice-captions {
    align-self: stretch;
    --vc-radius: 0;
    --vc-border-color: transparent;
    --vc-background: var(--card);
    --vc-padding: var(--inset);
    --vc-font-size: clamp(1.375rem, 1.05rem + 1.3vi, 2.5rem);
    --vc-source-measure: 60ch;
    --vc-lines: 4;
  }
  voice-captions::part(toolbar) {
    display: none;
  }
  .controls {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.875rem;
    padding: var(--inset);
    background: var(--card);
    border-block-start: 1px solid var(--line);
  }
  .gauges {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem 1rem;
    align-items: center;
    min-block-size: 2.75rem;
  }
  .level {
    flex: 1 1 3rem;
    block-size: 0.75rem;
    overflow: clip;
    background: var(--line);
    border-radius: 1rem;
  }
  .level span {
    display: block;
    block-size: 100%;
    background: var(--accent);
    transform: scaleX(var(--_level, 0));
    transform-origin: left;
  }
  :dir(rtl) .level span {
    transform-origin: right;
  }
  .lag {
    flex: none;
    min-inline-size: 6.5rem;
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
    text-align: end;
    color: var(--soft);
  }
  button.floor {
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
    min-block-size: 5rem;
    padding-inline: 0.5rem;
    font-size: 1.375rem;
    border-radius: var(--radius);
    touch-action: manipulation;
    -webkit-tap-highlight-color: transparent;
  }
  button.floor .icon {
    inline-size: 1.75rem;
    block-size: 1.75rem;
  }
  button.floor:is(.start, .go-on) {
    color: var(--on-accent);
    background: var(--accent);
    border-color: transparent;
  }
  /* The opposite of the page, so that a glance finds it. */
  button.floor.pause {
    color: var(--page);
    background: var(--ink);
    border-color: transparent;
  }
  button.floor[aria-disabled] {
    color: var(--soft);
    background: transparent;
    border: 1px dashed var(--line);
    cursor: default;
  }
  @media (hover: hover) {
    button.floor:is(.start, .go-on):hover:enabled {
      background: var(--accent-strong);
      border-color: transparent;
    }
    button.floor.pause:hover:enabled {
      border-color: transparent;
      box-shadow: 0 0 0 3px var(--tint);
    }
  }
  .readers .total {
    font-size: 1.75rem;
    font-weight: 680;
    line-height: 1;
    font-variant-numeric: tabular-nums;
  }
  .readers li {
    display: flex;
    gap: 1rem;
    justify-content: space-between;
    padding-block: 0.375rem;
    border-block-start: 1px solid var(--line);
  }
  .settings .choice {
    display: flex;
  }
  .settings .choice label {
    flex: 1;
    justify-content: center;
    padding-inline: 0.25rem;
    min-block-size: 2.75rem;
  }
  /* What is pressed most stays under the thumb. */
  @media (max-width: 61.99rem) {
    .stage {
      overflow: visible;
    }
    .status {
      border-start-start-radius: var(--radius);
      border-start-end-radius: var(--radius);
    }
    .controls {
      position: sticky;
      /* Unless large text leaves no room: the offset then lies below the window. */
      inset-block-end: min(0px, 100dvb - 32rem);
      border-end-start-radius: var(--radius);
      border-end-end-radius: var(--radius);
      padding-block-end: max(var(--inset), env(safe-area-inset-bottom));
    }
  }
  /* A phone on its side: what is heard has more of its height than what is pressed. */
  @media (max-width: 61.99rem) and (max-height: 30rem) {
    .status {
      min-block-size: 0;
      padding-block: 0.75rem;
    }
    .controls {
      inset-block-end: min(0px, 100dvb - 16rem);
      /* Side by side if there is room for both. */
      grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr));
      align-items: center;
      padding-block: 0.5rem max(0.5rem, env(safe-area-inset-bottom));
    }
    .controls > :not(.gauges, .floor) {
      grid-column: 1 / -1;
    }
    button.floor {
      min-block-size: 3.5rem;
      font-size: 1.125rem;
    }
  }
  /* A zoom of 400 %: pinned controls would cover what is heard. */
  @media (max-width: 36rem) and (max-height: 20rem) {
    .controls {
      position: static;
    }
  }
  @media (min-width: 62rem) {
    .columns {
      grid-template-columns: minmax(0, 1fr) minmax(19rem, 24rem);
      align-items: stretch;
    }
    .status {
      min-block-size: 5.5rem;
    }
    /* All of it in view, however much stands beside it. */
    .stage {
      position: sticky;
      inset-block-start: 1.25rem;
      align-self: start;
      min-block-size: clamp(30rem, 100dvb - 9.5rem, 56rem);
    }
    /* The captions fill what room there is, under their name. */
    voice-captions,
    voice-captions::part(track) {
      display: flex;
      flex-direction: column;
    }
    voice-captions::part(base),
    voice-captions::part(tracks) {
      flex: 1;
    }
    voice-captions::part(lines) {
      flex: 1 0 auto;
      mask-image: linear-gradient(to bottom, transparent, #000 2.5rem);
    }
  }
  @media (min-width: 62rem) and (min-height: 48rem) {
    voice-captions {
      --vc-lines: 6;
    }
  }
  @media (min-width: 62rem) and (min-height: 62rem) {
    voice-captions {
      --vc-lines: 8;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .level span {
      transition: transform 110ms linear;
    }
  }
  @media (forced-colors: active) {
    .level,
    button.floor {
      border: 1px solid;
    }
    .level span {
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;
