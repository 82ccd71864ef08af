import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { LiveVoiceSession, LiveVoiceSessionList } from '../../../shared/schemas/console.ts';
import type { Hearing } from '../../../shared/schemas/health.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { languageText } from '../parts/language-text.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { durationText } from '../parts/numbers.ts';
import { emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';

/** Often enough to be live, seldom enough to be read. */
const REFRESH_MS = 2_000;

/** Captions are calm up to this share of deleted words. */
const CALM_ERASURE = 0.2;

/** Of what recognisers may take of the machine. */
const NEARLY_FULL = 0.8;

/** Who is speaking now, and how well the captions keep up. */
export class ConsoleVoiceSessions extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .two-lines {
        display: grid;
        font-weight: 400;
        gap: 0.125rem;
      }
      td.steady {
        min-inline-size: 5.5rem;
      }
      strong {
        font-weight: 600;
      }
      .hearing {
        align-items: center;
        border-block-end: 1px solid var(--line);
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 0.75rem;
      }
      .hearing progress {
        flex: 1 1 8rem;
        max-inline-size: 18rem;
      }
      .restless {
        color: var(--warn);
        font-weight: 600;
      }
      dl {
        display: grid;
        gap: 0.25rem 1.25rem;
        grid-template-columns: max-content minmax(0, 1fr);
      }
      dt {
        font-weight: 600;
      }
      dd {
        color: var(--soft);
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  @state() private ending: string | undefined;
  private readonly list = new Loaded(this, {
    load: (fetching) => api.get<LiveVoiceSessionList>('voice-sessions', fetching),
    everyMs: REFRESH_MS,
  });

  override render() {
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Live sessions</h1>
          <p>
            Who is speaking now${this.session.is_operator ? ', the demo page included' : ''}.
            Nothing of what is said can be seen here.
          </p>
        </div>
      </header>
      <section class="card" aria-label="Live sessions">
        ${this.list.render(({ sessions, hearing }) => [
          hearing === undefined ? nothing : hearingLine(hearing),
          sessions.length === 0
            ? emptyState({
                icon: icons.live,
                heading: 'Nobody is speaking',
                text: 'A session shows here from its first moment to its last.',
              })
            : this.table(sessions),
        ])}
      </section>
      <dl class="small">
        <dt>Waiting</dt>
        <dd>The connection is gone; what is said meanwhile comes when it is back.</dd>
        <dt>Lag</dt>
        <dd>How far hearing is behind the voice.</dd>
        <dt>Erasure</dt>
        <dd>Words taken back for each word that stayed; up to 0.2 captions read calmly.</dd>
      </dl>
    </div>`;
  }

  private table(sessions: readonly LiveVoiceSession[]): TemplateResult {
    return html`<table class="stacked">
      <thead>
        <tr>
          <th>Languages</th>
          <th>From</th>
          <th>State</th>
          <th class="number">Since</th>
          <th class="number">Audio</th>
          <th class="number">Lag</th>
          <th class="number">Erasure</th>
          <th><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${repeat(
          sessions,
          ({ session_id: id }) => id,
          (session) => this.row(session),
        )}
      </tbody>
    </table>`;
  }

  private row(session: LiveVoiceSession): TemplateResult {
    const { source, target } = session.erasure;
    return html`<tr>
      <th scope="row">
        <span class="two-lines">
          <strong>${titleOf(session)}</strong>
          <span class="small soft"
            >${
              session.target_languages.length === 0
                ? 'not translated'
                : `into ${session.target_languages.map(languageText).join(', ')}`
            }</span
          >
        </span>
      </th>
      <td data-label="From">
        <span class="two-lines">
          <span>${session.origin === 'demo' ? 'Demo page' : (session.key_label ?? 'API')}</span>
          ${
            session.key_masked === null || session.origin === 'demo'
              ? nothing
              : html`<code class="soft">${session.key_masked}</code>`
          }
        </span>
      </td>
      <td data-label="State">
        ${
          session.state === 'connected'
            ? html`<span class="badge good">Connected</span>`
            : html`<span class="badge warn" title="Its connection is gone; it may come back."
                >Waiting</span
              >`
        }
      </td>
      <td class="number steady" data-label="Since">
        ${durationText(Math.max(0, Date.now() - Date.parse(session.opened_at)))}
      </td>
      <td class="number steady" data-label="Audio">${durationText(session.audio_ms)}</td>
      <td class="number steady" data-label="Lag">${(session.lag_ms / 1000).toFixed(1)} s</td>
      <td class="number steady" data-label="Erasure">
        <span
          >${erasure(source)}${
            session.target_languages.length === 0 ? nothing : html` → ${erasure(target)}`
          }</span
        >
      </td>
      <td class="actions">
        <button
          type="button"
          class="small danger"
          aria-label=${`End ${titleOf(session)}`}
          ?disabled=${this.ending === session.session_id}
          @click=${() => this.end(session)}
        >
          End
        </button>
      </td>
    </tr>`;
  }

  private async end(session: LiveVoiceSession): Promise<void> {
    const { session_id: id } = session;
    const isSure = await confirmed({
      heading: 'End this session?',
      text: 'Whoever speaks is told so, and the captions stop. What was concluded stays with them.',
      action: 'End session',
    });
    if (!isSure) return;
    this.ending = id;
    try {
      await api.delete(`voice-sessions/${encodeURIComponent(id)}`);
      sayDone('The session has ended.');
    } catch (error) {
      sayFailed(error);
    }
    this.ending = undefined;
    await this.list.reload();
  }
}

/** How much more this machine can hear. */
function hearingLine({ takes_sessions: takesMore, load, late_sessions: late }: Hearing) {
  const share = Math.min(1, load);
  const isNear = share >= NEARLY_FULL;
  return html`<div class="inside hearing">
    <span>Hearing</span>
    <progress
      class=${takesMore ? (isNear ? 'warn' : '') : 'bad'}
      aria-label="What recognisers take of this machine"
      max="1"
      value=${share}
    ></progress>
    <span class="number steady">${Math.round(share * 100)} %</span>
    ${
      takesMore
        ? nothing
        : html`<span class="badge bad">New sessions are refused until somebody pauses</span>`
    }
    ${late === 0 ? nothing : html`<span class="badge warn">${late} heard late</span>`}
  </div>`;
}

function titleOf({ source_language: source }: LiveVoiceSession): string {
  return source === null ? 'Language being detected' : languageText(source);
}

function erasure(value: number | null): TemplateResult {
  if (value === null) return html`–`;
  return html`<span class=${value > CALM_ERASURE ? 'restless' : ''}>${value.toFixed(2)}</span>`;
}

customElements.define('console-voice-sessions', ConsoleVoiceSessions);
