/**
 * What is kept of a voice session in the broker, and how another server reads it: what was asked for, what
 * its client was told, and the audio from the last place from which it can be heard again.
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
import { Progress, type ProgressState } from '../path/progress.ts';
import { readAudioEntry } from './audio-entry.ts';

/** Whose a session is, and what it was asked for with; nothing that was said. */
export interface SessionRecord {
  request: VoiceSessionRequest;
  /** Undefined: the demo page's. */
  key?: { keyId: string; accountId: string };
  tag: string | null;
  openedAtMs: number;
  /** Whether it has been connected. */
  hasBegun: boolean;
}

/** Durable messages, in the order in which they are told. */
export interface KeptMessage {
  sequence: number;
  message: ServerMessage;
}

/** What there is of a session when another takes it up. */
export interface KeptSession {
  messages: KeptMessage[];
  /** Up to where its client had them. */
  confirmed: number;
  /** Of the messages, the last one there was. */
  lastSequence: number;
  progress: ProgressState;
  /** As it was changed last; undefined: as it was asked for. */
  request: VoiceSessionRequest | undefined;
  /** From the place on from which it is to be heard again. */
  audio: KeptAudio;
  /** Entries of audio that cannot be read: another version of the server has written them. */
  unreadable: number;
}

export interface KeptAudio {
  pieces: MediaPiece[];
  receivedBytes: number;
  receivedMs: number;
  hasEnded: boolean;
  /** The first bytes there were, where audio cannot be read without them. */
  head: Uint8Array[];
}

/** What was told: messages, and how far the session was then. */
export interface ToldEntry {
  messages: [sequence: number, message: ServerMessage, sentence: number | null][];
  /** Sequence of the last message there was. */
  lastSequence: number;
  /** Sentences so far. */
  sentences: number;
  progress?: ProgressState;
  request?: VoiceSessionRequest;
  targets?: Record<string, number>;
}

/** Why a session is to end. */
export interface SessionEnding {
  code: ErrorCode;
  message: string;
}

export const recordOf = (sessionId: string) => `session ${sessionId}`;
export const headOf = (sessionId: string) => `session head ${sessionId}`;
const endingOf = (sessionId: string) => `session ending ${sessionId}`;
export const streamOf = (sessionId: string, name: string) => `session ${sessionId} ${name}`;

/** Its streams, and how many entries each may have. */
export const TOLD = { name: 'told', mostEntries: 10_000 };
export const AUDIO = { name: 'audio', mostEntries: 20_000 };
const READ_AT_ONCE = 100;

const decoder = new Decoder();

/** Whose a session is; undefined where there is none. @throws ServiceError broker_unavailable */
export async function readRecord(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
): Promise<SessionRecord | undefined> {
  const found = await broker.records.read(recordOf(sessionId));
  return found && (JSON.parse(found.value.toString()) as SessionRecord);
}

/** Says of a session that it is to end, to whoever takes it up. @throws ServiceError broker_unavailable */
export async function writeEnding(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
  { code, message, ttlMs }: SessionEnding & { ttlMs: number },
): Promise<void> {
  if ((await readRecord(broker, sessionId)) === undefined) return;
  await broker.records.write(endingOf(sessionId), JSON.stringify({ code, message }), { ttlMs });
}

/** Whether a session is to end. @throws ServiceError broker_unavailable */
export async function readEnding(
  broker: Pick<Broker, 'records'>,
  sessionId: string,
): Promise<SessionEnding | undefined> {
  const found = await broker.records.read(endingOf(sessionId));
  return found && (JSON.parse(found.value.toString()) as SessionEnding);
}

/** What there is of a session, for its owner. @throws ServiceError broker_unavailable */
export async function readKept(
  broker: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
): Promise<KeptSession> {
  const progress = new ProgressReader();
  const messages: KeptMessage[] = [];
  let request: VoiceSessionRequest | undefined;
  for await (const bytes of entriesOf(broker, streamOf(sessionId, TOLD.name))) {
    const entry = decoder.decode(bytes) as ToldEntry;
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

/** Each once, the last ones that follow each other. */
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

/** How far a session was, entry by entry. */
class ProgressReader {
  readonly #progress = new Progress();
  #sentences = 0;
  #seen = 0;
  lastSequence = 0;

  take(entry: ToldEntry): KeptMessage[] {
    const progress = this.#progress;
    for (const [sequence, message, sentence] of entry.messages) {
      // What was written again, as the broker had lost it, may be there twice.
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

/** Audio from a place on; what leads up to it, and its head, come first. */
async function readAudio(
  broker: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
  place: RestPlace | undefined,
): Promise<KeptAudio & { confirmed: number; unreadable: number }> {
  const { fromBytes = 0, alignBytes = 0, alignSamples = 0 } = place ?? {};
  const headBytes = (await broker.records.read(headOf(sessionId)))?.value;
  const head = headBytes === undefined ? [] : (decoder.decode(headBytes) as Uint8Array[]);
  const pieces: MediaPiece[] = fromBytes === 0 ? [] : [...head, new MediaJump(fromBytes)];
  // So much at least has come, whatever can be read of it.
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
    // Some may have been given up while the broker was away, or was lost by it, or cannot be read.
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
  // What is heard of it nowhere has not come: it would be waited for.
  const share = lostBytes === 0 ? 0 : lostBytes / kept.receivedBytes;
  return { ...kept, receivedMs: kept.receivedMs * (1 - share), pieces, head };
}

/** Takes away all that is kept of a session. */
export async function forget(
  { records, streams }: Pick<Broker, 'records' | 'streams'>,
  sessionId: string,
): Promise<void> {
  await Promise.all([
    records.remove(recordOf(sessionId)),
    records.remove(headOf(sessionId)),
    records.remove(endingOf(sessionId)),
    streams.drop(streamOf(sessionId, TOLD.name)),
    streams.drop(streamOf(sessionId, AUDIO.name)),
  ]);
}
