/** Closes an HTTP server without cutting answers off, and without waiting for who never asks. */
import type { Server } from 'node:http';

export interface GracefulClose {
  /**
   * Ends connections that wait for no answer at once, the others when they have it or after
   * `graceMs`. To be called once the server takes no new connections.
   */
  endConnections(graceMs: number): void;
}

/** Counts what is being answered; to be called before the server listens. */
export function watchRequests(server: Server): GracefulClose {
  let answering = 0;
  let isEnding = false;
  server.on('request', (_request, response) => {
    answering += 1;
    response.once('close', () => {
      answering -= 1;
      if (isEnding && answering === 0) server.closeAllConnections();
    });
  });
  return {
    endConnections(graceMs) {
      isEnding = true;
      // Node counts only connections as idle that have been used: browsers open some ahead.
      if (answering === 0) server.closeAllConnections();
      else setTimeout(() => server.closeAllConnections(), graceMs).unref();
    },
  };
}
