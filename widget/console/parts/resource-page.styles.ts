import { css } from 'lit';

/** Style of a page about one thing, which has a way back and a heading that may be long. */
export const resourcePageStyles = css`
  .back {
    display: inline-flex;
    gap: 0.375rem;
    align-items: center;
    min-block-size: 2rem;
    margin-block-end: 0.25rem;
    font-size: 0.875rem;
    text-decoration: none;
  }
  .back:hover {
    text-decoration: underline;
  }
  .back .icon {
    inline-size: 1.125rem;
    block-size: 1.125rem;
  }
  h1 {
    overflow-wrap: anywhere;
  }
  h1:focus {
    outline: none;
  }
  tbody th a {
    overflow-wrap: anywhere;
  }
`;
