import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { LiveVoiceSession, LiveVoiceSessionList } from '../../../shared/schemas/console.ts';
import type { Hearing } from '../../../shared/schemas/health.ts';
import { languageText } from '../../page/language-text.ts';
import { durationText } from '../../page/numbers.ts';
import { api, serverNowMs } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { doneIfConfirmed } from '../parts/dialog.ts';
import { page, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded } from '../parts/states.ts';
import type { Session } from '../session.ts';

/** Polling interval, in ms: frequent enough to be live, rare enough to be read. */
const REFRESH_MS = 2_000;

/** Largest erasure at which captions read calmly: deleted words per final word. */
const CALM_ERASURE = 0.2;

/** Share of the recognition capacity from which it counts as nearly used up. */
const NEARLY_FULL = 0.8;

/** Live sessions page: who is speaking now, and how well the captions keep up. */
export class ConsoleVoiceSessions extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .two-lines {
        display: grid;
        font-weight: 400;
        gap: 0.125rem;
      }
      td.number {
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
    const isOperator = this.session.is_operator;
    return page(
      {
        title: 'Live sessions',
        text: html`Who is speaking now${isOperator ? ', the demo page included' : ''}. Nothing of
        what is said can be seen here.`,
      },
      html`<section class="card" aria-label="Live sessions">
          ${this.list.render(({ sessions, hearing }) => [
            hearing === undefined ? nothing : hearingLine(hearing),
            this.table(sessions),
          ])}
        </section>
        <dl class="small">
          <dt>Waiting</dt>
          <dd>The connection is gone; what is said meanwhile comes when it is back.</dd>
          <dt>Lag</dt>
          <dd>How far hearing is behind the voice.</dd>
          <dt>Erasure</dt>
          <dd>Words taken back for each word that stayed; up to 0.2 captions read calmly.</dd>
        </dl>`,
    );
  }

  private table(sessions: readonly LiveVoiceSession[]): TemplateResult {
    return table({
      items: sessions,
      keyOf: ({ session_id: id }) => id,
      empty: {
        icon: icons.live,
        heading: 'Nobody is speaking',
        text: 'A session shows here from its first moment to its last.',
      },
      columns: [
        { title: 'Languages', kind: 'name', cell: languagesOf },
        { title: 'From', cell: originOf },
        {
          title: 'State',
          cell: ({ state: now }) =>
            now === 'connected'
              ? html`<span class="badge good">Connected</span>`
              : html`<span class="badge warn" title="Its connection is gone; it may come back."
                  >Waiting</span
                >`,
        },
        {
          title: 'Since',
          kind: 'number',
          cell: ({ opened_at: at }) => durationText(Math.max(0, serverNowMs() - Date.parse(at))),
        },
        { title: 'Audio', kind: 'number', cell: ({ audio_ms: ms }) => durationText(ms) },
        {
          title: 'Lag',
          kind: 'number',
          cell: ({ lag_ms: ms }) => `${(ms / 1000).toFixed(1)} s`,
        },
        { title: 'Erasure', kind: 'number', cell: erasureOf },
        { title: 'Actions', kind: 'actions', cell: (session) => this.endButton(session) },
      ],
    });
  }

  private endButton(session: LiveVoiceSession): TemplateResult {
    return html`<button
      type="button"
      class="small danger"
      aria-label=${`End ${titleOf(session)}`}
      ?disabled=${this.ending === session.session_id}
      @click=${() => this.end(session)}
    >
      End
    </button>`;
  }

  private async end({ session_id: id }: LiveVoiceSession): Promise<void> {
    await doneIfConfirmed({
      heading: 'End this session?',
      text: 'Whoever speaks learns of it, and the captions stop. What was concluded stays with them.',
      action: 'End session',
      done: 'The session has ended.',
      work: async () => {
        this.ending = id;
        try {
          await api.delete(`voice-sessions/${encodeURIComponent(id)}`);
        } finally {
          this.ending = undefined;
          await this.list.reload();
        }
      },
    });
  }
}

/** Shows how much of its recognition capacity this machine uses. */
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
    <span class="number">${Math.round(share * 100)} %</span>
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

function languagesOf(session: LiveVoiceSession): TemplateResult {
  const { target_languages: targets } = session;
  return html`<span class="two-lines">
    <strong>${titleOf(session)}</strong>
    <span class="small soft"
      >${
        targets.length === 0 ? 'not translated' : `into ${targets.map(languageText).join(', ')}`
      }</span
    >
  </span>`;
}

function originOf({ origin, key_label: label, key_masked: masked }: LiveVoiceSession) {
  return html`<span class="two-lines">
    <span>${origin === 'demo' ? 'Demo page' : (label ?? 'API')}</span>
    ${masked === null || origin === 'demo' ? nothing : html`<code class="soft">${masked}</code>`}
  </span>`;
}

function erasureOf({ erasure, target_languages: targets }: LiveVoiceSession): TemplateResult {
  return html`<span
    >${shareText(erasure.source)}${
      targets.length === 0 ? nothing : html` → ${shareText(erasure.target)}`
    }</span
  >`;
}

function shareText(value: number | null): TemplateResult {
  if (value === null) return html`–`;
  return html`<span class=${value > CALM_ERASURE ? 'restless' : ''}>${value.toFixed(2)}</span>`;
}

customElements.define('console-voice-sessions', ConsoleVoiceSessions);
