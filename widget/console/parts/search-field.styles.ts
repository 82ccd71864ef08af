import { css } from 'lit';

/** Style of a strip of tools above a list, with a field to search it. */
export const searchFieldStyles = css`
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
    align-items: center;
    padding: 0.75rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
    border-block-end: 1px solid var(--line);
  }
  .search {
    position: relative;
    flex: 1 1 12rem;
    max-inline-size: 28rem;
  }
  .search .icon {
    position: absolute;
    inset-block-start: 50%;
    inset-inline-start: 0.75rem;
    translate: 0 -50%;
    color: var(--soft);
    pointer-events: none;
  }
  .tools .search input {
    padding-inline-start: 2.5rem;
  }
  .tools > :last-child {
    margin-inline-start: auto;
  }
`;
