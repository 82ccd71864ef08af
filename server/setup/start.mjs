/** `npm start`: sets up what is missing, then runs the server in this process. */
import { pathToFileURL } from 'node:url';
import { serverRequirements } from './debian-packages.mjs';
import { serverModels } from './models.mjs';
import { refuseOldNode } from './node-version.mjs';
import { serverEntry } from './product.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
await setUpOrExit({ requirements: serverRequirements, models: serverModels });
await import(pathToFileURL(serverEntry).href);
