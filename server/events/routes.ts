import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import encodeQr from 'qr';
import Type from 'typebox';
import { ServiceError } from '../../shared/errors.ts';
import { problems } from '../../shared/schemas/problem.ts';
import {
  RoomChange,
  RoomCreation,
  RoomInfo,
  RoomLanguages,
  RoomLink,
  RoomLinkCreation,
  RoomLinkList,
  RoomLinkPath,
  RoomList,
  RoomPath,
  TranscriptQuery,
  TypedCaption,
} from '../../shared/schemas/rooms.ts';
import { callerByKey, type Door } from '../http/door.ts';
import { abortWhenGone, baseUrl } from '../http/requests.ts';
import { describeLink, type Events, type RoomOwner } from './events.ts';
import { transcriptTypes } from './transcripts.ts';

export interface RoomOptions {
  door: Door;
  events: Events;
  /** Address under which clients reach the server, if configured. */
  publicUrl: string | undefined;
}

const common = { tags: ['events'], security: [{ apiKey: [] }] };
const nothing = Type.Null({ description: 'Deleted or revoked.' });
/**
 * Fits the maximum number of words, each with a replacement, at twelve bytes of JSON escapes per character.
 */
const MAX_ROOM_BODY_BYTES = 2 * 1024 * 1024;

export const svg = {
  200: {
    description: 'A QR code.',
    content: { 'image/svg+xml': { schema: Type.String() } },
  },
  ...problems,
};
export const file = (contentTypes: readonly string[], description: string) => ({
  200: {
    description,
    content: Object.fromEntries(
      contentTypes.map((type) => [
        type,
        {
          schema: Type.Unsafe<Buffer | string>(
            type === 'application/json' ? {} : { type: 'string', format: 'binary' },
          ),
        },
      ]),
    ),
  },
  ...problems,
});

/**
 * Routes by which an account manages its rooms. They belong to the voice interface, so they need the pro
 * plan.
 */
export const roomRoutes: FastifyPluginAsyncTypebox<RoomOptions> = async (app, options) => {
  await app.register(making, options);
  await app.register(links, options);
  await app.register(captions, options);
};

const making: FastifyPluginAsyncTypebox<RoomOptions> = async (app, options) => {
  const { door, events, publicUrl } = options;
  const onRequest = door.require({ plan: 'pro' });
  const consumes = ['application/json'];

  app.post(
    '/v1/rooms',
    {
      onRequest,
      bodyLimit: MAX_ROOM_BODY_BYTES,
      schema: {
        ...common,
        summary: 'Create a room',
        description:
          'Returns the links to hand out to readers, speakers and captioners. A voice ' +
          'session requested with the `room_id` speaks into the room.',
        consumes,
        body: RoomCreation,
        response: { 201: RoomInfo, ...problems },
      },
    },
    async (request, reply) => {
      const room = await events.create(ownerOf(request), request.body);
      return reply.code(201).send(await events.describe(room, baseUrl(request, publicUrl)));
    },
  );

  app.get(
    '/v1/rooms',
    {
      onRequest,
      schema: { ...common, summary: 'List rooms', response: { 200: RoomList, ...problems } },
    },
    async (request) => {
      const { accountId } = request.account;
      return { rooms: await events.list(accountId, baseUrl(request, publicUrl)) };
    },
  );

  app.get(
    '/v1/rooms/:room_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a room',
        description: 'Includes its links and its current readers.',
        params: RoomPath,
        response: { 200: RoomInfo, ...problems },
      },
    },
    async (request) => {
      const room = await events.rooms.get(request.account.accountId, request.params.room_id);
      return events.describe(room, baseUrl(request, publicUrl));
    },
  );

  app.patch(
    '/v1/rooms/:room_id',
    {
      onRequest,
      bodyLimit: MAX_ROOM_BODY_BYTES,
      schema: {
        ...common,
        summary: 'Change a room',
        description:
          'Omitted fields stay as they are; null removes `source_language`, ' +
          '`glossary_id` or `formality`. Changes apply to everything said afterwards.',
        consumes,
        params: RoomPath,
        body: RoomChange,
        response: { 200: RoomInfo, ...problems },
      },
    },
    async (request) => {
      const { params, body } = request;
      const room = await events.change(ownerOf(request), params.room_id, body);
      return events.describe(room, baseUrl(request, publicUrl));
    },
  );

  app.delete(
    '/v1/rooms/:room_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete a room',
        description: 'Also deletes its transcript; speakers and readers are notified.',
        params: RoomPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      await events.delete(account.accountId, params.room_id);
      return reply.code(204).send(null);
    },
  );
};

const links: FastifyPluginAsyncTypebox<RoomOptions> = async (app, options) => {
  const { door, events, publicUrl } = options;
  const onRequest = door.require({ plan: 'pro' });

  app.post(
    '/v1/rooms/:room_id/links',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Create a signed link to a room',
        consumes: ['application/json'],
        params: RoomPath,
        body: RoomLinkCreation,
        response: { 201: RoomLink, ...problems },
      },
    },
    async (request, reply) => {
      const { account, params, body } = request;
      const room = await events.rooms.get(account.accountId, params.room_id);
      const link = await events.rooms.addLink(room, body);
      return reply.code(201).send(describeLink(room, link, baseUrl(request, publicUrl)));
    },
  );

  app.get(
    '/v1/rooms/:room_id/links',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List the links of a room',
        params: RoomPath,
        response: { 200: RoomLinkList, ...problems },
      },
    },
    async (request) => {
      const room = await events.rooms.get(request.account.accountId, request.params.room_id);
      const base = baseUrl(request, publicUrl);
      const found = await events.rooms.links(room);
      return { links: found.map((link) => describeLink(room, link, base)) };
    },
  );

  app.delete(
    '/v1/rooms/:room_id/links/:link_id',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Revoke a link',
        description: 'Everyone who entered through it is disconnected at once.',
        params: RoomLinkPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      const room = await events.rooms.get(account.accountId, params.room_id);
      await events.revoke(room, params.link_id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/rooms/:room_id/code.svg',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'The QR code of the link for readers',
        params: RoomPath,
        response: svg,
      },
    },
    async (request, reply) => {
      const room = await events.rooms.get(request.account.accountId, request.params.room_id);
      const { viewer_url } = await events.describe(room, baseUrl(request, publicUrl));
      return reply.type('image/svg+xml').send(qrCode(viewer_url));
    },
  );
};

/** Draws an address as an SVG QR code. @throws ServiceError not_found if there is no link to show */
export function qrCode(url: string | undefined): string {
  if (url === undefined) {
    throw new ServiceError('not_found', 'No link for readers is good any more: make one.');
  }
  return encodeQr(url, 'svg', { ecc: 'medium' });
}

const captions: FastifyPluginAsyncTypebox<RoomOptions> = async (app, options) => {
  const { door, events } = options;
  const onRequest = door.require({ plan: 'pro' });

  app.post(
    '/v1/rooms/:room_id/captions',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Type or correct a caption',
        description: 'With `line`, replaces that line. Readers see that a person wrote it.',
        consumes: ['application/json'],
        params: RoomPath,
        body: TypedCaption,
        response: { 201: Type.Object({ line: Type.Integer() }), ...problems },
      },
    },
    async ({ account, params, body }, reply) => {
      const room = await events.rooms.get(account.accountId, params.room_id);
      return reply.code(201).send(await events.type(room, body));
    },
  );

  app.get(
    '/v1/rooms/:room_id/transcript',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Download the transcript of a room',
        description:
          'In any language of the room; a language without readers so far is translated on request.',
        params: RoomPath,
        querystring: TranscriptQuery,
        response: file(transcriptTypes, 'The transcript.'),
      },
    },
    async ({ account, params, query }, reply) => {
      const room = await events.rooms.get(account.accountId, params.room_id);
      const { signal } = abortWhenGone(reply);
      const { contentType, content, fileName } = await events.transcript(room, query, signal);
      reply.header('Content-Disposition', `attachment; filename="${fileName}"`);
      return reply.type(contentType).send(content);
    },
  );

  app.delete(
    '/v1/rooms/:room_id/transcript',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Delete the transcript of a room',
        params: RoomPath,
        response: { 204: nothing, ...problems },
      },
    },
    async ({ account, params }, reply) => {
      const room = await events.rooms.get(account.accountId, params.room_id);
      await events.forget(room);
      return reply.code(204).send(null);
    },
  );
};

function ownerOf(request: FastifyRequest): RoomOwner {
  return { accountId: request.account.accountId, keyId: callerByKey(request)?.key.keyId };
}

/** Additional route for the console's form: the languages that a room can be in. */
export const roomLanguageRoutes: FastifyPluginAsyncTypebox<{
  door: Door;
  languages: () => RoomLanguages['languages'];
}> = async (app, { door, languages }) => {
  app.get(
    '/room-languages',
    {
      onRequest: door.require({ plan: 'pro' }),
      schema: { response: { 200: RoomLanguages, ...problems } },
    },
    async () => ({ languages: languages() }),
  );
};
