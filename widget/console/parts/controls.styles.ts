import { css } from 'lit';

/** Buttons, fields and choices. */
export const controlsStyles = css`
  button,
  .button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button,
  .button {
    display: inline-flex;
    gap: 0.5rem;
    align-items: center;
    justify-content: center;
    min-block-size: 2.5rem;
    padding: 0.25rem 1rem;
    font-weight: 600;
    line-height: 1.25;
    text-decoration: none;
    white-space: nowrap;
    color: var(--ink);
    background: var(--card);
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  button.primary,
  .button.primary {
    color: var(--on-accent);
    background: var(--accent);
    border-color: var(--accent);
  }
  button.danger {
    color: var(--bad);
    border-color: currentColor;
  }
  button.danger.primary {
    color: var(--on-bad);
    background: var(--bad);
    border-color: var(--bad);
  }
  button.quiet,
  .button.quiet {
    background: transparent;
    border-color: transparent;
  }
  button.icon-only {
    inline-size: 2.5rem;
    padding: 0;
  }
  button.small {
    min-block-size: 2.25rem;
    padding-inline: 0.75rem;
    font-size: 0.875rem;
  }
  button:disabled {
    color: var(--soft);
    background: transparent;
    border-color: var(--line);
    border-style: dashed;
    cursor: default;
  }
  @media (hover: hover) {
    button:hover:enabled,
    .button:hover {
      border-color: var(--accent);
    }
    button.quiet:hover:enabled,
    .button.quiet:hover {
      background: var(--wash);
      border-color: transparent;
    }
    button.primary:hover:enabled,
    .button.primary:hover {
      background: var(--accent-strong);
      border-color: var(--accent-strong);
    }
    button.danger:hover:enabled {
      border-color: var(--bad);
      background: var(--bad-tint);
    }
    button.danger.primary:hover:enabled {
      background: var(--bad-strong);
      border-color: var(--bad-strong);
    }
  }
  /* Fingers need more room than a mouse. */
  @media (pointer: coarse) {
    button,
    .button,
    input:not([type='checkbox'], [type='radio']),
    select {
      min-block-size: 2.75rem;
    }
    button.icon-only {
      inline-size: 2.75rem;
    }
  }
  .field {
    display: grid;
    gap: 0.375rem;
    min-inline-size: 0;
  }
  .field > label,
  .label {
    font-size: 0.875rem;
    font-weight: 600;
  }
  .hint {
    font-size: 0.8125rem;
    color: var(--soft);
  }
  .error {
    font-size: 0.8125rem;
    font-weight: 550;
    color: var(--bad);
  }
  input:not([type='checkbox'], [type='radio'], [type='file']),
  select,
  textarea {
    inline-size: 100%;
    min-inline-size: 0;
    min-block-size: 2.5rem;
    padding: 0.375rem 0.75rem;
    color: var(--ink);
    background: var(--card);
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
  }
  textarea {
    resize: vertical;
  }
  ::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  [aria-invalid='true'] {
    border-color: var(--bad) !important;
  }
  input[type='checkbox'],
  input[type='radio'] {
    flex: none;
    inline-size: 1.125rem;
    block-size: 1.125rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .check {
    display: flex;
    gap: 0.625rem;
    align-items: center;
    min-block-size: 2.25rem;
  }
  .choice {
    display: inline-flex;
    padding: 0.1875rem;
    margin: 0;
    border: 0;
    background: var(--wash);
    border-radius: calc(var(--radius-small) + 0.1875rem);
  }
  .choice label {
    position: relative;
    display: inline-flex;
    align-items: center;
    min-block-size: 2.125rem;
    padding-inline: 0.75rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--soft);
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  .choice input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .choice label:has(:checked) {
    color: var(--ink);
    background: var(--card);
    box-shadow: 0 0 0 1px var(--edge);
  }
  .choice label:has(:focus-visible) {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  @media (forced-colors: active) {
    .choice label:has(:checked) {
      outline: 2px solid Highlight;
    }
  }
`;
