/** What the pages of those who speak and type have in common: their head, and what stands there without a room. */
import { css, html, type TemplateResult } from 'lit';
import { icons } from '../console/parts/icons.ts';
import { failedState, loadingState, type Loaded } from '../console/parts/states.ts';
import { isFinal, type RoomAtDesk } from './room-desk.ts';

/** How often the room is looked at, in ms: who reads changes all the time. */
export const LOOK_EVERY_MS = 4_000;

const stateNames: Record<string, string> = { live: 'Live', paused: 'Paused', waiting: 'Waiting' };

/** The name of the room and how it is. @param role what one is on this page */
export function deskHead({ name, state }: RoomAtDesk, role: string): TemplateResult {
  return html`<header class="head">
    <div>
      <p class="role">${role}</p>
      <h1><bdi>${name}</bdi></h1>
    </div>
    <p class="badge ${state === 'live' ? 'good' : state === 'paused' ? 'warn' : ''}">
      <span class="dot" aria-hidden="true"></span>
      <span class="unseen">Room:</span> ${stateNames[state] ?? state}
    </p>
  </header>`;
}

/** What stands in place of a page that cannot be: the room is not known yet, or never will be. */
export function deskWithoutRoom(loaded: Loaded<RoomAtDesk>): TemplateResult | undefined {
  const { failure } = loaded;
  if (isFinal(failure)) {
    const isGone = failure.status === 404;
    const heading = isGone ? 'There is no such room' : 'This link does not work any more';
    const text = isGone
      ? 'It may have been deleted. Ask whoever gave you the link.'
      : 'It has expired, or was revoked. Ask for a new one.';
    return html`<main class="page">
      <div class="state" role="alert">
        ${icons.key}
        <h1>${heading}</h1>
        <p>${text}</p>
      </div>
    </main>`;
  }
  if (loaded.value !== undefined) return undefined;
  return html`<main class="page">
    ${failure === undefined ? loadingState(6) : failedState(failure, () => void loaded.reload())}
  </main>`;
}

/** Style of both. */
export const deskStyles = css`
  :host {
    font-size: 1rem;
  }
  .page {
    display: grid;
    gap: 1.25rem;
    max-inline-size: 96rem;
    min-block-size: 100dvb;
    padding: clamp(1rem, 2.4vi, 2.5rem);
    margin-inline: auto;
    align-content: start;
  }
  .page > .state {
    align-self: center;
    min-block-size: 70dvb;
    align-content: center;
  }
  .state h1 {
    font-size: 1.375rem;
  }
  .head {
    display: flex;
    gap: 1rem;
    align-items: end;
    justify-content: space-between;
  }
  .head h1 {
    overflow-wrap: anywhere;
  }
  .role {
    margin-block-end: 0.125rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--accent);
  }
  .head .badge {
    flex: none;
    padding: 0.25rem 0.75rem;
    font-size: 0.875rem;
  }
  .dot {
    inline-size: 0.5rem;
    block-size: 0.5rem;
    background: currentColor;
    border-radius: 50%;
  }
  h2 {
    font-size: 1rem;
  }
`;
