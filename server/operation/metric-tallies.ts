/** Sums that cost an addition each time and are read when somebody asks for the metrics. */
import { Counter, type Registry } from 'prom-client';

/** A sum that only grows. */
export interface Tally {
  add(amount: number): void;
}

/** Sums by the value of one label. */
export interface Tallies<Value extends string> {
  add(value: Value, amount: number): void;
}

interface Described {
  name: string;
  help: string;
  /** Makes base units of what is added: 1/1000 for ms, which become seconds. */
  scale?: number;
}

/** A counter without labels. */
export function addTally(registry: Registry, { scale = 1, ...described }: Described): Tally {
  let sum = 0;
  const counter: Counter = new Counter({
    ...described,
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(sum * scale);
    },
  });
  return { add: (amount) => void (sum += amount) };
}

/**
 * A counter with one label.
 *
 * @param described.label name of the label; there is a sum for each value that was added to
 */
export function addTallies<Value extends string>(
  registry: Registry,
  { label, scale = 1, ...described }: Described & { label: string },
): Tallies<Value> {
  const sums = new Map<Value, number>();
  const counter: Counter = new Counter({
    ...described,
    labelNames: [label],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [value, sum] of sums) counter.inc({ [label]: value }, sum * scale);
    },
  });
  return { add: (value, amount) => void sums.set(value, (sums.get(value) ?? 0) + amount) };
}
