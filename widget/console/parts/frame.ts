/** Frame of all pages: a heading with actions, and lists as tables, which turn into cards on a phone. */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { AsyncDirective, directive } from 'lit/async-directive.js';
import { repeat } from 'lit/directives/repeat.js';
import { linkTo, shownPlace } from '../router.ts';
import { icons } from './icons.ts';
import { type EmptyState, emptyState } from './states.ts';

/** Name of the console in the title of its window. */
export const CONSOLE_NAME = 'Dragoman console';

/** Sets the title while connected: a page that was left may still be rendered, and must not set it. */
class NamesWindow extends AsyncDirective {
  override render(...names: string[]): void {
    if (this.isConnected) document.title = [...names, CONSOLE_NAME].join(' – ');
  }
}

/** Element directive: titles the window with these names, then the console's, while the element is shown. */
export const namesWindow = directive(NamesWindow);

/** Head of a page. */
export interface PageHead {
  title: string;
  /** Describes the page, or the resource on it. */
  text?: unknown;
  /** Buttons. */
  actions?: unknown;
  /** The page that lists all resources of this kind. */
  back?: { path: string; title: string };
  /** The resource's name is not known yet: a generic title for screen readers reserves its space. */
  isWaiting?: boolean;
}

/** Renders a page: its head and its content. */
export function page(
  { title, text, actions, back, isWaiting = false }: PageHead,
  content: unknown,
): TemplateResult {
  const names = [...(isWaiting ? [] : [title]), ...(back === undefined ? [] : [back.title])];
  return html`<div class="page" ${namesWindow(...names)}>
    <header class="page-head">
      <div>
        ${
          back === undefined
            ? nothing
            : html`<a class="back" href=${linkTo(back.path)}>${icons.back} ${back.title}</a>`
        }
        <h1 class=${isWaiting ? 'waiting' : nothing} tabindex="-1">${title}</h1>
        ${text === undefined ? nothing : html`<p>${text}</p>`}
      </div>
      ${actions === undefined ? nothing : html`<div class="row">${actions}</div>`}
    </header>
    <console-unfinished place=${shownPlace()}></console-unfinished>
    ${content}
  </div>`;
}

/** Focuses the heading of a page. A page that still waits for its name focuses the heading itself. */
export async function focusHeading(page: Element | null | undefined): Promise<void> {
  if (!(page instanceof LitElement)) return;
  await page.updateComplete;
  const heading = page.renderRoot.querySelector<HTMLElement>('h1:not(.waiting)');
  heading?.focus({ preventScroll: true });
}

/** A column of a list. */
export interface Column<Item> {
  /** Column heading; on a phone it stands beside each cell. */
  title: string;
  /** Replaces a long title on a phone. */
  shortTitle?: string;
  /**
   * Name of the row, a number, a date or other short text on one line, or buttons; any content by default.
   */
  kind?: 'name' | 'number' | 'short' | 'actions';
  cell: (item: Item) => unknown;
}

/** Number of columns that need more space than a narrow window has: rows become cards, as on a phone. */
const MANY_COLUMNS = 5;

/** Renders a list as a table with a row per item, or the empty state. */
export function table<Item>({
  items,
  keyOf,
  columns,
  empty,
  isPast = () => false,
}: {
  items: readonly Item[];
  /** Returns the identity of an item. */
  keyOf: (item: Item) => unknown;
  columns: readonly Column<Item>[];
  empty: EmptyState;
  /** Returns whether an item is no longer in use. */
  isPast?: (item: Item) => boolean;
}): TemplateResult {
  if (items.length === 0) return emptyState(empty);
  return html`<div class="table-frame ${columns.length < MANY_COLUMNS ? '' : 'many-columns'}">
    <table class="stacked">
      <thead>
        <tr>
          ${columns.map(columnHead)}
        </tr>
      </thead>
      <tbody>
        ${repeat(
          items,
          keyOf,
          (item) =>
            html`<tr class=${isPast(item) ? 'past' : nothing}>
              ${columns.map((column) => cellOf(column, item))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function columnHead({ title, kind }: Pick<Column<never>, 'title' | 'kind'>): TemplateResult {
  if (kind === 'actions') return html`<th scope="col"><span class="unseen">${title}</span></th>`;
  return html`<th scope="col" class=${kind === 'number' ? kind : nothing}>${title}</th>`;
}

function cellOf<Item>(
  { title, shortTitle = title, kind, cell }: Column<Item>,
  item: Item,
): TemplateResult {
  if (kind === 'name') return html`<th scope="row">${cell(item)}</th>`;
  if (kind === 'actions') return html`<td class="actions">${cell(item)}</td>`;
  return html`<td class=${kind ?? nothing} data-label=${shortTitle}>${cell(item)}</td>`;
}

/** Buttons that rename, edit or delete a row. */
export function rowActions(
  name: string,
  actions: Readonly<Partial<Record<'Edit' | 'Rename' | 'Delete', () => void>>>,
): TemplateResult[] {
  return Object.entries(actions).map(
    ([verb, act]) =>
      html`<button
        type="button"
        class="quiet icon-only"
        aria-label=${`${verb} ${name}`}
        @click=${act}
      >
        ${verb === 'Delete' ? icons.remove : icons.edit}
      </button>`,
  );
}

/** Each row is a card of its own; cells show their data-label. */
const cards = css`
  table.stacked,
  table.stacked tbody,
  table.stacked tr,
  table.stacked :is(td, tbody th) {
    display: block;
    inline-size: 100%;
  }
  table.stacked thead {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  table.stacked tr {
    padding: 0.75rem var(--inset);
    border-block-end: 1px solid var(--line);
  }
  table.stacked tr:last-child {
    border-block-end: 0;
  }
  table.stacked :is(td, tbody th) {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
    justify-content: flex-end;
    padding: 0.25rem 0;
    border: 0;
    text-align: end;
    white-space: normal;
  }
  table.stacked tbody th {
    justify-content: flex-start;
    min-inline-size: 0;
    text-align: start;
  }
  table.stacked td[data-label]::before {
    flex: none;
    margin-inline-end: auto;
    content: attr(data-label);
    color: var(--soft);
  }
  table.stacked td.actions > * {
    margin: 0;
  }
  table.stacked td.actions {
    gap: 0.5rem 1rem;
    justify-content: flex-start;
    padding-block-start: 0.5rem;
  }
`;

/** Style of pages and their tables. */
export const frameStyles = css`
  .page {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.5rem;
    align-content: start;
  }
  .page-head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.5rem;
    align-items: flex-end;
    justify-content: space-between;
  }
  .page-head > :first-child {
    flex: 1 1 20rem;
  }
  .page-head p {
    max-inline-size: 80ch;
    margin-block-start: 0.375rem;
    color: var(--soft);
  }
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
  h1.waiting {
    opacity: 0;
  }
  /* The table may be wider than a phone; the rest of the page is not. */
  .table-frame {
    overflow-x: auto;
    border-radius: inherit;
  }
  .table-frame.many-columns {
    container: many-columns / inline-size;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    text-align: start;
  }
  th,
  td {
    padding: 0.6875rem 0.75rem;
    text-align: start;
    vertical-align: middle;
    border-block-end: 1px solid var(--line);
  }
  :is(th, td):first-child {
    padding-inline-start: var(--inset);
  }
  :is(th, td):last-child {
    padding-inline-end: var(--inset);
  }
  tbody tr:last-child > * {
    border-block-end: 0;
  }
  thead th {
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--soft);
  }
  /* A name of one long word leaves the other columns their room, and is not cut into syllables itself. */
  table.stacked tbody th {
    min-inline-size: 9rem;
    overflow-wrap: anywhere;
  }
  tbody th {
    font-weight: 600;
  }
  td.short,
  th.number,
  td.number {
    white-space: nowrap;
  }
  th.number,
  td.number {
    text-align: end;
  }
  td.actions {
    text-align: end;
    white-space: nowrap;
  }
  td.actions > * {
    vertical-align: middle;
  }
  td.actions > * + * {
    margin-inline-start: 0.375rem;
  }
  tbody tr.past > * {
    color: var(--soft);
  }
  @media (max-width: 40rem) {
    ${cards}
  }
  @container many-columns (max-width: 46rem) {
    ${cards}
  }
  @container many-columns (30rem < width <= 46rem) {
    table.stacked tr {
      display: grid;
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: 0 2.5rem;
      align-items: start;
    }
    table.stacked :is(tbody th, td.actions) {
      grid-column: 1 / -1;
    }
  }
`;
