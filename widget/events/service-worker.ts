/**
 * Keeps the page of a room, so that it opens without a network and says so: its address, and the files it
 * is made of. Nothing that is said is ever kept.
 */
export {};

/** What a worker has; its types and those of a page do not go together. */
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
/** A network that takes longer is none, where there is something to show. */
const PATIENCE_MS = 4_000;

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

/** From the network as long as there is one: what is kept is never older than what was last seen. */
async function answer(event: Fetched, pathname: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  // Without its parameters, which say nothing to the server.
  const kept = await cache.match(pathname);
  const fresh = fetch(event.request).then((response) => {
    if (response.ok) event.waitUntil(cache.put(pathname, response.clone()));
    return response;
  });
  if (kept === undefined) return fresh;
  fresh.catch(() => undefined);
  const tooLate = new Promise<Response>((resolve) => setTimeout(() => resolve(kept), PATIENCE_MS));
  return Promise.race([fresh.catch(() => kept), tooLate]);
}
