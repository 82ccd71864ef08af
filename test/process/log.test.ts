import type { EventEmitter } from 'node:events';
import { openSync } from 'node:fs';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLog } from '../../server/process/log.ts';

it('goes on while its disk is full, and does not wait for room at the end', async () => {
  const log = createLog('info', openSync('/dev/full', 'w'));
  const stream = (log as unknown as Record<symbol, EventEmitter>)[pino.symbols.streamSym];
  for (const line of ['first', 'second']) {
    const refused = new Promise((resolve) => stream?.once('error', resolve));
    log.info(line);
    expect(await refused).toMatchObject({ code: 'ENOSPC' });
  }
  // Flushes, as the end of a process does.
  log.fatal('last');
});
