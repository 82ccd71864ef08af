/** HTTP routes of voice sessions: requesting a session, and reconnecting to one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { problems } from '../../../shared/schemas/problem.ts';
import {
  VOICE_CONNECT_PATH,
  RequestedVoiceSession,
  VoiceReconnectedSession,
  VoiceReconnection,
  VoiceSessionRequest,
} from '../../../shared/schemas/voice-session.ts';
import type { VoiceSessions } from './voice-sessions.ts';
import type { Door } from '../../http/door.ts';
import { abortWhenGone, baseUrl, reportingTag } from '../../http/requests.ts';

export interface VoiceOptions {
  voiceSessions: VoiceSessions;
  door: Door;
  publicUrl: string | undefined;
}

/** Returns the URL of the voice socket. @throws ServiceError invalid_request without a usable host */
export function streamingUrl(request: FastifyRequest, publicUrl: string | undefined): string {
  return baseUrl(request, publicUrl).replace(/^http/, 'ws') + VOICE_CONNECT_PATH;
}

export const voiceRoutes: FastifyPluginAsyncTypebox<VoiceOptions> = async (app, options) => {
  const { voiceSessions, door, publicUrl } = options;
  app.post(
    '/v3/voice/realtime',
    {
      onRequest: door.require({ plan: 'pro' }),
      schema: {
        summary: 'Request a voice session',
        description:
          'Returns the address of the WebSocket and a token that is valid for one connection.',
        tags: ['voice'],
        security: [{ apiKey: [] }],
        body: VoiceSessionRequest,
        response: { 200: RequestedVoiceSession, ...problems },
      },
    },
    async (request) => {
      const streaming_url = streamingUrl(request, publicUrl);
      const owner = { caller: request.caller, tag: reportingTag(request) };
      return { streaming_url, ...(await voiceSessions.open(request.body, owner)) };
    },
  );

  app.get(
    '/v3/voice/realtime',
    {
      onRequest: door.require({ plan: 'pro' }),
      schema: {
        summary: 'Reconnect to a voice session',
        description:
          'Exchanges the latest token of a session for a new one and drops a connection that ' +
          'is still active. A token that was already exchanged ends the session.',
        tags: ['voice'],
        security: [{ apiKey: [] }],
        querystring: VoiceReconnection,
        response: { 200: VoiceReconnectedSession, ...problems },
      },
    },
    async (request, reply) => {
      const { token, last_sequence: lastSequence } = request.query;
      const streaming_url = streamingUrl(request, publicUrl);
      const question = { lastSequence, gone: abortWhenGone(reply).signal };
      const answer = await voiceSessions.reconnect(token, request.caller, question);
      return { streaming_url, ...answer };
    },
  );
};
