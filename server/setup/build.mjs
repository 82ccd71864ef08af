/** `npm run build`: builds server and widget for production into `dist/`. */
import { refuseOldNode } from './node-version.mjs';
import { setUpOrExit } from './set-up.mjs';

refuseOldNode();
await setUpOrExit({ building: 'always', quiet: true });
