/** Keys as the interface tells them: developer keys and admin keys alike. */
import type {
  DeveloperKey,
  NewDeveloperKey,
  UsageAnalytics,
} from '../../../shared/schemas/admin.ts';
import { api } from '../api.ts';
import { dayOf, presetRange } from './usage-range.ts';

export type ApiKey = DeveloperKey;

/** A key that has just been made: its secret is told this once. */
export type NewApiKey = NewDeveloperKey;

/** Active keys first, each kind in the order they were made. */
export function activeFirst(keys: readonly ApiKey[]): ApiKey[] {
  return [...keys].sort((one, other) => Number(one.is_deactivated) - Number(other.is_deactivated));
}

interface Used {
  characters: number;
  speechMs: number;
}

/** What keys have used this month. */
export interface KeyUsage {
  of(key: ApiKey): Used;
}

/** Reads what each key has used this month; reports name keys by what is shown of their secrets. */
export async function usageOfKeys(signal: AbortSignal): Promise<KeyUsage> {
  const { start } = presetRange('this-month', Date.now());
  const { usage_report: report } = await api.get<UsageAnalytics>('v2/admin/analytics', {
    query: { start_date: start, end_date: dayOf(Date.now()), group_by: 'key' },
    signal,
  });
  const used = new Map<string, Used>();
  for (const { api_key: masked, api_key_label: label, usage } of report.key_usages ?? []) {
    used.set(nameOf(masked, label), {
      characters: usage.total_characters,
      speechMs: usage.speech_to_text_milliseconds,
    });
  }
  return {
    of: ({ masked, label }) => used.get(nameOf(masked, label)) ?? { characters: 0, speechMs: 0 },
  };
}

function nameOf(masked: string, label: string): string {
  return `${masked} ${label}`;
}
