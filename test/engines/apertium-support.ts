/** Apertium for tests: the installed engine, and one whose stages fail on demand. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { TranslationEngine, TranslationOptions } from '../../server/engines/engine.ts';
import { createApertium, type ApertiumOptions } from '../../server/engines/translation/apertium.ts';
import type { Logger } from '../../server/process/log.ts';
import { plain, textsOf } from './marked-segments.ts';

/** Returns a logger that keeps its lines. */
export function recordingLog(): Logger & { lines: { fields: object; message: string }[] } {
  const lines: { fields: object; message: string }[] = [];
  const record = (fields: object, message: string) => {
    lines.push({ fields, message });
  };
  return { lines, debug: record, info: record, warn: record, error: record };
}

/** Matches a string that contains the part; typed `unknown` to fit in any place. */
export function containing(part: string): unknown {
  return expect.stringContaining(part) as unknown;
}

/** Creates an engine that the caller closes. */
export async function openApertium(
  options: Partial<ApertiumOptions> = {},
): Promise<TranslationEngine> {
  const engine = await createApertium({ log: recordingLog(), ...options });
  assert.ok('translate' in engine, 'apertium is not installed');
  return engine;
}

/** Creates an engine that is closed when the test finishes. */
export async function apertium(options: Partial<ApertiumOptions> = {}): Promise<TranslationEngine> {
  const engine = await openApertium(options);
  onTestFinished(() => engine.close());
  return engine;
}

let ofFile: Promise<TranslationEngine> | undefined;

/** Returns the engine of a test file, which is closed after it. */
export async function apertiumOfFile(): Promise<TranslationEngine> {
  if (ofFile === undefined) {
    ofFile = openApertium();
    afterAll(async () => (await ofFile)?.close());
  }
  return await ofFile;
}

/** Translates texts without marks. */
export async function translateTexts(
  engine: TranslationEngine,
  texts: readonly string[],
  options: TranslationOptions,
): Promise<string[]> {
  return textsOf(await engine.translate(plain(texts), options));
}

/** Creates a folder that is removed when the test finishes. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'apertium-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A stage that passes frames on and fails at frames with certain words. In Perl, which every Debian has: it
 * starts at a tenth of the cost of Node, and tests start it a hundred times.
 */
const faultyStage = `
# What floods another stage alone is never seen.
my $isLast = grep { $_ eq 'last' } @ARGV;
$/ = "\\0";
$| = 1;
while (my $frame = <STDIN>) {
  chomp $frame or last;
  kill 'KILL', $$ if $frame =~ /CRASH/;
  if ($frame =~ /HALF/) { print substr($frame, 0, length($frame) / 2), "\\0"; exit; }
  next if $frame =~ /SWALLOW/;
  print "$frame\\0" if $frame =~ /TWICE/;
  while ($frame =~ /HANG/) { sleep 1 }
  while ($isLast && $frame =~ /FLOOD/) { print 'x' x 65536 }
  print "$frame\\0";
}
`;

/**
 * Creates a modes folder with two modes (en to es, and es to it for the route from en): each of two stages that copy
 * text and fail on demand.
 */
export async function faultyModes(): Promise<string> {
  const folder = await temporaryFolder();
  const stage = join(folder, 'stage');
  await writeFile(stage, `#!/usr/bin/perl\n${faultyStage}`);
  await chmod(stage, 0o755);
  for (const mode of ['eng-spa', 'spa-ita']) {
    await writeFile(join(folder, `${mode}.mode`), `${stage} | ${stage} last`);
  }
  return folder;
}

/** A process, from Linux's `/proc`. */
export interface ProcessEntry {
  pid: number;
  parentPid: number;
  groupId: number;
  sizeBytes: number;
}

/** Lists the running processes, except zombies. */
export async function processes(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map(async (pid): Promise<ProcessEntry[]> => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
      // The name in parentheses may contain any character, so fields count from the closing one.
      const [state, parentPid, groupId, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (stat === '' || state === 'Z' || state === 'X') return [];
      const sizeBytes = Number(more[18]) * 4096;
      return [
        { pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), sizeBytes },
      ];
    }),
  );
  return entries.flat();
}

/** Process groups of other tests that share this process, for example a browser. */
let otherGroups: ReadonlySet<number> = new Set();

/** Excludes the groups that run now from {@link groupsStartedBy}. */
export async function leaveOutGroups(): Promise<void> {
  const running = (await groupsStartedBy()).flat();
  otherGroups = new Set([...otherGroups, ...running.map(({ groupId }) => groupId)]);
}

/** Lists the process groups that a process (by default this one) has started and that still run. */
export async function groupsStartedBy(pid = process.pid): Promise<ProcessEntry[][]> {
  const all = await processes();
  const ids = all.filter(
    (each) => each.parentPid === pid && each.groupId === each.pid && !otherGroups.has(each.groupId),
  );
  return ids.map(({ groupId }) => all.filter((each) => each.groupId === groupId));
}

/** Waits for a condition; fails when it does not become true in time. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  { withinMs = 90_000, what }: { withinMs?: number; what: string },
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within ${withinMs} ms: ${what}`);
    await delay(25);
  }
}
