import { css } from 'lit';
import { searchFieldStyles } from '../parts/search-field.styles.ts';

/** Style of the table of entries. */
export const entryTableStyles = [
  searchFieldStyles,
  css`
    /* Columns keep their width whatever is on the page of the list. */
    table {
      table-layout: fixed;
    }
    col.acts {
      inline-size: 12rem;
    }
    tbody td {
      padding-block: 0.375rem;
      overflow-wrap: anywhere;
    }
    td.actions button.icon-only {
      color: var(--soft);
    }
    tr.writing td {
      vertical-align: top;
      background: var(--wash);
    }
    tr.fault td {
      padding-block-start: 0;
      background: var(--wash);
    }
    tr.writing:has(+ .fault:not([hidden])) td {
      border-block-end: 0;
    }
    .badge {
      margin-inline-start: 0.5rem;
      color: var(--accent);
      background: var(--tint);
    }
    @media (max-width: 40rem) {
      /* A phrase and what it becomes read as a pair; the head of the table names the languages. */
      table.stacked tbody tr:not(.writing, .fault) {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0 0.5rem;
        align-items: center;
      }
      table.stacked tr:not(.writing) td[data-label] {
        display: block;
        grid-column: 1;
        padding: 0;
        text-align: start;
      }
      table.stacked tr:not(.writing) td[data-label]::before {
        position: absolute;
        inline-size: 1px;
        overflow: hidden;
        clip-path: inset(50%);
      }
      table.stacked tr:not(.writing) td[data-label]:first-child {
        font-weight: 600;
      }
      table.stacked tr:not(.writing) td.actions {
        grid-area: 1 / 2 / 3;
        padding: 0;
      }
      tr.writing td[data-label] {
        display: grid;
        gap: 0.25rem;
        justify-content: stretch;
        text-align: start;
      }
      tr.fault td {
        display: block;
        text-align: start;
      }
    }
  `,
];
