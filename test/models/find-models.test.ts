import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../server/models/catalogue.ts';
import { readDescription } from '../../server/models/local-model.ts';
import { findModels } from '../../server/models/find-models.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Creates a folder of models with empty files. */
function models(layout: Readonly<Record<string, readonly string[]>>): string {
  const folder = temporaryFolder();
  for (const [name, files] of Object.entries(layout)) {
    for (const file of ['', ...files]) {
      const place = path.join(folder, name, file);
      if (file === '' || file.endsWith('/')) mkdirSync(place, { recursive: true });
      else writeFileSync(place, '');
    }
  }
  return folder;
}

function describeIn(folder: string, name: string, description: unknown): void {
  writeFileSync(path.join(folder, name, 'dragoman-model.json'), JSON.stringify(description));
}

describe('a release of sherpa-onnx', () => {
  const releases: [name: string, files: string[], family: string, used: Record<string, string>][] =
    [
      [
        'sherpa-onnx-streaming-zipformer-en-2023-06-26',
        [
          ...['encoder', 'decoder', 'joiner'].flatMap((part) =>
            ['64', '128'].flatMap((left) =>
              ['', '.int8'].map(
                (kind) => `${part}-epoch-99-avg-1-chunk-16-left-${left}${kind}.onnx`,
              ),
            ),
          ),
          ...['tokens.txt', 'bpe.model', 'README.md', 'test_wavs/'],
        ],
        'streaming-transducer',
        { encoder: 'encoder-epoch-99-avg-1-chunk-16-left-128.int8.onnx', bpeModel: 'bpe.model' },
      ],
      [
        'sherpa-onnx-whisper-tiny.en',
        ['encoder', 'decoder']
          .flatMap((part) => [`tiny.en-${part}.onnx`, `tiny.en-${part}.int8.onnx`])
          .concat('tiny.en-tokens.txt'),
        'whisper',
        { encoder: 'tiny.en-encoder.int8.onnx', tokens: 'tiny.en-tokens.txt' },
      ],
      [
        'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
        ['model.onnx', 'model.int8.onnx', 'tokens.txt'],
        'sense-voice',
        { model: 'model.int8.onnx' },
      ],
      [
        'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
        ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
        'nemo-transducer',
        {},
      ],
      [
        'sherpa-onnx-moonshine-tiny-en-int8',
        [
          'preprocess.onnx',
          'encode.int8.onnx',
          'uncached_decode.int8.onnx',
          'cached_decode.int8.onnx',
          'tokens.txt',
        ],
        'moonshine-v1',
        { uncachedDecoder: 'uncached_decode.int8.onnx', cachedDecoder: 'cached_decode.int8.onnx' },
      ],
      [
        'vits-piper-en_US-amy-low',
        ['en_US-amy-low.onnx', 'tokens.txt', 'espeak-ng-data/', 'MODEL_CARD'],
        'vits',
        { model: 'en_US-amy-low.onnx', dataDir: 'espeak-ng-data' },
      ],
      [
        'sherpa-onnx-online-punct-en-2024-08-06',
        ['model.onnx', 'model.int8.onnx', 'bpe.vocab'],
        'online-punctuation',
        { bpeVocab: 'bpe.vocab' },
      ],
    ];

  it.each(releases)('%s is recognised by its file names', async (name, files, family, used) => {
    const folder = models({ [name]: files });
    const { models: found, unusable } = await findModels(folder);
    expect(unusable).toEqual([]);
    expect(found).toEqual([
      expect.objectContaining({ name, family, folder: path.join(folder, name) }),
    ]);
    for (const [role, file] of Object.entries(used)) {
      expect(found[0]?.files[role]).toBe(path.join(folder, name, file));
    }
    expect(found[0]?.languages).not.toEqual([]);
  });

  it('with ambiguous files, or without a language, requires a description', async () => {
    const folder = models({
      'sherpa-onnx-streaming-zipformer-en-mixed': [
        ...[
          'encoder-small.onnx',
          'encoder-large.onnx',
          'decoder.onnx',
          'joiner.onnx',
          'tokens.txt',
        ],
      ],
      'sherpa-onnx-streaming-zipformer-2023': [
        ...['encoder.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt'],
      ],
      'holiday-pictures': ['beach.png'],
    });
    const { models: found, unusable } = await findModels(folder);
    expect(found).toEqual([]);
    expect(unusable.map(({ reason }) => reason)).toEqual(
      Array(3).fill(expect.stringContaining('describe it in dragoman-model.json')),
    );
  });
});

describe('a model description', () => {
  const files = ['weights.onnx', 'words.txt', 'other.onnx', 'tokens.txt'];
  const sound = { kind: 'recognition', family: 'streaming-nemo-ctc', languages: ['pt-br', 'en'] };

  it('adds what the files do not tell', async () => {
    const folder = models({ mine: files });
    describeIn(folder, 'mine', { ...sound, files: { model: 'weights.onnx', tokens: 'words.txt' } });
    const { models: found } = await findModels(folder);
    expect(found).toMatchObject([{ name: 'mine', languages: ['pt-BR', 'en'] }]);
    expect(found[0]?.files).toEqual({
      model: path.join(folder, 'mine', 'weights.onnx'),
      tokens: path.join(folder, 'mine', 'words.txt'),
    });
  });

  const faulty: [fault: string, description: unknown, reason: RegExp][] = [
    [
      'a file that is not there',
      { ...sound, files: { model: 'gone.onnx' } },
      /gone.onnx is missing/,
    ],
    ['no file for a role', sound, /no single file for its model/],
    ['a file elsewhere', { ...sound, files: { model: '../x.onnx' } }, /not in its folder/],
    ['an absolute path', { ...sound, files: { model: '/etc/passwd' } }, /not in its folder/],
    ['a role nobody knows', { ...sound, files: { driver: 'x' } }, /needs no file driver/],
    [
      'a family nobody knows',
      { ...sound, family: 'oracle' },
      /no family oracle; possible: .*whisper/,
    ],
    ['the wrong kind', { ...sound, kind: 'synthesis' }, /are for recognition/],
    ['no language', { ...sound, languages: [] }, /wrong at \/languages/],
    ['a language that is none', { ...sound, languages: ['english'] }, /english is no language/],
    ['a wrong type', { ...sound, punctuates: 'yes' }, /wrong at \/punctuates/],
  ];

  it.each(faulty)(
    'with %s is reported, and the model left out',
    async (_fault, description, reason) => {
      const folder = models({ mine: files });
      describeIn(folder, 'mine', description);
      const { models: found, unusable } = await findModels(folder);
      expect(found).toEqual([]);
      expect(unusable).toEqual([{ name: 'mine', reason: expect.stringMatching(reason) as string }]);
    },
  );

  it('that is not JSON is reported', async () => {
    const folder = models({ mine: files });
    writeFileSync(path.join(folder, 'mine', 'dragoman-model.json'), '{');
    expect((await findModels(folder)).unusable[0]?.reason).toContain('not JSON');
  });
});

it('finding models ignores a missing folder, files, and unfinished installations', async () => {
  const folder = models({ '.installing-x': ['model.onnx'], '.downloads': [] });
  writeFileSync(path.join(folder, 'notes.txt'), '');
  expect(await findModels(folder)).toEqual({ models: [], unusable: [] });
  expect(await findModels(path.join(folder, 'none'))).toEqual({ models: [], unusable: [] });
});

it('finding models follows a link to a model elsewhere, and ignores a dangling link', async () => {
  const elsewhere = models({
    'sherpa-onnx-whisper-tiny.en': ['encoder.onnx', 'decoder.onnx', 'tokens.txt'],
  });
  const folder = models({});
  const name = 'sherpa-onnx-whisper-tiny.en';
  symlinkSync(path.join(elsewhere, name), path.join(folder, name));
  symlinkSync(path.join(elsewhere, 'gone'), path.join(folder, 'gone'));
  const found = await findModels(folder);
  expect(found.models.map((model) => model.name)).toEqual([name]);
  expect(found.unusable).toMatchObject([{ name: 'gone' }]);
});

it('the catalogue consists of valid descriptions with unique names and archives', () => {
  for (const { origin, ...description } of catalogue) {
    expect(readDescription(JSON.stringify(description)).family).toBe(description.family);
    if (origin.from === 'release') {
      expect(origin.path).toMatch(/^[a-z]+-models\/[\w.-]+\.tar\.bz2$/);
    } else if (origin.from === 'npm') {
      for (const { version, integrity } of origin.packages) {
        expect(version).toMatch(/^\d+\.\d+\.\d+$/);
        expect(Buffer.from(integrity.replace(/^sha512-/, ''), 'base64')).toHaveLength(64);
      }
    }
    expect(description.licence).not.toBe('');
    expect(URL.canParse(description.source)).toBe(true);
  }
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
});
