/**
 * The stored form of a voice session in the broker, and how another server reads it: the session's
 * request, the messages sent to its client, and the audio from the last resume point on.
 */
import { Decoder } from '@msgpack/msgpack';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { VoiceSessionRequest } from '../../../shared/schemas/voice-session.ts';
import type { Broker } from '../../broker/index.ts';
import { RECOGNITION_RATE_HZ } from '../audio/endpointing.ts';
import {
  MEDIA_ALIGNMENT,
  MEDIA_GAP,
  MediaJump,
  UTTERANCE_END,
  type MediaPiece,
  type RestPlace,
} from '../audio/media.ts';
import type { ResumedPath } from '../path/pipeline.ts';
import { Progress, type ProgressState } from '../path/progress.ts';
import { readAudioEntry } from './audio-entry.ts';

/** Owner and request of a session; nothing of what was said. */
export interface SessionRecord {
  request: VoiceSessionRequest;
  /** Undefined for sessions of the demo page. */
  key?: { keyId: string; accountId: string };
  tag: string | null;
  openedAtMs: number;
  /** Whether a client has ever connected. */
  hasBegun: boolean;
}

/** A durable message. */
export interface KeptMessage {
  sequence: number;
  message: ServerMessage;
}

/** Everything a server needs to resume a session that another server owned. */
export interface KeptSession {
  messages: KeptMessage[];
  /** Sequence of the last message that the client has confirmed. */
  confirmed: number;
  /** Sequence of the last message of the session. */
  lastSequence: number;
  progress: ProgressState;
  /** Request after the last change; undefined when it never changed. */
  request: VoiceSessionRequest | undefined;
  /** Audio from the last resume point on. */
  audio: KeptAudio;
  /** Number of audio entries that cannot be read, as another version of the server wrote them. */
  unreadable: number;
}

/** Returns what the voice path needs of a session that another server ran before. */
export function resumedPath({ progress, audio }: KeptSession): ResumedPath {
  const replayed = audio.pieces.filter((piece) => piece instanceof Uint8Array && piece.length > 0);
  return { ...progress, replayedChunks: replayed.length };
}

export interface KeptAudio {
  pieces: MediaPiece[];
  receivedBytes: number;
  receivedMs: number;
  hasEnded: boolean;
  /** First bytes of the audio, where a decoder needs them. */
  head: Uint8Array[];
}

/** One stream entry: messages, and the state of the session after them. */
export interface MessageEntry {
  messages: [sequence: number, message: ServerMessage, sentence: number | null][];
  /** Sequence of the last message of the session. */
  lastSequence: number;
  /** Number of sentences so far. */
  sentences: number;
  progress?: ProgressState;
  request?: VoiceSessionRequest;
  targets?: Record<string, number>;
}

/** Reason for which a session must end. */
export interface SessionEnding {
  code: ErrorCode;
  message: string;
}

export const recordOf = (sessionId: string) => `session ${sessionId}`;
export const headOf = (sessionId: string) => `session head ${sessionId}`;
const endingOf = (sessionId: string) => `session ending ${sessionId}`;
export const streamOf = (sessionId: string, name: string) => `session ${sessionId} ${name}`;

/** Names of a session's streams, and the most entries each may hold. */
export const MESSAGES = { name: 'told', mostEntries: 10_000 };
export const AUDIO = { name: 'audio', mostEntries: 20_000 };
const READ_AT_ONCE = 100;

const decoder = new Decoder();

/** Reads the record of a session; undefined if unknown. @throws ServiceError broker_unavailable */
export async function readRecord(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
): Promise<SessionRecord | undefined> {
  const found = await broker.records.read(recordOf(sessionId));
  return found && (JSON.parse(found.value.toString()) as SessionRecord);
}

/** Marks a session to be ended by the next server that takes it. @throws ServiceError broker_unavailable */
export async function writeEnding(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
  { code, message, ttlMs }: SessionEnding & { ttlMs: number },
): Promise<void> {
  if ((await readRecord(broker, sessionId)) === undefined) return;
  await broker.records.write(endingOf(sessionId), JSON.stringify({ code, message }), { ttlMs });
}

/** Reads the reason for which a session must end, if any. @throws ServiceError broker_unavailable */
export async function readEnding(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
): Promise<SessionEnding | undefined> {
  const found = await broker.records.read(endingOf(sessionId));
  return found && (JSON.parse(found.value.toString()) as SessionEnding);
}

/** Reads the stored state of a session, for its owner. @throws ServiceError broker_unavailable */
export async function readKept(
  broker: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
): Promise<KeptSession> {
  const progress = new ProgressReader();
  const messages: KeptMessage[] = [];
  let request: VoiceSessionRequest | undefined;
  for await (const bytes of entriesOf(broker, streamOf(sessionId, MESSAGES.name))) {
    const entry = decoder.decode(bytes) as MessageEntry;
    messages.push(...progress.take(entry));
    request = entry.request ?? request;
  }
  const { state, lastSequence } = progress;
  const place = state.rest?.heard.place;
  const { confirmed, unreadable, ...audio } = await readAudio(broker, sessionId, place);
  return {
    messages: inOrder(messages, lastSequence),
    ...{ request, progress: state, audio, unreadable, lastSequence },
    confirmed: Math.min(confirmed, lastSequence),
  };
}

/** Returns the longest run of consecutive messages up to the last, without duplicates. */
function inOrder(messages: readonly KeptMessage[], lastSequence: number): KeptMessage[] {
  const bySequence = new Map(messages.map((each) => [each.sequence, each]));
  const ordered: KeptMessage[] = [];
  for (let sequence = lastSequence; ; sequence -= 1) {
    const message = bySequence.get(sequence);
    if (message === undefined) return ordered.reverse();
    ordered.push(message);
  }
}

async function* entriesOf(
  { streams }: Pick<Broker, 'streams'>,
  stream: string,
): AsyncGenerator<Buffer> {
  for (let after = 0; ;) {
    const entries = await streams.read(stream, after, READ_AT_ONCE);
    for (const { id, bytes } of entries) {
      after = id;
      yield bytes;
    }
    if (entries.length < READ_AT_ONCE) return;
  }
}

/** Replays the progress of a session, entry by entry. */
class ProgressReader {
  readonly #progress = new Progress();
  #sentences = 0;
  #seen = 0;
  lastSequence = 0;

  take(entry: MessageEntry): KeptMessage[] {
    const progress = this.#progress;
    for (const [sequence, message, sentence] of entry.messages) {
      // Messages written again after the broker had lost them may appear twice.
      if (sequence > this.#seen) progress.told(message, sentence === null ? {} : { sentence });
      this.#seen = Math.max(this.#seen, sequence);
    }
    const { state } = progress;
    if (entry.progress !== undefined) progress.resume(entry.progress);
    else if (entry.targets !== undefined) progress.resume({ ...state, targets: entry.targets });
    this.#sentences = Math.max(this.#sentences, entry.sentences);
    this.lastSequence = Math.max(this.lastSequence, entry.lastSequence);
    return entry.messages.map(([sequence, message]) => ({ sequence, message }));
  }

  get state(): ProgressState {
    return { ...this.#progress.state, sentences: this.#sentences };
  }
}

/** Reads the audio from a resume point on, after the container's head and the audio that leads up to it. */
async function readAudio(
  broker: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
  place: RestPlace | undefined,
): Promise<KeptAudio & { confirmed: number; unreadable: number }> {
  const { fromBytes = 0, alignBytes = 0, alignSamples = 0 } = place ?? {};
  const headBytes = (await broker.records.read(headOf(sessionId)))?.value;
  const head = headBytes === undefined ? [] : (decoder.decode(headBytes) as Uint8Array[]);
  const pieces: MediaPiece[] = fromBytes === 0 ? [] : [...head, new MediaJump(fromBytes)];
  // At least this much has arrived, even if none of it can be read.
  const [receivedBytes, receivedMs] = [fromBytes, (1000 * alignSamples) / RECOGNITION_RATE_HZ];
  const kept = { receivedBytes, receivedMs, confirmed: 0, hasEnded: false, unreadable: 0 };
  let isAligned = place === undefined;
  let at = fromBytes;
  let lostBytes = 0;
  const align = (): void => {
    if (!isAligned) pieces.push(MEDIA_ALIGNMENT);
    isAligned = true;
  };
  for await (const bytes of entriesOf(broker, streamOf(sessionId, AUDIO.name))) {
    const entry = readAudioEntry(bytes);
    if (entry === undefined) {
      kept.unreadable += 1;
      continue;
    }
    // Audio may be missing: given up during an outage, lost by the broker, or unreadable.
    if (entry.fromBytes > at) {
      pieces.push(new MediaJump(entry.fromBytes));
      lostBytes += Math.max(0, entry.fromBytes - Math.max(at, alignBytes));
    }
    at = entry.fromBytes;
    for (const piece of entry.pieces) {
      if (at >= alignBytes) align();
      if (piece === null && at >= fromBytes) pieces.push(MEDIA_GAP);
      else if (piece?.length === 0 && at >= alignBytes) pieces.push(UTTERANCE_END);
      else if (piece !== null && piece.length > 0 && at >= fromBytes) pieces.push(piece);
      at += piece?.length ?? 0;
    }
    const { receivedMs, confirmed, hasEnded } = entry;
    Object.assign(kept, { receivedBytes: at, receivedMs, confirmed, hasEnded });
  }
  align();
  // Audio that no server will recognise counts as not received; otherwise the session would wait for it.
  const share = lostBytes === 0 ? 0 : lostBytes / kept.receivedBytes;
  return { ...kept, receivedMs: kept.receivedMs * (1 - share), pieces, head };
}

/** Removes all stored data of a session. */
export async function forget(
  { records, streams }: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
): Promise<void> {
  await Promise.all([
    records.remove(recordOf(sessionId)),
    records.remove(headOf(sessionId)),
    records.remove(endingOf(sessionId)),
    streams.drop(streamOf(sessionId, MESSAGES.name)),
    streams.drop(streamOf(sessionId, AUDIO.name)),
  ]);
}
