import { expect, it } from 'vitest';
import {
  defaultTargetMediaType,
  parseTargetMediaType,
  targetMediaTypes,
} from '../../shared/target-media-type.ts';

it.each(targetMediaTypes)('parses %s in any case, with or without blanks', (contentType) => {
  for (const spelling of [
    contentType,
    contentType.replaceAll(';', '; '),
    contentType.replaceAll('=', ' = '),
    contentType.replace(/codecs=(\w+)/, 'codecs="$1"'),
    contentType.toUpperCase(),
  ]) {
    expect(parseTargetMediaType(spelling)?.contentType).toBe(contentType);
  }
});

it.each([
  ['audio/ogg', { container: 'ogg', codec: 'opus', sampleRateHz: 48_000 }],
  ['audio/opus', { container: 'ogg', codec: 'opus', sampleRateHz: 48_000 }],
  ['audio/webm', { container: 'webm', codec: 'opus', sampleRateHz: 48_000 }],
  ['audio/flac', { container: 'flac', codec: 'flac', sampleRateHz: 24_000 }],
  ['video/mp2t;codecs=aac', { container: 'mpegts', codec: 'aac', sampleRateHz: 24_000 }],
  ['audio/pcm;rate=8000;encoding=alaw', { container: 'pcm', codec: 'alaw', sampleRateHz: 8_000 }],
])('returns container, codec and sample rate of %s', (contentType, format) => {
  expect(parseTargetMediaType(contentType)).toMatchObject(format);
});

it('parses the default', () => {
  expect(parseTargetMediaType(defaultTargetMediaType)?.contentType).toBe('audio/webm;codecs=opus');
});

it.each([
  '',
  'audio/mpeg',
  'audio/pcm',
  'audio/pcm;encoding=s16le;rate=44100',
  'audio/pcm;encoding=alaw;rate=16000',
  'audio/webm;codecs=flac',
  'video/mp2t',
  'audio/flac;rate=24000',
  'audio/webm;codecs=opus;codecs=opus',
  'toString',
])('rejects %j', (text) => {
  expect(parseTargetMediaType(text)).toBeUndefined();
});
