import { css } from 'lit';

/** Style of the captioner page. */
export const captionerStyles = css`
  /* As high as the window; in a low one, as at a large zoom, the page scrolls and the list keeps some lines. */
  .page.captioner {
    grid-template-rows: auto 1fr;
    align-content: stretch;
  }
  .sheet {
    display: grid;
    grid-template: auto minmax(7.5rem, 1fr) auto / minmax(0, 1fr);
    overflow: clip;
  }
  .top {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 1.25rem;
    align-items: center;
    padding: 0.75rem var(--inset);
    border-block-end: 1px solid var(--line);
  }
  .field.language {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 0.625rem;
    align-items: center;
  }
  .field.language select {
    inline-size: auto;
    max-inline-size: 100%;
  }
  .connection {
    display: flex;
    flex: 1;
    gap: 0.5rem;
    align-items: center;
    min-inline-size: 0;
    font-size: 0.875rem;
    color: var(--warn);
  }
  .keys {
    font-size: 0.8125rem;
    color: var(--soft);
  }
  kbd {
    padding: 0.0625rem 0.375rem;
    margin-inline-start: 0.5rem;
    font: inherit;
    font-weight: 600;
    color: var(--ink);
    background: var(--wash);
    border: 1px solid var(--line);
    border-radius: 0.25rem;
  }
  .rows {
    contain: size;
    padding: 0.5rem var(--inset);
    overflow: hidden auto;
    overscroll-behavior: contain;
    font-size: 1.0625rem;
    line-height: 1.45;
  }
  .nothing {
    max-inline-size: 46ch;
    padding-block: 1rem;
    color: var(--soft);
  }
  .line {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 9.5rem;
    gap: 0 1rem;
    align-items: start;
    padding-block: 0.125rem;
  }
  .paired .line {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) 9.5rem;
  }
  .line + .line {
    border-block-start: 1px solid var(--line);
  }
  .spoken {
    padding-block: 0.4375rem;
    color: var(--soft);
    overflow-wrap: anywhere;
  }
  /* The field is as high as its text: the same text lies behind it. */
  .grow {
    display: grid;
    margin-inline: -0.625rem;
  }
  .grow::after,
  .grow > textarea {
    grid-area: 1 / 1;
    padding: 0.375rem 0.625rem;
    font: inherit;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .grow::after {
    content: attr(data-text);
    visibility: hidden;
    border: 1px solid transparent;
  }
  .grow > textarea {
    min-block-size: 0;
    overflow: hidden;
    resize: none;
    background: transparent;
    border-color: transparent;
  }
  .grow > textarea:hover {
    border-color: var(--line);
  }
  .changed .grow > textarea,
  .grow > textarea:focus {
    background: var(--card);
    border-color: var(--edge);
  }
  .about {
    padding-block: 0.25rem 0.375rem;
  }
  .about:empty {
    padding: 0;
  }
  .side {
    display: flex;
    gap: 0.5rem;
    justify-content: flex-end;
    white-space: nowrap;
    padding-block: 0.5625rem;
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
    color: var(--soft);
  }
  .by {
    display: inline-flex;
    gap: 0.25rem;
    align-items: center;
    color: var(--accent);
  }
  .by .icon {
    inline-size: 0.9375rem;
    block-size: 0.9375rem;
  }
  .sending .own {
    padding-block: 0.4375rem;
  }
  .sending .row {
    margin-block-start: 0.5rem;
  }
  .composer {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.375rem;
    padding: 0.75rem var(--inset) var(--inset);
    background: var(--wash);
    border-block-start: 1px solid var(--line);
  }
  .composer label {
    font-size: 0.875rem;
    font-weight: 600;
  }
  /* One line, whatever is heard: nothing below it moves. */
  .hearing {
    display: flex;
    gap: 0.5rem;
    overflow: hidden;
    font-size: 0.9375rem;
    white-space: nowrap;
  }
  .hearing .soft {
    flex: none;
  }
  /* Of what is too long, the newest words are in view. */
  .hearing bdi {
    display: flex;
    flex: 1;
    justify-content: flex-end;
    min-inline-size: 0;
    overflow: hidden;
  }
  .hearing bdi span {
    flex: none;
    margin-inline-end: auto;
  }
  /* With large text on a phone, the button stands below the field. */
  .compose {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
  }
  .compose button {
    flex: 1 0 auto;
  }
  .compose textarea {
    flex: 999 1 11rem;
    min-inline-size: 0;
    font-size: 1.0625rem;
    resize: none;
  }
  @media (max-width: 48rem) {
    .keys {
      display: none;
    }
    .connection:not(:empty) {
      flex: 1 0 100%;
    }
    /* The text has the room: of the mark the pen is left, and with large text it stands below. */
    .line {
      display: flex;
      flex-wrap: wrap;
    }
    .own,
    .spoken {
      flex: 1 1 9rem;
      min-inline-size: 0;
    }
    .side {
      margin-inline-start: auto;
    }
    .by span {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .paired .spoken {
      padding-block-end: 0;
      font-size: 0.9375rem;
    }
    .paired .own {
      flex-basis: 100%;
      order: 1;
    }
  }
  @media (forced-colors: active) {
    .changed .grow > textarea {
      outline: 2px solid Highlight;
    }
  }
`;
