import { expect, it } from 'vitest';
import { parseSourceMediaType, sourceMediaTypes } from '../../shared/media-type.ts';

it.each(sourceMediaTypes)('%s is read, with or without blanks, in any case', (contentType) => {
  for (const spelling of [
    contentType,
    contentType.replaceAll(';', '; '),
    contentType.toUpperCase(),
  ]) {
    expect(parseSourceMediaType(spelling)?.contentType).toBe(contentType);
  }
});

it.each([
  ['audio/opus;container=ogg', 'audio/ogg;codecs=opus'],
  ['audio/opus; container=webm', 'audio/webm;codecs=opus'],
  ['audio/opus;container=matroska', 'audio/x-matroska;codecs=opus'],
])('%s is an older name of %s', (older, contentType) => {
  expect(parseSourceMediaType(older)?.contentType).toBe(contentType);
});

it('tells container, codec and rate', () => {
  expect(parseSourceMediaType('audio/pcm; rate=8000; encoding="ulaw"')).toEqual({
    contentType: 'audio/pcm;encoding=ulaw;rate=8000',
    ...{ container: 'pcm', codec: 'ulaw', sampleRateHz: 8000 },
  });
  expect(parseSourceMediaType('audio/webm;codecs=opus')).toMatchObject({
    ...{ container: 'webm', codec: 'opus', sampleRateHz: undefined },
  });
});

it.each([
  '',
  'audio/pcm',
  'audio/pcm;encoding=s16le;rate=22050',
  'audio/pcm;encoding=alaw;rate=16000',
  'audio/webm;codecs=vorbis',
  'audio/webm;codecs=opus;rate=48000',
  'video/webm',
])('%j is none', (text) => {
  expect(parseSourceMediaType(text)).toBeUndefined();
});
