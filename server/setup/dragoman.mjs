/** `npm run dragoman`: sets up what is missing, then runs the command line in this process. */
import { pathToFileURL } from 'node:url';
import { refuseOldNode } from './node-version.mjs';
import { commandLineEntry } from './product.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
await setUpOrExit({ quiet: true });
await import(pathToFileURL(commandLineEntry).href);
