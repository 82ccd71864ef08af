import { html, nothing, type TemplateResult } from 'lit';

/** From here on, mails are sent as well. */
const NEAR = 0.8;

/**
 * An amount against its limit: `12,345 of 100,000` and a bar that changes its colour at 80 %.
 *
 * @param limit null is none
 */
export function meter({
  used,
  limit,
  format,
  label,
}: {
  used: number;
  limit: number | null;
  format: (amount: number) => string;
  label: string;
}): TemplateResult {
  if (limit === null) {
    return html`<span class="meter-text number">${format(used)}</span
      ><span class="soft small">no limit</span>`;
  }
  const share = limit === 0 ? 1 : used / limit;
  const isFull = used >= limit;
  return html`<span class="meter-text number">${format(used)} of ${format(limit)}</span>
    <progress
      class=${isFull ? 'bad' : share >= NEAR ? 'warn' : ''}
      aria-label=${label}
      max="1"
      value=${Math.min(1, share)}
    ></progress>
    ${
      share < NEAR
        ? nothing
        : html`<span class="badge ${isFull ? 'bad' : 'warn'}"
            >${isFull ? 'Limit reached' : `${Math.floor(share * 100)} % used`}</span
          >`
    }`;
}
