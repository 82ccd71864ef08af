/** Wires live events together: the rooms, their speakers and captioners, and their readers. */
import type { Broker } from '../broker/index.ts';
import type { Config } from '../config.ts';
import { ServiceError, toServiceError } from '../../shared/errors.ts';
import type { Caller, PageRoutes, Routes } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import type { Translation } from '../translation/translation.ts';
import type { openVoice, SessionRoom } from '../voice/index.ts';
import { createCaptionLog } from './embedded-caption-log.ts';
import { Events } from './events.ts';
import { LiveRooms } from './live-rooms.ts';
import { SharedCaptionLog } from './nodes/shared-caption-log.ts';
import { ReaderSeats } from './nodes/reader-seats.ts';
import { createSpeakerPasses } from './room-keys.ts';
import { eventPages } from './page-routes.ts';
import { FanOut } from './reading/fan-out.ts';
import { createReaderDesk } from './reading/readers.ts';
import { readingRoutes } from './reading/routes.ts';
import { readerSockets } from './reading/sockets.ts';
import { Rooms } from './rooms.ts';
import { roomLanguageRoutes, roomRoutes } from './routes.ts';
import { createSpokenLines } from './spoken-lines.ts';
import type { Room } from './store.ts';

/**
 * Joins that one network may make in a burst, and per second after that: a hall full of phones shares an
 * address.
 */
const JOINS = { burst: 1_000, perSecond: 200 } as const;

export function openEvents({
  config,
  log,
  storage,
  broker,
  translation,
  voice,
}: {
  config: Config;
  log: Logger;
  storage: Storage;
  broker: Broker;
  translation: Translation;
  voice: Pick<
    ReturnType<typeof openVoice>,
    'sessions' | 'liveTranslation' | 'heardLanguages' | 'canSpeak' | 'speakLine'
  >;
}) {
  const store = storage.rooms;
  const shared = config.BROKER_URL !== undefined && new SharedCaptionLog({ store, broker, log });
  const captions = shared === false ? createCaptionLog({ store, log }) : shared;
  const spokenLines = createSpokenLines(voice);
  const mostInRoom = config.EVENTS_MAX_VIEWERS_PER_ROOM;
  const callerOf = (room: Room) => activeCaller(storage, room);
  const sourcesOf = ({ wishes }: Room) =>
    wishes.sourceLanguage === null ? voice.heardLanguages() : [wishes.sourceLanguage];
  const live = new LiveRooms({
    captions,
    nodes: shared === false ? undefined : { captions: shared, broker },
    store,
    log,
    callerOf,
    spokenLines,
    fanOut: new FanOut(),
    liveTranslation: voice.liveTranslation,
    pairsOf: (room) =>
      sourcesOf(room)
        .flatMap((source) => room.wishes.languages.map((target) => ({ source, target })))
        .filter((pair) => translation.serves(pair)),
    spokenLanguages: (room) => spokenLines.languages(room.wishes.languages),
  });
  const seats = shared === false ? undefined : new ReaderSeats({ broker, mostInRoom });
  const events = new Events({
    live,
    captions,
    spokenLines,
    rooms: new Rooms({
      store,
      spokenLanguages: voice.heardLanguages,
      offeredLanguages: () => [
        ...new Set(voice.heardLanguages().flatMap((source) => translation.targets(source))),
      ],
    }),
    seats,
    readers: createReaderDesk(
      {
        most: config.EVENTS_MAX_VIEWERS,
        mostInRoom,
        mostFromAddress: config.EVENTS_MAX_VIEWERS_PER_ADDRESS,
        joinBurst: JOINS.burst,
        joinsPerSecond: JOINS.perSecond,
      },
      broker.buckets,
    ),
    // Sessions that could not be ended are logged.
    endSession: (sessionId) => void voice.sessions.end(sessionId).catch(() => undefined),
    passes: shared === false ? undefined : createSpeakerPasses(broker),
    payingKey: (accountId, keyIds) => payingKey(storage, accountId, keyIds),
  });
  const publicUrl = config.PUBLIC_URL;
  const owners: Routes = async (app, { door }) => {
    await app.register(roomRoutes, { door, events, publicUrl });
  };
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(owners, { door });
    await app.register(roomLanguageRoutes, {
      door,
      languages: () =>
        voice.heardLanguages().map((source) => ({
          source_language: source,
          target_languages: translation.targets(source),
        })),
    });
  };
  const routes: PageRoutes = async (app, { door, widgetFolder }) => {
    await app.register(owners, { door });
    await app.register(readingRoutes, {
      events,
      callerOf,
      publicUrl,
      heardLanguages: voice.heardLanguages,
      voiceSessions: voice.sessions,
    });
    await app.register(eventPages, { widgetFolder, rooms: events.rooms });
  };
  return {
    routes,
    consoleRoutes,
    sockets: readerSockets({ admit: (wish) => events.admit(wish), trustProxy: config.TRUST_PROXY }),
    /** Returns the account's room for a voice session to speak into. @throws ServiceError not_found */
    async roomOf(roomId: string, caller: Caller | undefined): Promise<SessionRoom> {
      const room = await events.rooms.get(caller?.account.accountId ?? '', roomId);
      await live.open(room);
      return {
        // The room may have been released before the first word, so `hear` opens it again.
        hear: (speech) =>
          void events
            .hear(room, speech)
            .catch((error: unknown) => speech.end(toServiceError(error))),
      };
    },
    /** Ids of the API keys that pay for the rooms that are live now. */
    keyIds: () => live.keyIds(),
    /** Live rooms that a deactivated key pays for continue untranslated. */
    endOfKey: (keyId: string) => live.endOfKey(keyId),
    stop: () => live.stop(),
    /**
     * Writes outstanding captions and frees the seats of this server's readers, as far as possible within
     * seconds.
     */
    flush: () => Promise.all([captions.flush(), seats?.left()]),
  };
}

/** Returns the room's account and key, provided the key is still active. @throws ServiceError forbidden */
async function activeCaller(storage: Storage, { accountId, keyId }: Room): Promise<Caller> {
  const [key, account] = await Promise.all([
    storage.apiKeys.find(accountId, keyId),
    storage.accounts.find(accountId),
  ]);
  if (key?.deactivatedAtMs === null && account !== undefined) return { key, account };
  throw new ServiceError(
    'forbidden',
    'The API key that this room was made with is not active any more. Change the room with another key, which pays from then on.',
  );
}

/**
 * Returns the first of these keys that is active, or else any active developer key of the account.
 * @throws ServiceError forbidden
 */
async function payingKey(
  storage: Storage,
  accountId: string,
  keyIds: readonly (string | undefined)[],
): Promise<string> {
  const keys = await storage.apiKeys.list(accountId);
  const active = keys.filter(({ deactivatedAtMs }) => deactivatedAtMs === null);
  const wanted = keyIds.flatMap((id) => active.filter(({ keyId }) => keyId === id));
  const found = wanted[0] ?? active.find(({ kind }) => kind === 'developer');
  if (found !== undefined) return found.keyId;
  throw new ServiceError(
    'forbidden',
    'A room is paid for by an API key: make a developer key first.',
  );
}
