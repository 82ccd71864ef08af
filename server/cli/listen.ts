/**
 * `listen FILE|-`: streams audio into a voice session; shows captions, and writes the transcript
 * and the synthesised speech to files.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { SpeechEvent } from '../../shared/client/index.ts';
import {
  connectVoice,
  VoiceError,
  type ServerConnectOptions,
  type VoiceEvent,
  type VoiceSession,
} from '../../shared/client/node.ts';
import { ServiceError, toSocket } from '../../shared/errors.ts';
import { languageSpelling } from '../../shared/language.ts';
import { WAV_HEADER_BYTES, wavHeader } from '../../shared/wav.ts';
import { openAudio, type AudioInput } from './listen-audio.ts';
import {
  createDisplay,
  checkFiles,
  type Display,
  type NamedFile,
  createTranscript,
  FILE_FORMATS,
  writeTranscript,
  type FileFormat,
  type Transcript,
} from './listen-output.ts';
import { adviceFor, localServer, usableKey } from './running-server.ts';
import { whenAskedToStop } from './translate-command.ts';

interface Options {
  from?: string;
  to?: string[];
  url?: string;
  key?: string;
  format?: FileFormat;
  output?: string;
  language?: string;
  contentType?: string;
  convert?: boolean;
  glossary?: string;
  formality?: NonNullable<ServerConnectOptions['formality']>;
  spokenTerms?: string;
  mode?: NonNullable<ServerConnectOptions['captionMode']>;
  speak?: string;
}

/** `listen FILE|-`. */
export function listenCommand(): Command {
  const command = new Command('listen')
    .description('print live captions of a file or of standard input')
    .argument(
      '<file>',
      'audio file, or - for standard input (16-bit PCM at 16 kHz, or a container)',
    )
    .option('--from <language>', 'spoken language', languageSpelling)
    .option('--to <languages>', 'languages to translate into, separated by commas', parseLanguages)
    .option(
      '--output <file>',
      'write the transcript to a file; with --to, each language to one of its own: talk.srt becomes ' +
        'talk.en.srt and talk.es.srt (JSON holds all languages)',
    )
    .addOption(
      new Option(
        '--format <format>',
        'format of the transcript; default: by the extension of --output',
      ).choices(FILE_FORMATS),
    )
    .option('--language <language>', 'write only this language', languageSpelling)
    .option(
      '--speak <file>',
      'write the speech of the first translation to a file (webm, ogg, flac, wav …)',
    )
    .option('--content-type <type>', 'format of the audio, as named in the voice protocol')
    .option(
      '--convert',
      'convert the audio with ffmpeg: for two channels, video and all other formats',
    )
    .option('--glossary <id>', 'glossary to apply to the translations')
    .option('--spoken-terms <id>', 'list of words that the recogniser should expect')
    .addOption(
      new Option('--formality <formality>', 'formality of the translations').choices(
        'default formal more informal less'.split(' '),
      ),
    )
    .addOption(
      new Option('--mode <mode>', 'how early words are shown').choices(
        'instant balanced settled'.split(' '),
      ),
    )
    .option('--url <address>', 'address of the server; default: from the settings')
    .option('--key <key>', 'API key; default: the one in the data folder');
  return command.action(async (file: string) => run(file, command.opts<Options>()));
}

async function run(file: string, options: Options): Promise<void> {
  const targets = options.to ?? [];
  const session = await sessionOf(options, targets);
  const transcript = transcriptOf(file, options, targets);
  const { contentType, convert = false } = options;
  const inputFile = file === '-' ? undefined : file;
  await checkFiles(inputFile, writtenFiles(options, transcript));
  const input = await openAudio({ source: file, contentType, convert });
  const speech = options.speak === undefined ? undefined : await openSpeechFile(options.speak);
  const line = process.stderr.isTTY ? process.stderr : undefined;
  const display = createDisplay({ out: process.stdout, line }, targets.length > 0);
  const listening = listen({ input, session, display, transcript, speech });
  // The first signal concludes the session; a later one ends it at once.
  const ignoreSignals = whenAskedToStop({
    first: () => listening.finish(),
    again: () => listening.close(),
  });
  let hasSucceeded = false;
  try {
    const { heardMs, isEmpty, hasWords } = await listening.done;
    hasSucceeded = true;
    if (!hasWords) reportNothing({ file, contentType: input.contentType, heardMs, isEmpty });
  } catch (error) {
    throw explained(error, file);
  } finally {
    ignoreSignals();
    display.end();
    try {
      // Written even after a failure: a partial transcript is still useful.
      if (transcript !== undefined && (hasSucceeded || !transcript.isEmpty)) {
        const files = await writeTranscript(transcript, {
          input: inputFile,
          out: process.stdout,
        });
        process.stderr.write(`Written: ${files.join(', ')}\n`);
      }
    } finally {
      await speech?.close();
    }
  }
}

function writtenFiles({ speak }: Options, transcript: Transcript | undefined): NamedFile[] {
  const files = (transcript?.paths ?? []).map((each) => ({ name: '--output', path: each }));
  return speak === undefined ? files : [...files, { name: '--speak', path: speak }];
}

/** Explains why no words were recognised. @throws Error if no sound was found either */
function reportNothing(heard: {
  file: string;
  contentType: string;
  heardMs: number;
  isEmpty: boolean;
}): void {
  const { file, contentType, heardMs, isEmpty } = heard;
  const name = nameOf(file);
  if (isEmpty) throw new Error(`${name}: there is no audio in it.`);
  if (heardMs === 0 && !contentType.startsWith('audio/pcm')) {
    throw new Error(
      `${name}: no sound was found in it as ${contentType}. Say what it is with --content-type, or let ffmpeg read it with --convert.`,
    );
  }
  process.stderr.write(
    `${name}: no words were heard. Is the speech loud enough, and the language of --from the right one?\n`,
  );
}

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : file);

/** Reason codes of audio that FFmpeg can make fit: another format or a damaged one, and several channels. */
const CONVERTIBLE: ReadonlySet<number | undefined> = new Set(
  (['audio_format_unsupported', 'audio_not_mono'] as const).map(
    (code) => toSocket(new ServiceError(code, ''), '').message.reason_code,
  ),
);

/** Adds advice to an error, where there is some. */
function explained(error: unknown, file: string): unknown {
  if (!(error instanceof VoiceError)) return error;
  const { code, message, reasonCode } = error;
  if (code === 'unreachable') return new Error(`${message} ${adviceFor(error)}`, { cause: error });
  if (!CONVERTIBLE.has(reasonCode)) return error;
  return new Error(`${nameOf(file)}: ${message} Let ffmpeg convert it with --convert.`, {
    cause: error,
  });
}

async function sessionOf(
  options: Options,
  targetLanguages: readonly string[],
): Promise<Omit<ServerConnectOptions, 'contentType'>> {
  const { from, glossary, spokenTerms, formality, mode, speak } = options;
  const [language] = targetLanguages;
  if (speak !== undefined && language === undefined) {
    throw new Error('--speak: name the language to speak with --to.');
  }
  return {
    server: options.url ?? localServer(),
    apiKey: await usableKey(options.key),
    targetLanguages,
    ...(from !== undefined && { sourceLanguage: from }),
    ...(glossary !== undefined && { glossaryId: glossary }),
    ...(spokenTerms !== undefined && { spokenTermsId: spokenTerms }),
    ...(formality !== undefined && { formality }),
    ...(mode !== undefined && { captionMode: mode }),
    ...(speak !== undefined &&
      language !== undefined && { speech: { language, contentType: speechContentType(speak) } }),
  };
}

function transcriptOf(
  file: string,
  { output, format, from, language }: Options,
  targetLanguages: readonly string[],
): Transcript | undefined {
  if (output === undefined && format === undefined) return undefined;
  const extension = output === undefined ? '' : path.extname(output).slice(1).toLowerCase();
  const chosen = format ?? FILE_FORMATS.find((each) => each === extension);
  if (chosen === undefined) {
    throw new Error(`--output: end the name with ${FILE_FORMATS.join(', ')}, or say --format.`);
  }
  if (language !== undefined && ![from, ...targetLanguages].includes(language)) {
    throw new Error('--language: name the language of --from or one of --to.');
  }
  const name = file === '-' ? 'transcript' : path.parse(file).name;
  return createTranscript({
    output: output ?? `${name}.${chosen}`,
    format: chosen,
    sourceLanguage: from,
    targetLanguages,
    language,
  });
}

function parseLanguages(value: string): string[] {
  const languages = value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(languageSpelling);
  if (languages.length === 0) throw new InvalidArgumentError('Name languages such as es,fr.');
  return [...new Set(languages)];
}

// The session: events are shown and written as they arrive.

interface ListenOptions {
  input: AudioInput;
  session: Omit<ServerConnectOptions, 'contentType'>;
  display: Display;
  transcript: Transcript | undefined;
  speech: SpeechFile | undefined;
}

interface Listening {
  /** Resolves when everything was recognised and translated. @throws VoiceError, or Error of the input */
  readonly done: Promise<Heard>;
  /** Stops reading audio and concludes what was heard. */
  finish(): void;
  /** Ends at once. */
  close(): void;
}

interface Heard {
  /** Duration of audio that the server has acknowledged, in ms; the last half second may be missing. */
  heardMs: number;
  /** Whether the input ended without a byte of audio. */
  isEmpty: boolean;
  hasWords: boolean;
}

/** Audio buffered for a file, in ms: the rest waits on disk. */
const FILE_BUFFER_MS = 5_000;

/** Starts a session. */
function listen(options: ListenOptions): Listening {
  const { input } = options;
  const session = connectVoice({
    ...options.session,
    contentType: input.contentType,
    // An interactive command should fail at once when no server answers.
    attempts: { toBegin: 1 },
    ...(input.sizeBytes !== undefined && { buffer: { maxMs: FILE_BUFFER_MS } }),
  });
  let isStopped = false;
  const finish = (): void => {
    isStopped = true;
    input.stop();
  };
  let isEmpty = true;
  const speak = async (): Promise<void> => {
    try {
      for await (const piece of input.audio) {
        if (isStopped) break;
        isEmpty = false;
        await session.send(piece);
      }
    } catch (error) {
      // A stopped stream reports a premature end.
      if (!isStopped && session.status !== 'closed') {
        session.close();
        throw error;
      }
    }
    await session.finish();
  };
  const done = Promise.all([follow(session, options), speak()])
    .then(([heard]) => ({ ...heard, isEmpty: isEmpty && !isStopped }))
    .finally(() => input.stop());
  return { done, finish, close: () => session.close() };
}

async function follow(
  session: VoiceSession,
  options: ListenOptions,
): Promise<Omit<Heard, 'isEmpty'>> {
  const heard = { heardMs: 0, hasWords: false };
  for await (const event of session) {
    if (event.type === 'acknowledgement') heard.heardMs = event.receivedMs;
    if (event.type === 'caption') heard.hasWords ||= event.concluded.length > 0;
    show(event, options);
  }
  return heard;
}

function show(event: VoiceEvent, { input, display, transcript, speech }: ListenOptions): void {
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

/** Formats progress as `34 % 1:05`, or the time alone. */
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

/** Returns the speech format for a file name. @throws Error listing the possible extensions */
function speechContentType(file: string): string {
  const contentType = typesByExtension[path.extname(file).toLowerCase()];
  if (contentType !== undefined) return contentType;
  throw new Error(`--speak: end the name with ${Object.keys(typesByExtension).join(', ')}.`);
}

interface SpeechFile {
  write(speech: SpeechEvent): void;
  /** Resolves when everything was written. @throws Error of the file system */
  close(): Promise<void>;
}

/** @throws Error of the file system */
async function openSpeechFile(file: string): Promise<SpeechFile> {
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
      // Reported by close(); until then, a rejection must not count as unhandled.
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
