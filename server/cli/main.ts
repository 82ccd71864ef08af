/** `npm run dragoman`: the command-line interface; works whether or not the server is running. */
import { Command } from 'commander';
import { accountCommands, keyCommands } from './account-commands.ts';
import { listenCommand } from './listen.ts';
import { memoryCommands } from './memory-commands.ts';
import { modelsCommands } from './models.ts';
import { translateCommand } from './translate-command.ts';

const program = new Command('npm run dragoman --')
  .description(
    'Manages accounts, API keys, translation memories and models of a ' +
      'Dragoman server, and translates documents and speech.',
  )
  .addCommand(accountCommands())
  .addCommand(keyCommands())
  .addCommand(memoryCommands())
  .addCommand(modelsCommands())
  .addCommand(listenCommand())
  .addCommand(translateCommand())
  .addHelpText(
    'after',
    `
Examples:
  npm run dragoman -- account create --name editors --plan pro --characters 500000
  npm run dragoman -- key create --account editors --label website
  npm run dragoman -- key deactivate KEY_ID
  npm run dragoman -- memory import harbour.tmx --account editors
  npm run dragoman -- translate report.docx --to es`,
  );

/** Formats an error without its stack; a connection refused at several addresses has only a code. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path: file, message, name }: NodeJS.ErrnoException = error;
  if (code === 'ENOENT' && file !== undefined) return `${file}: there is no such file.`;
  // Its message is written for clients; why, such as a full disk, is for those who run the machine.
  if (code === 'storage_unavailable' && error.cause instanceof Error)
    return `${message} (${explain(error.cause)})`;
  if (code === 'EACCES' && file !== undefined) return `${file}: permission is denied.`;
  return message || (code ?? name);
}

/** Exit code of a program whose output nobody reads any more, as shells report it. */
const UNREAD_EXIT_CODE = 141;
let isUnread = false;
/** Lets a command that handles signals finish and write its files when its output cannot be written. */
function stopUnread(error: NodeJS.ErrnoException): void {
  if (isUnread) return;
  isUnread = true;
  // Of a reader that has left, such as `head`, nobody needs to be told.
  if (error.code !== 'EPIPE') process.stderr.write(`${explain(error)}\n`);
  process.exitCode = UNREAD_EXIT_CODE;
  process.emit('SIGTERM');
}
for (const stream of [process.stdout, process.stderr]) stream.on('error', stopUnread);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
