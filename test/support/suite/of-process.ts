/** What all test files of a process share. */

const kept = ((globalThis as { keptByTests?: Map<string, unknown> }).keptByTests ??= new Map());

/** Answers what the first call with this name made: modules of tests are evaluated anew for each file. */
export function ofProcess<T>(name: string, make: () => T): T {
  if (!kept.has(name)) kept.set(name, make());
  return kept.get(name) as T;
}
