/**
 * Service worker that caches a room's page and its assets, so that it opens without a network and says so.
 * Captions are never cached.
 */
export {};

/** The part of the worker's scope that is used; TypeScript's worker types conflict with those of pages. */
interface Worker {
  location: { href: string };
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
interface Extendable {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetched extends Extendable {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = globalThis as unknown as Worker;
const CACHE = 'dragoman-event-pages';
/** Time after which a cached page replaces a slow network, in ms. */
const PATIENCE_MS = 4_000;
/** Most pages and assets that are cached. A room's page has about ten. */
const MOST_KEPT = 60;
const NAMED_BY_CONTENT = /-[\w-]{8}\.(?:css|js)$/;

const assets = new URL('./', worker.location.href).pathname;
const pages = new URL('../events/', worker.location.href).pathname;

worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  const isPage = request.mode === 'navigate' && /^[^/]+$/.test(pathname.slice(pages.length));
  const isOurs = pathname.startsWith(pages) ? isPage : pathname.startsWith(assets);
  if (request.method !== 'GET' || !isOurs) return;
  event.respondWith(answer(event, pathname));
});

/** Answers from the network while it is available, so that the cached copy is the one last seen. */
async function answer(event: Fetched, pathname: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  // Cached without the query, which the server ignores.
  const kept = await cache.match(pathname);
  if (kept !== undefined && NAMED_BY_CONTENT.test(pathname)) return kept;
  const fresh = fetch(event.request);
  const keeping = fresh.then((response) => keep(cache, { pathname, response: response.clone() }));
  event.waitUntil(keeping.catch(() => undefined));
  if (kept === undefined) return fresh;
  const tooLate = new Promise<Response>((resolve) => setTimeout(() => resolve(kept), PATIENCE_MS));
  return Promise.race([fresh.catch(() => kept), tooLate]);
}

async function keep(
  cache: Cache,
  { pathname, response }: { pathname: string; response: Response },
): Promise<void> {
  if (!response.ok) return;
  await cache.put(pathname, response);
  // The files of former versions come first, because the keys are in the order of their storing.
  const old = (await cache.keys()).slice(0, -MOST_KEPT);
  await Promise.all(old.map((each) => cache.delete(each)));
}
