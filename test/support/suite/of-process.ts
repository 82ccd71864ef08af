/** Values shared by all test files of a process. */

const kept = ((globalThis as { keptByTests?: Map<string, unknown> }).keptByTests ??= new Map());

/** Returns what the first call with this name made: test modules are evaluated anew for each file. */
export function ofProcess<T>(name: string, make: () => T): T {
  if (!kept.has(name)) kept.set(name, make());
  return kept.get(name) as T;
}
