import { css } from 'lit';

/** Tables, which are cards on a phone. */
export const tablesStyles = css`
  /* The table may be wider than a phone; the rest of the page is not. */
  .table-frame {
    overflow-x: auto;
    border-radius: inherit;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    text-align: start;
  }
  th,
  td {
    padding: 0.6875rem 0.75rem;
    text-align: start;
    vertical-align: middle;
    border-block-end: 1px solid var(--line);
  }
  :is(th, td):first-child {
    padding-inline-start: clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  :is(th, td):last-child {
    padding-inline-end: clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  tbody tr:last-child > * {
    border-block-end: 0;
  }
  thead th {
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--soft);
  }
  tbody th {
    font-weight: 600;
  }
  th.number,
  td.number {
    text-align: end;
    white-space: nowrap;
  }
  td.actions {
    text-align: end;
    white-space: nowrap;
  }
  td.actions > * + * {
    margin-inline-start: 0.375rem;
  }
  tbody tr.past > * {
    color: var(--soft);
  }
  /* On a phone each row is a card of its own; cells say what they are with data-label. */
  @media (max-width: 40rem) {
    table.stacked,
    table.stacked tbody,
    table.stacked tr,
    table.stacked :is(td, tbody th) {
      display: block;
      inline-size: 100%;
    }
    table.stacked thead {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    table.stacked tr {
      padding: 0.75rem 1rem;
      border-block-end: 1px solid var(--line);
    }
    table.stacked tr:last-child {
      border-block-end: 0;
    }
    table.stacked :is(td, tbody th) {
      display: flex;
      gap: 1rem;
      justify-content: space-between;
      padding: 0.25rem 0;
      border: 0;
      text-align: end;
      white-space: normal;
    }
    table.stacked tbody th {
      justify-content: flex-start;
      text-align: start;
    }
    table.stacked td[data-label]::before {
      flex: none;
      content: attr(data-label);
      color: var(--soft);
    }
    table.stacked td.actions > * {
      margin: 0;
    }
    table.stacked td.actions {
      flex-wrap: wrap;
      justify-content: flex-start;
      padding-block-start: 0.5rem;
    }
  }
`;
