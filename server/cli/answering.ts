import type { Command } from 'commander';
import { withAdministration, type Administration } from './administration.ts';
import type { Answer } from './output.ts';

/**
 * Gives a command its work, called with its arguments, and the option `--json`. The answer is
 * printed after the database has been closed: what is printed has been kept.
 */
export function answering(
  command: Command,
  work: (administration: Administration, ...positions: string[]) => Promise<Answer>,
): Command {
  return command.option('--json', 'answer in JSON, for programs').action(async () => {
    const answer = await withAdministration((administration) =>
      work(administration, ...command.args),
    );
    const { json = false } = command.opts<{ json?: boolean }>();
    process.stdout.write(`${json ? JSON.stringify(answer.json, null, 2) : answer.text}\n`);
  });
}
