/** The C library of PocketSphinx (5 prealpha, as Debian ships it) through koffi. Blocks: for children only. */
import path from 'node:path';
import koffi, { type LibraryHandle } from 'koffi';

/** A word or filler, in frames of {@link FRAME_MS} since the decoder was made. */
export interface FrameSegment {
  text: string;
  startFrame: number;
  /** The last frame that belongs to it. */
  endFrame: number;
}

/** Length of the decoder's frames in ms. */
export const FRAME_MS = 10;

/** One decoder: utterance after utterance, it learns the sound of the microphone as it goes. */
export interface SphinxDecoder {
  startUtterance(): void;
  /** Takes the first `samples` samples of a block, s16le at 16 kHz. Throws Error when it fails. */
  process(block: Int16Array, samples: number): void;
  /** Whether the voice activity detector hears speech after the last block. */
  isSpeech(): boolean;
  /** Searches the utterance once more with all of it known. May take 100 ms per second of speech. */
  endUtterance(): void;
  /** The best hypothesis of the utterance so far, or of the one just ended. */
  segments(): FrameSegment[];
  /** Phones of a word of the dictionary, lower case: `HH AW S`. */
  pronunciation(word: string): string | undefined;
  /** Adds words by their phones and makes them likely to be said. Once, before any utterance. */
  addWords(phones: ReadonlyMap<string, string>): void;
}

/**
 * Loads the library and the model (about 0.3 s, 100 MB).
 *
 * @param modelFolder with `en-us/` (acoustic model), `en-us.lm.bin` and `cmudict-en-us.dict`
 * @param options of the decoder, as on its command line: `{ '-remove_noise': 'yes' }`
 * @throws Error saying which part did not load
 */
export function loadSphinxDecoder(
  modelFolder: string,
  options: Readonly<Record<string, string>>,
): SphinxDecoder {
  const base = koffi.load('libsphinxbase.so.3');
  const library = koffi.load('libpocketsphinx.so.3');
  const parseArguments = base.func(
    'void *cmd_ln_parse_r(void *previous, void *definitions, int argc, char **argv, int strict)',
  ) as (previous: null, definitions: unknown, argc: number, argv: string[], strict: 1) => unknown;
  const definitions = library.func('void *ps_args()') as () => unknown;
  const create = library.func('void *ps_init(void *config)') as (config: unknown) => unknown;

  const argv = [
    'pocketsphinx',
    ...Object.entries({ ...modelOptions(modelFolder), ...options }).flat(),
  ];
  const config = parseArguments(null, definitions(), argv.length, argv, 1);
  if (config === null) throw new Error('PocketSphinx does not know one of its options');
  const decoder = create(config);
  if (decoder === null) throw new Error(`PocketSphinx cannot load the model in ${modelFolder}`);
  return { ...bind(library, decoder), ...bindDictionary({ base, library, decoder }) };
}

function modelOptions(folder: string): Record<string, string> {
  return {
    '-hmm': path.join(folder, 'en-us'),
    '-lm': path.join(folder, 'en-us.lm.bin'),
    '-dict': path.join(folder, 'cmudict-en-us.dict'),
    '-logfn': '/dev/null',
  };
}

type Call = (decoder: unknown) => number;

function bind(
  library: LibraryHandle,
  decoder: unknown,
): Omit<SphinxDecoder, 'pronunciation' | 'addWords'> {
  const startStream = library.func('int ps_start_stream(void *ps)') as Call;
  const startUtterance = library.func('int ps_start_utt(void *ps)') as Call;
  const endUtterance = library.func('int ps_end_utt(void *ps)') as Call;
  const inSpeech = library.func('uint8_t ps_get_in_speech(void *ps)') as Call;
  const processRaw = library.func(
    'int ps_process_raw(void *ps, const int16_t *data, size_t samples, int no_search, int full_utt)',
  ) as (ps: unknown, data: Int16Array, samples: number, noSearch: 0, full: 0) => number;

  if (startStream(decoder) < 0) throw new Error('PocketSphinx cannot start a stream');
  return {
    startUtterance: () => check(startUtterance(decoder)),
    process: (block, samples) => check(processRaw(decoder, block, samples, 0, 0)),
    isSpeech: () => inSpeech(decoder) !== 0,
    endUtterance: () => check(endUtterance(decoder)),
    segments: segmentReader(library, decoder),
  };
}

/**
 * The probability that a new word comes next is the same whatever came before it: as many times that
 * of a word of which the model knows nothing. A name is then three times as likely as "house".
 */
const NEW_WORDS_WEIGHT = 100;
/** Stands for all new words in the language model. */
const NEW_WORDS_CLASS = '~terms';

function bindDictionary({
  base,
  library,
  decoder,
}: {
  base: LibraryHandle;
  library: LibraryHandle;
  decoder: unknown;
}): Pick<SphinxDecoder, 'pronunciation' | 'addWords'> {
  // The caller frees what it is told.
  const phones = koffi.disposable('str');
  const lookUp = library.func('ps_lookup_word', phones, ['void *', 'str']) as (
    ps: unknown,
    word: string,
  ) => string | null;
  const addWord = library.func(
    'int ps_add_word(void *ps, const char *word, const char *phones, int update)',
  ) as (ps: unknown, word: string, phones: string, update: 0 | 1) => number;
  const currentSearch = library.func('const char *ps_get_search(void *ps)') as (
    ps: unknown,
  ) => string;
  const modelOf = library.func('void *ps_get_lm(void *ps, const char *search)') as (
    ps: unknown,
    search: string,
  ) => unknown;
  const onlyModel = base.func('void *ngram_model_set_lookup(void *set, const char *name)') as (
    set: unknown,
    name: null,
  ) => unknown;
  const addClass = base.func(
    'int ngram_model_add_class(void *model, const char *name, float weight, ' +
      'char **words, const float *weights, int count)',
  ) as (
    model: unknown,
    name: string,
    weight: number,
    words: string[],
    weights: number[],
    count: number,
  ) => number;
  return {
    pronunciation: (word) => lookUp(decoder, word) ?? undefined,
    addWords(phones) {
      const words = [...phones.keys()];
      const model = onlyModel(modelOf(decoder, currentSearch(decoder)), null);
      if (model === null) throw new Error('PocketSphinx has no language model');
      // Members of one class, since this library reads past its memory when it looks for the
      // neighbours of a second word that was not in the model from the beginning.
      const weights = words.map(() => 1);
      check(addClass(model, NEW_WORDS_CLASS, NEW_WORDS_WEIGHT, words, weights, words.length));
      words.forEach((word, index) => {
        // The search is built anew with the last.
        const isLast = index === words.length - 1;
        check(addWord(decoder, word, phones.get(word) ?? '', isLast ? 1 : 0));
      });
    },
  };
}

function segmentReader(library: LibraryHandle, decoder: unknown): () => FrameSegment[] {
  const first = library.func('void *ps_seg_iter(void *ps)') as (ps: unknown) => unknown;
  const next = library.func('void *ps_seg_next(void *seg)') as (segment: unknown) => unknown;
  const word = library.func('const char *ps_seg_word(void *seg)') as (segment: unknown) => string;
  const frames = library.func(
    'void ps_seg_frames(void *seg, _Out_ int *start, _Out_ int *end)',
  ) as (segment: unknown, start: [number], end: [number]) => void;
  const start: [number] = [0];
  const end: [number] = [0];
  return () => {
    const segments: FrameSegment[] = [];
    // The iterator frees itself when it has come to its end.
    for (let at = first(decoder); at !== null; at = next(at)) {
      frames(at, start, end);
      segments.push({ text: word(at), startFrame: start[0], endFrame: end[0] });
    }
    return segments;
  };
}

function check(result: number): void {
  if (result < 0) throw new Error('PocketSphinx reports a failure');
}
