/** When a server is asked again. */

/** Wait after so many failures, in ms: it doubles with every further one, up to `mostMs`. */
export function backOffMs(
  failures: number,
  { firstMs, mostMs = Infinity }: { firstMs: number; mostMs?: number },
): number {
  const fullMs = Math.min(firstMs * 2 ** (failures - 1), mostMs);
  // Between half of the full wait and all of it, so that those who failed together part.
  return fullMs * (0.5 + Math.random() / 2);
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (value === '') return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
