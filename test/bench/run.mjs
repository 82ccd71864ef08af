/** `npm run bench`: sets up, builds and measures. `npm run bench -- NAME …` runs some benchmarks only. */
import { serverRequirements, testRequirements } from '../../server/setup/debian-packages.mjs';
import { serverModels } from '../../server/setup/models.mjs';
import { refuseOldNode } from '../../server/setup/node-version.mjs';
import { testModelsFolder } from '../../server/setup/paths.mjs';
import { setUpOrExit } from '../../server/setup/set-up.mjs';

refuseOldNode();
// The models of the tests, unless somebody wants others to be measured.
process.env.MODELS_DIR ||= testModelsFolder;
const soundTools = testRequirements.filter(({ name }) => name === 'SoX' || name === 'FFmpeg');
const cluster = process.argv.includes('soak-cluster')
  ? testRequirements.filter(({ name }) => ['PostgreSQL', 'Redis', 'iproute2'].includes(name))
  : [];
await setUpOrExit({
  requirements: [...serverRequirements, ...soundTools, ...cluster],
  models: serverModels,
});

// So that folders are removed on the way out; whatever was started ends with its pipes and sockets.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

// Only now is tsx sure to be there.
const { register } = await import('tsx/esm/api');
register();
const { runBenchmarks } = await import('./benchmarks.ts');
process.exitCode = await runBenchmarks(process.argv.slice(2), console.log);
