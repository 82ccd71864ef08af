import { css } from 'lit';

/** Frame of the console: a menu at the side, or behind a button where there is no room. */
export const consoleStyles = css`
  :host {
    display: grid;
    grid-template-columns: 15.5rem minmax(0, 1fr);
    min-block-size: 100dvb;
  }
  console-sign-in,
  console-set-password,
  main.alone {
    grid-column: 1 / -1;
  }
  /* Its parts are the cells of the frame. */
  .head {
    display: contents;
  }
  .skip {
    position: absolute;
    inset-block-start: 0.5rem;
    inset-inline-start: 0.5rem;
    z-index: 2;
    padding: 0.5rem 1rem;
    background: var(--card);
    border-radius: var(--radius-small);
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
  }
  .bar {
    display: none;
  }
  .side {
    position: sticky;
    inset-block-start: 0;
    display: flex;
    flex-direction: column;
    block-size: 100dvb;
    padding: 1.25rem 0.75rem 0.75rem;
    border-inline-end: 1px solid var(--line);
    overflow-y: auto;
  }
  .wordmark {
    padding-inline: 0.625rem;
    font-size: 1.0625rem;
  }
  nav {
    flex: 1;
    margin-block-start: 0.5rem;
  }
  .group {
    margin: 1.125rem 0 0.25rem;
    padding-inline: 0.625rem;
    font-size: 0.8125rem;
    font-weight: 600;
    letter-spacing: 0;
    color: var(--soft);
  }
  nav a {
    display: flex;
    gap: 0.75rem;
    align-items: center;
    min-block-size: 2.375rem;
    padding-inline: 0.625rem;
    font-weight: 550;
    color: var(--ink);
    text-decoration: none;
    border-radius: var(--radius-small);
  }
  nav a .icon {
    color: var(--soft);
  }
  nav a[aria-current] {
    font-weight: 650;
    color: var(--accent-strong);
    background: var(--tint);
  }
  nav a[aria-current] .icon {
    color: inherit;
  }
  @media (hover: hover) {
    nav a:not([aria-current]):hover {
      background: var(--wash);
    }
  }
  @media (forced-colors: active) {
    nav a[aria-current] {
      outline: 2px solid Highlight;
    }
  }
  .who {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    justify-content: space-between;
    margin-block-start: 1.25rem;
    padding: 0.75rem 0 0 0.625rem;
    border-block-start: 1px solid var(--line);
  }
  .who-name {
    display: grid;
    min-inline-size: 0;
    line-height: 1.3;
  }
  .who-name strong {
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  main {
    inline-size: min(100%, 78rem + 2 * clamp(1rem, 4vw, 3.5rem));
    margin-inline: auto;
    padding: clamp(1.25rem, 3.5vh, 2.75rem) clamp(1rem, 4vw, 3.5rem) 5rem;
  }
  main:focus {
    outline: none;
  }
  main.alone {
    inline-size: min(100%, 34rem);
    padding-block-start: 16vh;
  }
  .menu {
    display: none;
  }
  @media (max-width: 60rem) {
    :host {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: auto 1fr;
    }
    .side {
      display: none;
    }
    .bar {
      position: sticky;
      inset-block-start: 0;
      z-index: 1;
      display: flex;
      align-items: center;
      min-block-size: 3.5rem;
      padding-inline: 0.5rem;
      background: var(--page);
      border-block-end: 1px solid var(--line);
    }
    .menu[open] {
      display: flex;
      flex-direction: column;
      inline-size: min(19rem, 100vw - 3rem);
      block-size: 100dvb;
      max-block-size: none;
      margin: 0;
      padding: 0.375rem 0.75rem 0.75rem;
      color: var(--ink);
      background: var(--page);
      border: 0;
      border-inline-end: 1px solid var(--line);
      overflow-y: auto;
    }
    .menu::backdrop {
      background: var(--scrim);
    }
    .menu-head {
      display: flex;
      align-items: center;
      justify-content: space-between;
    }
    nav a {
      min-block-size: 2.75rem;
    }
  }
`;
