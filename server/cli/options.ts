/** Options that several commands have, and how their values are read. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Feature, UsageLimits } from '../http/door.ts';

const MINUTE_MS = 60_000;
const FEATURES: readonly Feature[] = ['admin', 'detection'];

/** A limit as it was given: commander takes null for a value that is missing. */
type LimitValue = number | 'none';

/** What {@link addLimits} reads; absent means: as it was, or without limit. */
export interface LimitOptions {
  characters?: LimitValue;
  speechMinutes?: LimitValue;
  speechMs?: LimitValue;
}

/** Adds the options that limit what may be used in a month. */
export function addLimits(command: Command): Command {
  return command
    .option('--characters <number>', 'most characters a month (0 blocks, none lifts)', parseLimit)
    .option('--speech-minutes <number>', 'most minutes of speech a month', parseLimit)
    .option('--speech-ms <number>', 'the same in milliseconds', parseLimit);
}

/** The limits that were given. */
export function limitsOf(options: LimitOptions): Partial<UsageLimits> {
  const { characters, speechMinutes, speechMs } = options;
  return {
    ...(characters !== undefined && { characters: limitOf(characters, 1) }),
    ...(speechMinutes !== undefined && { speechMs: limitOf(speechMinutes, MINUTE_MS) }),
    ...(speechMs !== undefined && { speechMs: limitOf(speechMs, 1) }),
  };
}

function limitOf(value: LimitValue, unit: number): number | null {
  return value === 'none' ? null : value * unit;
}

/** An option that names a feature and may be given several times. */
export function featureOption(flag: string, description: string): Option {
  return new Option(
    `${flag} <feature>`,
    `${description}: ${FEATURES.join(', ')} (repeatable)`,
  ).argParser((value: string, previous: Feature[] | undefined) => {
    const feature = FEATURES.find((known) => known === value);
    if (feature === undefined) throw new InvalidArgumentError(`Possible: ${FEATURES.join(', ')}.`);
    return [...(previous ?? []), feature];
  });
}

/** An option that may be given several times. */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser(
    (value: string, previous: string[] | undefined) => [...(previous ?? []), value],
  );
}

/** A list with some entries more and others less, under its name; nothing where none were given. */
export function changedList<Name extends string>(
  name: Name,
  list: readonly string[],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): Partial<Record<Name, string[]>> {
  if (added.length + removed.length === 0) return {};
  const entries = [...new Set([...list, ...added])].filter((entry) => !removed.includes(entry));
  return { [name]: entries } as Record<Name, string[]>;
}

/** The option for a plan. */
export function planOption(): Option {
  return new Option('--plan <plan>', 'plan of the account').choices(['pro', 'free']);
}

function parseLimit(value: string): LimitValue {
  if (value === 'none') return value;
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Give a whole number from 0, or none.');
}
