import { html, nothing, type TemplateResult } from 'lit';
import type { ConsoleUsage } from '../../../shared/schemas/console.ts';
import { durationText, utcDayText, wholeNumber } from '../../page/numbers.ts';
import { note } from '../parts/states.ts';
import type { Session } from '../session.ts';

/** Share of a limit from which usage is marked; e-mail notices are sent from here on as well. */
const NEAR = 0.8;

/** An amount and its limit; null for no limit. */
interface Amount {
  used: number;
  limit: number | null;
}

function shareOf({ used, limit }: Amount): number {
  if (limit === null) return 0;
  return limit === 0 ? 1 : used / limit;
}

/**
 * Returns notes for an account near or at a limit: the consequences, and what helps. The account's limit
 * applies to each of its keys, whatever their own limits are.
 */
export function limitNotes(
  { characters, speech, end_time: end }: ConsoleUsage,
  { account: { name, account_id: id }, is_operator: isOperator }: Session,
): TemplateResult[] {
  const until = utcDayText(end);
  // Other names would need quoting in a shell.
  const whom = /^\w[\w.@-]*$/.test(name) ? name : id;
  const help = (option: string) =>
    isOperator
      ? html`On the server,
          <code>npm run dragoman -- account change ${whom} ${option} NUMBER</code> raises it.`
      : 'Whoever runs the server can raise it.';
  const kinds: Kind[] = [
    {
      ...characters,
      format: wholeNumber,
      words: 'characters',
      refused: 'texts, documents and improvements are',
      option: '--characters',
    },
    {
      used: speech.used_ms,
      limit: speech.limit_ms,
      format: durationText,
      words: 'speech',
      refused: 'voice sessions are',
      option: '--speech-minutes',
    },
  ];
  return kinds.map((kind) => limitNote(kind, { until, help })).filter((each) => each !== nothing);
}

interface Kind extends Amount {
  format: (amount: number) => string;
  words: string;
  refused: string;
  option: string;
}

function limitNote(
  { used, limit, format, words, refused, option }: Kind,
  { until, help }: { until: string; help: (option: string) => unknown },
): TemplateResult | typeof nothing {
  const share = shareOf({ used, limit });
  if (limit === null || share < NEAR) return nothing;
  if (limit === 0) {
    return note(
      'bad',
      html`The account may use no ${words}: ${refused} refused, with every key. ${help(option)}`,
    );
  }
  if (share >= 1) {
    return note(
      'bad',
      html`The account has reached its limit of ${words}: ${refused} refused until ${until} (UTC),
      with every key. ${help(option)}`,
    );
  }
  return note(
    'warn',
    html`The account has used ${percent(share)} of its ${words} of this month. What needs more than
    the ${format(limit - used)} that are left is refused until ${until} (UTC). ${help(option)}`,
  );
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/**
 * Shows an amount against its limit: `12,345 of 100,000` and a bar that changes colour at 80 %.
 *
 * @param until start of the next month, ISO 8601
 */
export function meter({
  used,
  limit,
  format,
  label,
  until,
}: Amount & {
  format: (amount: number) => string;
  label: string;
  until: string;
}): TemplateResult {
  if (limit === null) {
    return html`<span class="meter-text number">${format(used)}</span
      ><span class="soft small">no limit</span>`;
  }
  const share = shareOf({ used, limit });
  const isFull = share >= 1;
  const rest = isFull ? `refused until ${utcDayText(until)}` : `${format(limit - used)} left`;
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
              >${isFull ? 'Limit reached' : `${percent(share)} used`}</span
            ><span class="soft small">${limit === 0 ? 'all is refused' : rest}</span>`
    }`;
}
