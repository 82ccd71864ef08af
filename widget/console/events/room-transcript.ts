import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type { RoomInfo, TranscriptFormat } from '../../../shared/schemas/rooms.ts';
import { saveBlob } from '../../page/handing-over.ts';
import { counted, momentText } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { doneIfConfirmed } from '../parts/dialog.ts';
import { icons } from '../parts/icons.ts';
import { sayFailed } from '../parts/messages.ts';
import { Loaded } from '../parts/states.ts';
import { hoursText, trackText, tracksOf } from './room-text.ts';

/** Polling interval, in ms. Long, because counting the lines takes the whole transcript. */
const REFRESH_MS = 60_000;

const formatTexts: Record<TranscriptFormat, string> = {
  txt: 'Text (TXT)',
  docx: 'Word (DOCX)',
  srt: 'Subtitles (SRT)',
  vtt: 'Subtitles (WebVTT)',
  json: 'Data (JSON)',
};

/** The part of a transcript in JSON that is used here. */
interface Lines {
  lines: { start_time: string; end_time: string }[];
}

/** Size and time span of a transcript: of the first track that has any lines. */
interface Extent {
  lines: number;
  /** Start of the first line and end of the last, ISO 8601; undefined without lines. */
  span: { from: string; to: string } | undefined;
}

/**
 * Card to download a room's transcript in any language and format, or to delete it.
 *
 * @fires transcript-delete - The transcript was deleted.
 */
export class ConsoleRoomTranscript extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .card {
        block-size: 100%;
      }
      h2:focus {
        outline: none;
      }
      .choices {
        display: grid;
        grid-template-columns: 1fr 1fr;
        gap: 0.75rem 1rem;
      }
      @media (max-width: 24rem) {
        .choices {
          grid-template-columns: 1fr;
        }
      }
    `,
  ];

  @property({ attribute: false }) room!: RoomInfo;
  @state() private isPreparing = false;
  @query('#title', true) private readonly heading!: HTMLElement;
  @query('#language') private readonly language!: HTMLSelectElement | null;
  @query('#format') private readonly format!: HTMLSelectElement | null;
  #preparing: AbortController | undefined;
  readonly #extent = new Loaded(this, {
    load: async (fetching): Promise<Extent> => {
      // What a person types in one language is in no other, so an empty track does not mean an empty room.
      for (const language of tracksOf(this.room)) {
        const query = { format: 'json', language };
        const { lines } = await api.get<Lines>(this.path, { ...fetching, query });
        const [first, last] = [lines[0], lines.at(-1)];
        const span = first && last && { from: first.start_time, to: last.end_time };
        if (span !== undefined) return { lines: lines.length, span };
      }
      return { lines: 0, span: undefined };
    },
    everyMs: REFRESH_MS,
  });

  private get path(): string {
    return `v1/rooms/${encodeURIComponent(this.room.room_id)}/transcript`;
  }

  override disconnectedCallback(): void {
    this.#preparing?.abort();
    super.disconnectedCallback();
  }

  override render() {
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head">
        <h2 id="title" tabindex="-1">Transcript</h2>
        <span class="soft number">${this.countText}</span>
      </div>
      <div class="inside stack">
        ${this.#extent.render((extent) => this.content(extent), { lines: 2 })}
        <p class="hint">${retentionText(this.room)}</p>
      </div>
    </section>`;
  }

  private get countText(): string {
    const lines = this.#extent.value?.lines ?? 0;
    return lines === 0 ? '' : counted(lines, 'line');
  }

  private content({ span }: Extent) {
    if (span === undefined) return html`<p class="soft">Nothing has been said yet.</p>`;
    return html`<p class="soft">${spanText(span)}</p>
      <div class="choices">
        <div class="field">
          <label for="language">Language</label>
          <select id="language">
            ${tracksOf(this.room).map(
              (track) => html`<option value=${track}>${trackText(track)}</option>`,
            )}
          </select>
        </div>
        <div class="field">
          <label for="format">File</label>
          <select id="format">
            ${Object.entries(formatTexts).map(
              ([format, text]) => html`<option value=${format}>${text}</option>`,
            )}
          </select>
        </div>
      </div>
      <div class="row between">
        ${
          this.isPreparing
            ? html`<button type="button" @click=${() => this.#preparing?.abort()}>Cancel</button>`
            : html`<button type="button" @click=${this.download}>
                ${icons.download} Download
              </button>`
        }
        <button type="button" class="quiet danger" @click=${this.deleteTranscript}>
          ${icons.remove} Delete
        </button>
      </div>
      <p class="hint" role="status" ?hidden=${!this.isPreparing}>
        ${this.isPreparing ? 'Preparing. What nobody has read in this language is translated first…' : nothing}
      </p>`;
  }

  private readonly download = async (): Promise<void> => {
    const { room, language, format } = this;
    if (language === null || format === null) return;
    const preparing = (this.#preparing = new AbortController());
    const query = { language: language.value, format: format.value };
    this.isPreparing = true;
    try {
      const content = await api.content(this.path, { query, signal: preparing.signal });
      saveBlob(`${room.name} (${trackText(query.language)}).${query.format}`, content);
    } catch (error) {
      if (!preparing.signal.aborted) sayFailed(error);
    } finally {
      this.isPreparing = false;
    }
  };

  private readonly deleteTranscript = async (): Promise<void> => {
    const { name } = this.room;
    const isDeleted = await doneIfConfirmed({
      heading: 'Delete what was said?',
      text: `All that was said in “${name}” so far will be gone in every language, from the screens of readers too. The room and its links stay.`,
      action: 'Delete transcript',
      done: 'The transcript was deleted.',
      work: async () => {
        await api.delete(this.path);
        this.#extent.set({ lines: 0, span: undefined });
        this.dispatchEvent(new Event('transcript-delete'));
      },
    });
    // The button that had the focus is gone.
    if (isDeleted) this.heading.focus({ preventScroll: true });
  };
}

function spanText({ from, to }: { from: string; to: string }): string {
  return `${momentText(from)} to ${momentText(to)}`;
}

function retentionText({ keep_hours: hours }: RoomInfo): string {
  if (hours === 0) {
    return 'It is not kept: nothing is written to disk, and what was said of late is forgotten once the room has been empty for a quarter of an hour.';
  }
  return `Each line is deleted ${hoursText(hours)} after it was said.`;
}

customElements.define('console-room-transcript', ConsoleRoomTranscript);
