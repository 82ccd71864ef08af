/**
 * A stub of OpenAI's realtime transcription API, in its current form, its beta form and that of speaches.
 * Recognises speech made of tones.
 */
import { startSpeechSockets, type SpeechConnection, type SpeechSockets } from './speech-sockets.ts';
import { hearTones, samplesOfBytes, textOf } from '../audio/tone-speech.ts';

/** Variant of the API. */
export type RealtimeManners = 'ga' | 'beta' | 'speaches';

interface ClientEvent extends Record<string, unknown> {
  type: string;
  audio?: string;
  session?: Record<string, unknown>;
}

export interface RealtimeServer extends SpeechSockets {
  /** Address up to `/v1`. */
  readonly apiUrl: string;
  manners: RealtimeManners;
  /** Session updates in order of arrival. */
  readonly updates: ClientEvent[];
  /** Events sent in place of a session's first event, or of a transcript, one each. */
  readonly sayAtBeginning: object[];
  readonly sayAtCommit: ((itemId: string) => object)[];
  /** Number of words after which it ends a turn by itself, although it was told not to; 0 for never. */
  wordsPerTurn: number;
  /** Number of completed transcripts. */
  completedCount: number;
  reset(): void;
}

interface Session {
  model: string;
  language: string | undefined;
  prompt: string;
}

const SAMPLE_RATE_HZ = 24_000;
const SHORTEST_MS = 100;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
let nextId = 0;

function id(prefix: string): string {
  nextId += 1;
  return `${prefix}_${nextId}`;
}

export async function startRealtimeServer({ key }: { key?: string } = {}): Promise<RealtimeServer> {
  const sockets = await startSpeechSockets({
    ...(key !== undefined && { key }),
    serve: (connection) => serve(connection, server),
  });
  const manners: RealtimeManners = 'ga';
  const server: RealtimeServer = Object.assign(sockets, {
    apiUrl: `${sockets.url}/v1`,
    manners,
    updates: [],
    sayAtBeginning: [],
    sayAtCommit: [],
    wordsPerTurn: 0,
    completedCount: 0,
    reset() {
      server.manners = 'ga';
      server.wordsPerTurn = 0;
      server.always = undefined;
      server.completedCount = 0;
      const { next, requests, updates, sayAtBeginning, sayAtCommit } = server;
      for (const list of [next, requests, updates, sayAtBeginning, sayAtCommit]) list.length = 0;
    },
  });
  return server;
}

function serve(connection: SpeechConnection, server: RealtimeServer) {
  let session: Session | undefined;
  let audio = Buffer.alloc(0);
  let previousItem: string | null = null;
  const send = (event: object) => connection.send({ event_id: id('event'), ...event });
  const refuse = (message: string, code: string | null = null) =>
    send({ type: 'error', error: { type: 'invalid_request_error', code, message, param: null } });

  const commit = (): void => {
    const lengthMs = audio.byteLength / (SAMPLE_RATE_HZ / 500);
    const isTaken = server.wordsPerTurn > 0 && wordsIn(audio).length === 0;
    if (lengthMs < SHORTEST_MS || isTaken) {
      refuse('buffer too small', 'input_audio_buffer_commit_empty');
      return;
    }
    const item_id = id('item');
    send({ type: 'input_audio_buffer.committed', item_id, previous_item_id: previousItem });
    previousItem = item_id;
    const said = server.sayAtCommit.shift();
    if (said !== undefined) send(said(item_id));
    else transcribe(item_id);
    audio = Buffer.alloc(0);
  };

  const wordsIn = (bytes: Buffer) => {
    const terms = session?.prompt ?? '';
    return hearTones(samplesOfBytes(bytes), { sampleRateHz: SAMPLE_RATE_HZ, terms });
  };

  const endTurn = (): void => {
    const words = server.wordsPerTurn > 0 ? wordsIn(audio) : [];
    const last = words[server.wordsPerTurn - 1];
    // The word is over once the next has begun.
    if (last === undefined || words.length <= server.wordsPerTurn) return;
    const end = Math.round(((last.endMs + 30) * SAMPLE_RATE_HZ) / 1000) * 2;
    const rest = audio.subarray(end);
    audio = audio.subarray(0, end);
    commit();
    audio = rest;
  };

  const transcribe = (item_id: string): void => {
    const words = wordsIn(audio);
    words.forEach(({ text }, index) => {
      const delta = index === 0 ? text : ` ${text}`;
      send({ type: `${TRANSCRIPTION}.delta`, item_id, content_index: 0, delta });
    });
    const transcript = textOf(words);
    server.completedCount += 1;
    send({ type: `${TRANSCRIPTION}.completed`, item_id, content_index: 0, transcript });
  };

  const update = (event: ClientEvent): void => {
    server.updates.push(event);
    const read = readers[server.manners](event);
    if (typeof read === 'string') {
      refuse(read);
      return;
    }
    session = read;
    const turns = server.wordsPerTurn > 0 && { turn_detection: { type: 'server_vad' } };
    const accepted = { ...event.session, ...turns };
    send({ type: event.type.replace('.update', '.updated'), session: accepted });
  };

  begin(connection, server, send, refuse);
  return {
    onBytes: () => connection.close(1003),
    onText(text: string) {
      const event = JSON.parse(text) as ClientEvent;
      if (event.type.endsWith('session.update')) update(event);
      else if (event.type === 'input_audio_buffer.commit') commit();
      else if (event.type === 'input_audio_buffer.append' && session !== undefined) {
        const bytes = Buffer.from(event.audio ?? '', 'base64');
        audio = Buffer.concat([audio, bytes]);
        endTurn();
        connection.hasHeard(bytes.byteLength / (SAMPLE_RATE_HZ / 500));
      } else refuse(`Invalid value: '${event.type}'`);
    },
  };
}

/** Sends the first event of a session, or refuses it. */
function begin(
  connection: SpeechConnection,
  server: RealtimeServer,
  send: (event: object) => void,
  refuse: (message: string, code?: string) => void,
): void {
  const { pathname, searchParams } = new URL(connection.request.url ?? '/', 'ws://localhost');
  const said = server.sayAtBeginning.shift();
  if (said !== undefined) {
    send(said);
    return;
  }
  const isTranscription = searchParams.get('intent') === 'transcription';
  if (pathname !== '/v1/realtime' || !isTranscription) connection.close(1008);
  const hasModel = searchParams.has('model');
  if (server.manners !== 'speaches' && hasModel) {
    refuse('You must not provide a model parameter for transcription sessions.', 'invalid_model');
  } else if (server.manners === 'speaches' && !hasModel) connection.close(1008);
  else send(beginnings[server.manners]);
}

const flat = { input_audio_format: 'pcm16', turn_detection: { type: 'server_vad' } };
const beginnings: Record<RealtimeManners, object> = {
  ga: {
    type: 'session.created',
    session: {
      type: 'transcription',
      object: 'realtime.transcription_session',
      audio: { input: { turn_detection: { type: 'server_vad' } } },
    },
  },
  beta: {
    type: 'transcription_session.created',
    session: { object: 'realtime.transcription_session', ...flat },
  },
  speaches: { type: 'session.created', session: { modalities: ['audio', 'text'], ...flat } },
};

interface FlatSession {
  input_audio_format?: string;
  input_audio_transcription?: { model: string; language?: string; prompt?: string };
  turn_detection?: unknown;
}

interface NestedSession {
  type?: string;
  audio?: {
    input?: {
      format?: { type: string; rate: number };
      transcription?: { model: string; language?: string; prompt?: string };
      turn_detection?: unknown;
    };
  };
}

/** Parses an update for each variant; returns an error message if it is invalid. */
const readers: Record<RealtimeManners, (event: ClientEvent) => Session | string> = {
  ga({ type, session }) {
    if (type !== 'session.update') return `Invalid value: '${type}'`;
    const { type: kind, audio } = session as NestedSession;
    if (kind !== 'transcription') return 'Missing required parameter: session.type';
    const { format, transcription, turn_detection } = audio?.input ?? {};
    if (format?.type !== 'audio/pcm' || format.rate !== 24_000) return 'Invalid format';
    return sessionOf(transcription, turn_detection);
  },
  beta({ type, session }) {
    if (type !== 'transcription_session.update') return `Invalid value: '${type}'`;
    const flatSession = session as FlatSession;
    if (flatSession.input_audio_format !== 'pcm16') return 'Invalid format';
    return sessionOf(flatSession.input_audio_transcription, flatSession.turn_detection);
  },
  speaches({ type, session }) {
    if (type !== 'session.update') return `Invalid value: '${type}'`;
    const flatSession = session as FlatSession;
    if (flatSession.input_audio_format !== undefined) return 'input_audio_format is not supported';
    return sessionOf(flatSession.input_audio_transcription, flatSession.turn_detection);
  },
};

function sessionOf(
  transcription: { model: string; language?: string; prompt?: string } | undefined,
  turnDetection: unknown,
): Session | string {
  if (transcription === undefined) return 'There is nothing to transcribe with';
  if (turnDetection !== null) return 'This test ends its utterances itself';
  const { model, language, prompt = '' } = transcription;
  return { model, language, prompt };
}
