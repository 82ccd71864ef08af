/** `npm run dragoman`: sets up what is missing, then runs the command line in this process. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { refuseOldNode } from './node-version.mjs';
import { root } from './paths.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
await setUpOrExit({ quiet: true });
await import(pathToFileURL(path.join(root, 'dist', 'server', 'cli', 'main.js')).href);
