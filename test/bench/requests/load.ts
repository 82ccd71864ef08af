/** Clients that ask for translations over kept-alive connections, each as soon as it has its answer. */
import http from 'node:http';

export interface LoadTarget {
  url: string;
  authorization?: string;
}

export interface LoadResult {
  requestsPerS: number;
  /** ms per request. */
  latenciesMs: number[];
}

interface LoadOptions {
  clients: number;
  durationMs: number;
  /** Whether a refusal of too many at once (429) is an answer. */
  mayBeRefused?: boolean;
}

/** @throws Error when an answer is not a translation */
export async function load(
  { url, authorization }: LoadTarget,
  bodies: readonly string[],
  { clients, durationMs, mayBeRefused = false }: LoadOptions,
): Promise<LoadResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  let next = 0;
  const client = async () => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const status = await post(
        agent,
        `${url}/v2/translate`,
        authorization,
        bodies[next++ % bodies.length] ?? '',
      );
      if (status !== 200 && !(mayBeRefused && status === 429)) {
        throw new Error(`A translation was answered with ${status}.`);
      }
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { requestsPerS: latenciesMs.length / seconds, latenciesMs };
}

function post(agent: http.Agent, url: string, authorization: string | undefined, body: string) {
  return new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...(authorization !== undefined && { Authorization: authorization }),
    };
    const request = http.request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
    request.end(body);
  });
}
