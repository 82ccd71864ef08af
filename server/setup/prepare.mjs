/**
 * Sets up all that `npm start` needs and starts nothing, for images of containers and machines; with the
 * argument `packages` those of Debian and npm alone, which seldom change.
 */
import { serverRequirements } from './debian-packages.mjs';
import { serverModels } from './models.mjs';
import { refuseOldNode } from './node-version.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
await setUpOrExit({
  requirements: serverRequirements,
  ...(process.argv[2] === 'packages' ? { building: 'never' } : { models: serverModels }),
});
