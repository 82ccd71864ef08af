import { expect, it } from 'vitest';
import { parseSourceMediaType, sourceMediaTypes } from '../../shared/media-type.ts';

it.each(sourceMediaTypes)('parses %s in any case, with or without blanks', (contentType) => {
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
])('accepts %s as an older name of %s', (older, contentType) => {
  expect(parseSourceMediaType(older)?.contentType).toBe(contentType);
});

it('returns container, codec and sample rate', () => {
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
])('rejects %j', (text) => {
  expect(parseSourceMediaType(text)).toBeUndefined();
});
