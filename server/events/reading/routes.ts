/** Routes for clients with a room key: reading, typing, speaking and pausing. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { problems } from '../../../shared/schemas/problem.ts';
import {
  RoomDesk,
  RoomEntrance,
  RoomEntry,
  RoomPasscode,
  RoomPath,
  RoomPause,
  roomRoles,
  TypedCaption,
  type RoomRole,
} from '../../../shared/schemas/rooms.ts';
import {
  RequestedVoiceSession,
  VoiceReconnectedSession,
  VoiceReconnection,
  VoiceSessionRequest,
} from '../../../shared/schemas/voice-session.ts';
import type { Caller } from '../../http/door.ts';
import { abortWhenGone, baseUrl } from '../../http/requests.ts';
import { securityHeaders } from '../../http/upgrades.ts';
import { streamingUrl, type VoiceSessions } from '../../voice/index.ts';
import type { Events } from '../events.ts';
import { file, qrCode, svg } from '../routes.ts';
import { spokenFormats } from '../spoken-lines.ts';
import type { Room } from '../store.ts';
import { serveEventStream, wishOf } from './sockets.ts';

export interface ReadingOptions {
  events: Events;
  voiceSessions: Pick<VoiceSessions, 'open' | 'reconnect'>;
  /** Returns the account and key that pay for the room. @throws ServiceError forbidden */
  callerOf: (room: Room) => Promise<Caller>;
  /** Returns the languages that can be recognised. */
  heardLanguages: () => string[];
  publicUrl: string | undefined;
}

const security = [{ roomKey: [] }, {}];
const common = { tags: ['events'], security, params: RoomPath };
const live = '/v1/rooms/:room_id/live';

const spokenTypes = Object.values(spokenFormats).map((type) => type.split(';', 1)[0] ?? type);

export const readingRoutes: FastifyPluginAsyncTypebox<ReadingOptions> = async (app, options) => {
  await app.register(reading, options);
  await app.register(working, options);
};

const openToSites = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const LiveHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'Sent by browsers that reconnect; equivalent to `after`.' }),
  ),
});
const LiveQuery = Type.Object({
  language: Type.Optional(Type.String()),
  calmness: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
});

const reading: FastifyPluginAsyncTypebox<ReadingOptions> = async (app, { events }) => {
  // Any site may embed a room's captions: keys are sent explicitly, never by the browser itself.
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(openToSites);
  });
  for (const path of [live, `${live}/entry`]) {
    app.options(path, { schema: { hide: true } }, async (_request, reply) => {
      reply.headers({
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type',
        'Access-Control-Max-Age': '600',
      });
      return reply.code(204).send(null);
    });
  }

  app.get(
    `${live}/entry`,
    {
      schema: {
        ...common,
        summary: 'Check whether a room requires a passcode',
        response: { 200: RoomEntrance, ...problems },
      },
    },
    async ({ params, headers, query }) => {
      const room = await events.rooms.find(params.room_id);
      const { access } = room.wishes;
      const mayRead = await events.rooms.passOf(room, keyOf({ headers, query })).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ServiceError && error.code === 'forbidden') return false;
          throw error;
        },
      );
      return {
        room_id: room.roomId,
        access,
        may_read: mayRead,
        ...((mayRead || access !== 'link') && { name: room.name }),
        ...(mayRead && { languages: room.wishes.languages }),
      };
    },
  );

  app.post(
    `${live}/entry`,
    {
      schema: {
        ...common,
        summary: 'Exchange a passcode for a key',
        description: 'Valid for one day, or until the passcode is changed.',
        consumes: ['application/json'],
        body: RoomPasscode,
        response: { 200: RoomEntry, ...problems },
      },
    },
    async ({ params, body, ip }) => events.enter(params.room_id, body.passcode, ip),
  );

  app.get(
    live,
    {
      schema: {
        ...common,
        summary: 'Follow the captions of a room',
        description:
          'With an upgrade request, a WebSocket (described at /asyncapi.json); ' +
          'otherwise the same messages as server-sent events.',
        querystring: LiveQuery,
        headers: LiveHeaders,
        response: file(['text/event-stream'], 'Messages, until the connection is closed.'),
      },
    },
    async (request, reply) => {
      const { params, query, headers, ip } = request;
      const wish = wishOf(
        { get: (name) => (query as Record<string, string | undefined>)[name] ?? null },
        { roomId: params.room_id, address: ip },
      );
      const last = headers['last-event-id'] ?? '';
      if (/^\d{1,15}$/.test(last)) wish.after = Number(last);
      const key = keyOf(request);
      const admitted = await events.admit({ ...wish, key });
      if (request.method === 'HEAD') {
        // A HEAD response has no body, so its stream would never end.
        admitted.release();
        return reply.type('text/event-stream; charset=utf-8').send('');
      }
      reply.hijack();
      const isHttps = request.protocol === 'https';
      const all = { ...securityHeaders(isHttps), ...openToSites, 'X-Trace-ID': request.id };
      serveEventStream(reply.raw, all, { ...admitted, wish });
    },
  );

  app.get(
    `${live}/speech/:language/:line`,
    {
      schema: {
        ...common,
        summary: 'Get the speech of a line',
        description:
          'A complete file: Opus in WebM, or FLAC. The speech is ' +
          'synthesised once and shared by all listeners.',
        params: Type.Object({
          room_id: Type.String(),
          language: Type.String(),
          line: Type.Integer({ minimum: 1 }),
        }),
        querystring: Type.Object({
          format: Type.Optional(Type.String({ default: 'webm' })),
          key: Type.Optional(Type.String()),
        }),
        response: file(spokenTypes, 'The line, spoken.'),
      },
    },
    async (request, reply) => {
      const { room_id: roomId, language, line } = request.params;
      const room = await events.rooms.find(roomId);
      await events.rooms.passOf(room, keyOf(request));
      const { format = 'webm' } = request.query;
      const { contentType, clip } = await events.speech(room, {
        language,
        line,
        format,
        address: request.ip,
      });
      // Keeps what was said from being stored on a device.
      reply.header('Cache-Control', 'no-store');
      return reply.type(contentType).send(clip);
    },
  );
};

/** Routes for speakers and captioners. */
const working: FastifyPluginAsyncTypebox<ReadingOptions> = async (app, options) => {
  const { events, voiceSessions, callerOf, heardLanguages, publicUrl } = options;

  /** @throws ServiceError not_found, forbidden */
  async function enter(request: FastifyRequest, least: RoomRole) {
    const { room_id: roomId } = request.params as { room_id: string };
    const room = await events.rooms.find(roomId);
    const pass = await events.rooms.passOf(room, keyOf(request));
    if (roomRoles.indexOf(pass.role) >= roomRoles.indexOf(least)) return { room, pass };
    throw new ServiceError('forbidden', `This takes the link of a ${least}.`);
  }

  app.get(
    `${live}/room`,
    {
      schema: {
        ...common,
        summary: 'Current state of a room, for speakers and captioners',
        response: { 200: RoomDesk, ...problems },
      },
    },
    async (request) => {
      const { room } = await enter(request, 'captioner');
      const info = await events.describe(room, baseUrl(request, publicUrl));
      // The links of other roles are not for this client.
      delete info.speaker_url;
      delete info.captioner_url;
      return { ...info, heard_languages: heardLanguages() };
    },
  );

  app.get(
    `${live}/code.svg`,
    {
      schema: {
        ...common,
        summary: 'QR code of the link for readers, for speakers and captioners',
        response: svg,
      },
    },
    async (request, reply) => {
      const { room } = await enter(request, 'captioner');
      const { viewer_url } = await events.describe(room, baseUrl(request, publicUrl));
      return reply.type('image/svg+xml').send(qrCode(viewer_url));
    },
  );

  app.post(
    `${live}/captions`,
    {
      schema: {
        ...common,
        summary: 'Type or correct a caption, with a link',
        consumes: ['application/json'],
        body: TypedCaption,
        response: { 201: Type.Object({ line: Type.Integer() }), ...problems },
      },
    },
    async (request, reply) => {
      const { room } = await enter(request, 'captioner');
      return reply.code(201).send(await events.type(room, request.body));
    },
  );

  app.post(
    `${live}/state`,
    {
      schema: {
        ...common,
        summary: 'Pause or resume a room',
        consumes: ['application/json'],
        body: RoomPause,
        response: { 200: RoomPause, ...problems },
      },
    },
    async (request) => {
      const { room } = await enter(request, 'speaker');
      const { paused } = request.body;
      await events.pause(room, paused);
      return { paused };
    },
  );

  app.post(
    `${live}/session`,
    {
      schema: {
        ...common,
        summary: 'Request a voice session that speaks into a room',
        description:
          'Like POST /v3/voice/realtime or, with a token, like ' +
          'GET /v3/voice/realtime, which reconnects.',
        consumes: ['application/json'],
        body: Type.Union([VoiceSessionRequest, VoiceReconnection]),
        response: {
          200: Type.Union([VoiceReconnectedSession, RequestedVoiceSession]),
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const { room, pass } = await enter(request, 'speaker');
      const { body } = request;
      const caller = await callerOf(room);
      const streaming_url = streamingUrl(request, ownAddress(request, publicUrl) ?? publicUrl);
      if ('token' in body) {
        const question = {
          lastSequence: body.last_sequence,
          gone: abortWhenGone(reply).signal,
        };
        const again = await voiceSessions.reconnect(body.token, caller, question);
        return { streaming_url, ...again };
      }
      const wish = { ...body, room_id: room.roomId };
      const session = await voiceSessions.open(wish, { caller, tag: null });
      await events.expectSpeaker(room, session.session_id, pass);
      return { streaming_url, ...session };
    },
  );
};

/**
 * Returns the address of the page of this server that made the request, so that its socket goes there too
 * while other clients use the public address. Undefined for other clients, and if a proxy changes the host.
 */
function ownAddress(
  { headers: { origin, host } }: FastifyRequest,
  publicUrl: string | undefined,
): string | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const isPublic = publicUrl !== undefined && new URL(publicUrl).origin === origin;
  return !isPublic && new URL(origin).host === host ? origin : undefined;
}

/** Returns the key from the header, or from the query for browsers that cannot send the header. */
function keyOf({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): string | undefined {
  const inHeader = /^room-key\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const { key } = query as { key?: string };
  return inHeader ?? (key === '' ? undefined : key);
}
