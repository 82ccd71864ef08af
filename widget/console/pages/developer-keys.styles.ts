import { css } from 'lit';

export const developerKeysStyles = css`
  .name {
    display: grid;
    gap: 0.125rem;
    overflow-wrap: anywhere;
  }
  .name code {
    font-weight: 400;
    color: var(--soft);
  }
  .meter {
    display: grid;
    gap: 0.25rem;
    justify-items: start;
    min-inline-size: 9rem;
    max-inline-size: 14rem;
    line-height: 1.3;
  }
  .foot {
    display: grid;
    gap: 0.25rem;
    padding: 0.875rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
    border-block-start: 1px solid var(--line);
  }
  summary {
    min-block-size: 2.25rem;
    padding-block: 0.375rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--accent);
    cursor: pointer;
  }
  li {
    display: flex;
    flex-wrap: wrap;
    gap: 0.125rem 1rem;
    align-items: baseline;
    padding-block: 0.375rem;
  }
  @media (max-width: 40rem) {
    .meter {
      justify-items: end;
    }
  }
`;
