import { css } from 'lit';

/** A form alone on the page: where one comes in. */
export const doorStyles = css`
  main {
    display: grid;
    align-content: start;
    justify-items: center;
    min-block-size: 100dvb;
    padding: max(2rem, 14vh) 1rem 3rem;
  }
  .door {
    display: grid;
    gap: 1.25rem;
    inline-size: min(100%, 25rem);
    padding: clamp(1.25rem, 5vw, 2.25rem);
  }
  form {
    display: grid;
    gap: 1.125rem;
  }
  h1 {
    font-size: 1.5rem;
  }
  button {
    inline-size: 100%;
    min-block-size: 2.75rem;
  }
  .note {
    font-size: 0.875rem;
  }
`;
