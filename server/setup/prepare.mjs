/**
 * Sets up everything for `npm start` without starting the server, for container and machine images.
 * With the argument `packages`, installs only Debian and npm packages, which seldom change.
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
