import { css } from 'lit';
import { searchFieldStyles } from '../parts/search-field.styles.ts';

/** Style of the rules of a list. */
export const ruleEditorStyles = [
  searchFieldStyles,
  css`
    .reach {
      padding: 0.75rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
      line-height: 2;
      border-block-end: 1px solid var(--line);
    }
    details {
      border-block-end: 1px solid var(--line);
    }
    summary {
      display: flex;
      gap: 0.75rem;
      align-items: baseline;
      padding: 0.875rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
      list-style: none;
      cursor: pointer;
    }
    summary::-webkit-details-marker {
      display: none;
    }
    summary::before {
      flex: none;
      inline-size: 0.4375rem;
      block-size: 0.4375rem;
      content: '';
      border: solid var(--soft);
      border-width: 0 2px 2px 0;
      translate: 0 -0.125rem;
      rotate: -45deg;
    }
    details[open] > summary::before {
      rotate: 45deg;
    }
    summary h3 {
      flex: 1;
    }
    summary:focus-visible {
      outline-offset: -3px;
    }
    @media (hover: hover) {
      summary:hover {
        background: var(--wash);
      }
    }
    ul {
      padding-block-end: 0.5rem;
    }
    li {
      display: grid;
      grid-template-columns: minmax(0, 5fr) 8.5rem minmax(0, 6fr);
      gap: 0.25rem 1rem;
      align-items: center;
      padding: 0.375rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
    }
    li.chosen label {
      font-weight: 650;
    }
    li .badge {
      justify-self: start;
    }
    li .hint {
      grid-column: 3;
    }
    li select {
      text-overflow: ellipsis;
    }
    li.chosen select {
      border-color: var(--accent);
    }
    @media (max-width: 52rem) {
      li {
        grid-template-columns: minmax(0, 1fr) auto;
        padding-block: 0.625rem;
      }
      li select,
      li .hint {
        grid-column: 1 / -1;
      }
    }
    @media (max-width: 30rem) {
      .choice {
        display: grid;
        grid-template-columns: 1fr 1fr;
        inline-size: 100%;
      }
    }
  `,
];
