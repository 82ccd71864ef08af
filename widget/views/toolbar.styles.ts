import { css } from 'lit';

const toolbar = css`
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
    .button.main {
      flex: 1 1 11.75rem;
      min-inline-size: 0;
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
  }
`;

const buttons = css`
  .icon {
    display: block;
    inline-size: 1.375rem;
    block-size: 1.375rem;
  }
  .icon.drawn {
    fill: none;
    stroke: currentColor;
    stroke-width: 2;
    stroke-linecap: round;
    stroke-linejoin: round;
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

/** Style of the row below the captions. */
export const toolbarStyles = [toolbar, buttons];
