/** Audio through a voice session: captions to a display, the transcript and the speech to files. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { SpeechEvent } from '../../shared/client/index.ts';
import {
  connectVoice,
  type ServerConnectOptions,
  type VoiceEvent,
  type VoiceSession,
} from '../../shared/client/node.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../shared/wav.ts';
import type { AudioInput } from './listen-audio.ts';
import type { Display, Transcript } from './listen-output.ts';

export interface ListenOptions {
  input: AudioInput;
  session: Omit<ServerConnectOptions, 'contentType'>;
  display: Display;
  transcript: Transcript | undefined;
  speech: SpeechFile | undefined;
}

export interface Listening {
  /** Resolves when everything was said. @throws VoiceError, or Error of the input */
  readonly done: Promise<Heard>;
  /** Reads no more audio; what was heard is concluded. */
  finish(): void;
  /** Ends at once. */
  close(): void;
}

export interface Heard {
  /** Audio that the server said it had found, in ms: the last half second may be missing. */
  heardMs: number;
  hasWords: boolean;
}

/** A file can wait on the disk; only what is on its way needs memory, in ms. */
const FILE_BUFFER_MS = 5_000;

/** Begins to listen. */
export function listen(options: ListenOptions): Listening {
  const { input } = options;
  const session = connectVoice({
    ...options.session,
    contentType: input.contentType,
    // Whoever types a command wants to know at once that there is no server.
    attempts: { toBegin: 1 },
    ...(input.sizeBytes !== undefined && { buffer: { maxMs: FILE_BUFFER_MS } }),
  });
  let isStopped = false;
  const finish = (): void => {
    isStopped = true;
    input.stop();
  };
  const speak = async (): Promise<void> => {
    try {
      for await (const piece of input.audio) {
        if (isStopped) break;
        await session.send(piece);
      }
    } catch (error) {
      // A stream that is stopped says that it ended too early.
      if (!isStopped && session.status !== 'closed') {
        session.close();
        throw error;
      }
    }
    await session.finish();
  };
  const done = Promise.all([follow(session, options), speak()])
    .then(([heard]) => heard)
    .finally(() => input.stop());
  return { done, finish, close: () => session.close() };
}

async function follow(session: VoiceSession, options: ListenOptions): Promise<Heard> {
  const heard = { heardMs: 0, hasWords: false };
  for await (const event of session) {
    if (event.type === 'acknowledgement') heard.heardMs = event.receivedMs;
    if (event.type === 'caption') heard.hasWords ||= event.concluded.length > 0;
    tell(event, options);
  }
  return heard;
}

function tell(event: VoiceEvent, { input, display, transcript, speech }: ListenOptions): void {
  switch (event.type) {
    case 'caption':
      display.show(event);
      transcript?.add(event);
      break;
    case 'speech':
      speech?.write(event);
      break;
    case 'acknowledgement':
      display.note(progress(event, input.sizeBytes));
      break;
    case 'status':
      if (event.status === 'reconnecting') display.note('reconnecting…');
      if (event.status === 'offline') display.note('the server does not answer…');
      break;
    case 'restart':
      transcript?.restart();
      break;
    case 'lag':
    case 'terms':
    case 'end':
      break;
  }
}

/** `34 % 1:05`, or the time alone. */
function progress(
  { receivedMs, receivedBytes }: { receivedMs: number; receivedBytes: number },
  sizeBytes: number | undefined,
): string {
  const seconds = Math.floor(receivedMs / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  if (sizeBytes === undefined || sizeBytes === 0) return time;
  const percent = Math.min(100, Math.floor((receivedBytes / sizeBytes) * 100));
  return `${String(percent).padStart(3)} % ${time}`;
}

const WAV_RATE_HZ = 24_000;

const typesByExtension: Record<string, string> = {
  '.webm': 'audio/webm;codecs=opus',
  '.mka': 'audio/x-matroska;codecs=opus',
  '.mkv': 'audio/x-matroska;codecs=opus',
  '.ogg': 'audio/ogg;codecs=opus',
  '.opus': 'audio/ogg;codecs=opus',
  '.flac': 'audio/flac',
  '.ts': 'video/mp2t;codecs=aac',
  '.wav': `audio/pcm;encoding=s16le;rate=${WAV_RATE_HZ}`,
};

/** Format of speech for a file of this name. @throws Error naming the extensions that are possible */
export function speechContentType(file: string): string {
  const contentType = typesByExtension[path.extname(file).toLowerCase()];
  if (contentType !== undefined) return contentType;
  throw new Error(`--speak: end the name with ${Object.keys(typesByExtension).join(', ')}.`);
}

interface SpeechFile {
  write(speech: SpeechEvent): void;
  /** Resolves when everything is in the file. @throws Error of the file system */
  close(): Promise<void>;
}

/** @throws Error of the file system */
export async function openSpeechFile(file: string): Promise<SpeechFile> {
  const isWav = path.extname(file).toLowerCase() === '.wav';
  const handle = await open(file, 'w');
  if (isWav) await handle.write(wavHeader({ sampleRateHz: WAV_RATE_HZ, dataBytes: 0 }));
  let dataBytes = 0;
  let written: Promise<unknown> = Promise.resolve();
  return {
    write({ pieces }) {
      for (const piece of pieces) {
        dataBytes += piece.length;
        written = written.then(() => handle.write(piece));
      }
      // Told by close(); until then nobody waits for it.
      written.catch(() => undefined);
    },
    async close() {
      try {
        await written;
        const header = wavHeader({ sampleRateHz: WAV_RATE_HZ, dataBytes });
        if (isWav) await handle.write(header, 0, WAV_HEADER_BYTES, 0);
      } finally {
        await handle.close();
      }
    },
  };
}
