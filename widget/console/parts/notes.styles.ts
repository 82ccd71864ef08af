import { css } from 'lit';

/** Badges, remarks, progress, and what stands where there is nothing to show. */
export const notesStyles = css`
  .badge {
    display: inline-flex;
    gap: 0.375rem;
    align-items: center;
    padding: 0.125rem 0.5625rem;
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--soft);
    background: var(--wash);
    border-radius: 1rem;
  }
  .badge.good {
    color: var(--good);
    background: var(--good-tint);
  }
  .badge.warn {
    color: var(--warn);
    background: var(--warn-tint);
  }
  .badge.bad {
    color: var(--bad);
    background: var(--bad-tint);
  }
  .note {
    display: flex;
    gap: 0.75rem;
    align-items: flex-start;
    padding: 0.75rem 1rem;
    color: var(--ink);
    background: var(--wash);
    border-radius: var(--radius-small);
  }
  .note.warn {
    color: var(--warn);
    background: var(--warn-tint);
  }
  .note.bad {
    color: var(--bad);
    background: var(--bad-tint);
  }
  .note > .icon {
    margin-block-start: 0.0625rem;
  }
  .note > :not(.icon) {
    flex: 1;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .state {
    display: grid;
    gap: 0.5rem;
    justify-items: center;
    padding: clamp(2rem, 6vh, 4rem) 1.25rem;
    text-align: center;
  }
  .state > .icon {
    inline-size: 2rem;
    block-size: 2rem;
    color: var(--soft);
  }
  .state p {
    max-inline-size: 46ch;
    color: var(--soft);
  }
  .state .row {
    justify-content: center;
    margin-block-start: 0.5rem;
  }
  .skeleton {
    display: grid;
    gap: 0.875rem;
    padding: clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  .skeleton span {
    block-size: 1.125rem;
    background: var(--wash);
    border-radius: 0.375rem;
  }
  .skeleton span:nth-child(3n) {
    inline-size: 72%;
  }
  .skeleton span:nth-child(3n + 1) {
    inline-size: 88%;
  }
  /* Whoever waits briefly sees nothing flash. */
  .skeleton {
    animation: appear 0.2s 0.25s backwards;
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
  progress {
    inline-size: 100%;
    block-size: 0.5rem;
    appearance: none;
    border: 0;
    border-radius: 0.25rem;
    background: var(--wash);
    overflow: hidden;
  }
  progress::-webkit-progress-bar {
    background: var(--wash);
  }
  progress::-webkit-progress-value {
    background: var(--accent);
    border-radius: 0.25rem;
  }
  progress::-moz-progress-bar {
    background: var(--accent);
    border-radius: 0.25rem;
  }
  progress.warn::-webkit-progress-value {
    background: var(--series-2);
  }
  progress.bad::-webkit-progress-value {
    background: var(--bad);
  }
`;
