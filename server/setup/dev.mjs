/** `npm run dev`: restarts the server and rebuilds the widget whenever a source changes. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { serverRequirements } from './debian-packages.mjs';
import { serverModels } from './models.mjs';
import { refuseOldNode } from './node-version.mjs';
import { root } from './paths.mjs';
import { forgetBuild, modulePath, viteBuild } from './product.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
// Built once up front: the server would have nothing to serve before the widget's first build.
await setUpOrExit({ requirements: serverRequirements, models: serverModels });
forgetBuild();

const commands = [
  [...viteBuild, '--watch', '--logLevel', 'warn', '--outDir', path.join(root, 'dist', 'widget')],
  [modulePath('tsx/dist/cli.mjs'), 'watch', '--clear-screen=false', 'server/main.ts'],
];
// In their own process groups; otherwise Ctrl+C would reach them twice, from the terminal and from
// this process.
const children = commands.map((args) =>
  spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  }),
);

/** @param {NodeJS.Signals} signal */
const stop = (signal) => children.forEach((child) => child.kill(signal));
process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
// This process waits for both, so that the server can finish its sessions.
for (const child of children) {
  child.once('exit', (code) => {
    process.exitCode ??= code ?? 0;
    stop('SIGTERM');
  });
}
