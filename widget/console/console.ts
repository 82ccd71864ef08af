/** The console: the frame around its pages, and sign-in. */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { query, state } from 'lit/decorators.js';
import { actFor, sessionEnd } from './api.ts';
import { pageGroups, pageOf, type ConsolePage } from './menu.ts';
import { baseStyles } from './parts/base.styles.ts';
import { openDialogs, withdrawQuestion } from './parts/dialog.ts';
import { forgetDrafts } from './parts/draft-shelf.ts';
import { keepFocus } from './parts/focus-keeper.ts';
import { CONSOLE_NAME, focusHeading, namesWindow } from './parts/frame.ts';
import { icons } from './parts/icons.ts';
import { prepareMessages, sayFailed } from './parts/messages.ts';
import { asError, emptyState, failedState, loadingState } from './parts/states.ts';
import './parts/unfinished.ts';
import { linkTo, passwordTokenOf, placeOf, type Place } from './router.ts';
import { currentSession, signOut, type Session } from './session.ts';

/** What the window shows. */
type View =
  | { kind: 'starting' }
  | { kind: 'failed'; failure: Error }
  | { kind: 'sign-in'; former?: Session; successor?: Session }
  | { kind: 'set-password'; token: string }
  | { kind: 'pages'; session: Session };

/** Root element. The menu is at the side, or behind a button on a narrow screen. */
export class DragomanConsole extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        display: grid;
        grid-template-columns: 15.5rem minmax(0, 1fr);
        min-block-size: 100dvb;
      }
      console-sign-in,
      console-set-password,
      main.alone {
        grid-column: 1 / -1;
      }
      /* Its parts are the cells of the frame. */
      .head {
        display: contents;
      }
      .skip {
        position: absolute;
        inset-block-start: 0.5rem;
        inset-inline-start: 0.5rem;
        z-index: 2;
        padding: 0.5rem 1rem;
        background: var(--card);
        border-radius: var(--radius-small);
      }
      .skip:not(:focus) {
        clip-path: inset(50%);
      }
      .bar,
      .menu {
        display: none;
      }
      .side {
        position: sticky;
        inset-block-start: 0;
        display: flex;
        flex-direction: column;
        block-size: 100dvb;
        padding: 1.25rem 0.75rem 0.75rem;
        border-inline-end: 1px solid var(--line);
        overflow-y: auto;
      }
      .wordmark {
        padding-inline: 0.625rem;
        font-size: 1.0625rem;
      }
      nav {
        flex: 1;
        margin-block-start: 0.5rem;
      }
      .group {
        margin: 1.125rem 0 0.25rem;
        padding-inline: 0.625rem;
        font-size: 0.8125rem;
        font-weight: 600;
        letter-spacing: 0;
        color: var(--soft);
      }
      nav a {
        display: flex;
        gap: 0.75rem;
        align-items: center;
        min-block-size: 2.375rem;
        padding-inline: 0.625rem;
        font-weight: 550;
        color: var(--ink);
        text-decoration: none;
        border-radius: var(--radius-small);
      }
      nav a .icon {
        color: var(--soft);
      }
      nav a[aria-current] {
        font-weight: 650;
        color: var(--accent-strong);
        background: var(--tint);
      }
      nav a[aria-current] .icon {
        color: inherit;
      }
      @media (hover: hover) {
        nav a:not([aria-current]):hover {
          background: var(--wash);
        }
      }
      @media (forced-colors: active) {
        nav a[aria-current] {
          outline: 2px solid Highlight;
        }
      }
      .who {
        display: flex;
        gap: 0.5rem;
        align-items: center;
        justify-content: space-between;
        margin-block-start: 1.25rem;
        padding: 0.75rem 0 0 0.625rem;
        border-block-start: 1px solid var(--line);
      }
      .who-name {
        display: grid;
        min-inline-size: 0;
        line-height: 1.3;
      }
      .who-name strong {
        font-weight: 600;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      main {
        inline-size: min(100%, 78rem + 2 * clamp(1rem, 4vw, 3.5rem));
        margin-inline: auto;
        padding: clamp(1.25rem, 3.5vh, 2.75rem) clamp(1rem, 4vw, 3.5rem)
          calc(5rem + var(--messages-block-size, 0px));
      }
      main:focus {
        outline: none;
      }
      main.alone {
        inline-size: min(100%, 34rem);
        padding-block-start: 16vh;
      }
      @media (max-width: 60rem) {
        :host {
          grid-template-columns: minmax(0, 1fr);
          grid-template-rows: auto 1fr;
        }
        .side {
          display: none;
        }
        .bar {
          position: sticky;
          inset-block-start: 0;
          z-index: 1;
          display: flex;
          align-items: center;
          min-block-size: 3.5rem;
          padding-inline: 0.5rem;
          background: var(--page);
          border-block-end: 1px solid var(--line);
        }
        .menu[open] {
          display: flex;
          flex-direction: column;
          inline-size: min(19rem, 100vw - 3rem);
          block-size: calc(100dvb - var(--messages-block-size, 0px));
          max-block-size: none;
          margin: 0;
          padding: 0.375rem 0.75rem 0.75rem;
          color: var(--ink);
          background: var(--page);
          border: 0;
          border-inline-end: 1px solid var(--line);
          overflow-y: auto;
        }
        .menu::backdrop {
          background: var(--scrim);
        }
        .menu-head {
          display: flex;
          align-items: center;
          justify-content: space-between;
        }
        nav a {
          min-block-size: 2.75rem;
        }
      }
      /* Paper shows the page alone. */
      @media print {
        :host {
          display: block;
        }
        .head {
          display: none;
        }
      }
    `,
  ];

  @state() private view: View = { kind: 'starting' };
  @state() private place: Place = placeOf(location.hash);
  @query('main') private readonly main!: HTMLElement | null;
  @query('.menu') private readonly menu!: HTMLDialogElement | null;

  override connectedCallback(): void {
    super.connectedCallback();
    prepareMessages();
    keepFocus(() => void focusHeading(this.main?.firstElementChild));
    addEventListener('hashchange', this.onPlace);
    sessionEnd.addEventListener('signed-out', this.onSignedOut);
    void this.start();
  }

  override disconnectedCallback(): void {
    removeEventListener('hashchange', this.onPlace);
    sessionEnd.removeEventListener('signed-out', this.onSignedOut);
    super.disconnectedCallback();
  }

  override render(): TemplateResult {
    switch (this.view.kind) {
      case 'starting':
        return html`<main class="alone" ${namesWindow()}>${loadingState(3)}</main>`;
      case 'failed':
        return html`<main class="alone" ${namesWindow()}>
          <h1 class="unseen">${CONSOLE_NAME}</h1>
          <div class="card">${failedState(this.view.failure, () => void this.start())}</div>
        </main>`;
      case 'sign-in':
        return html`<console-sign-in
          ${namesWindow('Sign in')}
          .former=${this.view.former}
          .successor=${this.view.successor}
          @signed-in=${this.onSignedIn}
        ></console-sign-in>`;
      case 'set-password':
        return html`<console-set-password
          ${namesWindow('Set a password')}
          .token=${this.view.token}
          @signed-in=${this.onSignedIn}
        ></console-set-password>`;
      case 'pages':
        return this.frame(this.view.session);
    }
  }

  private frame(session: Session): TemplateResult {
    const page = pageOf(this.place.path);
    return html`<header class="head">
        <a class="skip" href="#main" @click=${this.skip}>Skip to content</a>
        <div class="bar">
          <button type="button" class="quiet icon-only" aria-label="Menu" @click=${this.openMenu}>
            ${icons.menu}
          </button>
          ${wordmark()}
        </div>
        <div class="side">${wordmark()} ${this.navigation(session, page)}</div>
        <dialog class="menu" aria-label="Menu" @click=${this.closeMenu}>
          <div class="menu-head">
            ${wordmark()}
            <button type="button" class="quiet icon-only" aria-label="Close menu">
              ${icons.close}
            </button>
          </div>
          ${this.navigation(session, page)}
          <console-messages></console-messages>
        </dialog>
      </header>
      <main id="main" tabindex="-1">
        ${
          page === undefined
            ? html`<h1 class="unseen" ${namesWindow('Not found')}>Not found</h1>
                <div class="card">
                  ${emptyState({
                    heading: 'There is no such page',
                    text: 'The address may have been mistyped.',
                    actions: html`<a class="button" href=${linkTo('overview')}>Overview</a>`,
                  })}
                </div>`
            : page.view({ session, rest: this.place.rest })
        }
      </main>`;
  }

  private navigation(session: Session, current: ConsolePage | undefined): TemplateResult {
    return html`<nav aria-label="Console">
        ${pageGroups.map(
          ({ title, pages }) =>
            html`<h2 class="group">${title}</h2>
              <ul class="plain">
                ${pages.map(
                  (page) =>
                    html`<li>
                      <a
                        href=${linkTo(page.path)}
                        aria-current=${page === current ? 'page' : nothing}
                        >${page.icon}${page.title}</a
                      >
                    </li>`,
                )}
              </ul>`,
        )}
      </nav>
      <div class="who">
        <div class="who-name">
          <strong>${session.account.name}</strong>
          <span class="small soft">${session.account.plan === 'pro' ? 'Pro' : 'Free'} plan</span>
        </div>
        <button
          type="button"
          class="quiet icon-only"
          aria-label="Sign out"
          title="Sign out"
          @click=${this.onSignOut}
        >
          ${icons.signOut}
        </button>
      </div>`;
  }

  private async start(): Promise<void> {
    const token = passwordTokenOf(location.hash);
    if (token !== undefined) {
      // The token allows a password to be set: it stays neither in the address nor in the history.
      history.replaceState(null, '', location.pathname);
      this.place = placeOf('');
      this.show({ kind: 'set-password', token });
      return;
    }
    this.show({ kind: 'starting' });
    try {
      const session = await currentSession();
      this.show(session === undefined ? { kind: 'sign-in' } : { kind: 'pages', session });
    } catch (error) {
      this.show({ kind: 'failed', failure: asError(error) });
    }
  }

  private show(view: View): void {
    this.view = view;
    actFor(view.kind === 'pages' ? view.session.account.account_id : undefined);
  }

  private readonly onPlace = (): void => {
    if (passwordTokenOf(location.hash) !== undefined) {
      void this.start();
      return;
    }
    const before = this.place.path;
    withdrawQuestion();
    this.place = placeOf(location.hash);
    this.show(this.view);
    this.menu?.close();
    if (before === this.place.path) return;
    scrollTo({ top: 0 });
    // Keyboard and screen reader users continue on the new page.
    void this.updateComplete.then(() => this.main?.focus({ preventScroll: true }));
  };

  /** Shows the pages and focuses the heading. */
  private comeIn(session: Session): void {
    this.show({ kind: 'pages', session });
    void this.updateComplete.then(() => focusHeading(this.main?.firstElementChild));
  }

  private readonly onSignedOut = (): void => {
    if (this.view.kind !== 'pages') return;
    const { session: former } = this.view;
    for (const dialog of openDialogs(document)) dialog.close();
    this.show({ kind: 'sign-in', former });
    void this.lookForSuccessor(former);
  };

  /** Looks for another session: this one may have ended because of a sign-in in another tab. */
  private async lookForSuccessor(former: Session): Promise<void> {
    const successor = await currentSession().catch(() => undefined);
    if (successor === undefined || this.view.kind !== 'sign-in') return;
    const isSame = successor.account.account_id === former.account.account_id;
    if (isSame) this.comeIn(successor);
    else this.show({ kind: 'sign-in', former, successor });
  }

  private readonly onSignedIn = ({ detail: session }: CustomEvent<Session>): void => {
    const former = this.view.kind === 'sign-in' ? this.view.former : undefined;
    // Unsaved drafts of one account are not shown to another.
    if (former?.account.account_id !== session.account.account_id) forgetDrafts();
    this.comeIn(session);
  };

  private readonly onSignOut = async (): Promise<void> => {
    try {
      await signOut();
      forgetDrafts();
      this.show({ kind: 'sign-in' });
    } catch (error) {
      sayFailed(error);
    }
  };

  private readonly skip = (event: Event): void => {
    // The fragment selects the page, so the link must not change it.
    event.preventDefault();
    this.main?.focus();
  };

  private readonly openMenu = (): void => {
    this.menu?.showModal();
  };

  /** Closes the menu on a tap beside it, on its button, or on a link, even one to the current page. */
  private readonly closeMenu = ({ target }: Event): void => {
    if (!(target instanceof Element)) return;
    if (target === this.menu || target.closest('.menu-head button, a') !== null) this.menu?.close();
  };
}

function wordmark(): TemplateResult {
  return html`<p class="wordmark"><i class="mark" aria-hidden="true"></i> Dragoman</p>`;
}

customElements.define('dragoman-console', DragomanConsole);
