import { encode } from '@msgpack/msgpack';
import { describe, expect, it } from 'vitest';
import {
  decodeClientMessage,
  decodeServerMessage,
  encodeClientMessage,
  encodeServerMessage,
  fromBase64,
  MAX_CHUNK_BYTES,
  toBase64,
} from '../../shared/protocol/codec.ts';

const chunk = (size: number) => ({
  source_media_chunk: { data: Uint8Array.from({ length: size }, (_, index) => (index * 37) & 255) },
});
const json = (text: string) => decodeClientMessage(Buffer.from(text), 'json');
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

describe('client messages', () => {
  it.each([0, 1, 2, 3, 4, 255, 256, 3200, 65_535, 65_536, MAX_CHUNK_BYTES])(
    'carry %i bytes in both formats',
    (size) => {
      for (const format of ['json', 'msgpack'] as const) {
        const frame = encodeClientMessage(chunk(size), format);
        const decoded = decodeClientMessage(Buffer.from(frame as string), format);
        expect(
          'source_media_chunk' in decoded && Buffer.from(decoded.source_media_chunk.data),
        ).toEqual(Buffer.from(chunk(size).source_media_chunk.data));
      }
    },
  );

  it('may be written with white space and with fields nobody knows', () => {
    expect(json('{ "source_media_chunk": { "data": "AQI=", "extra": 1 } }')).toEqual({
      source_media_chunk: { data: Buffer.from([1, 2]) },
    });
    expect(json('{"end_of_source_media":{"why":"done"}}')).toEqual({ end_of_source_media: {} });
  });

  it('may escape slashes, as some writers of JSON do', () => {
    const data = Buffer.from([255, 255, 255]);
    expect(json('{"source_media_chunk":{"data":"\\/\\/\\/\\/"}}')).toEqual({
      source_media_chunk: { data },
    });
  });

  it.each([
    ['no JSON', '{"source_media_chunk"', 'malformed_message'],
    ['a text', '"hello"', 'malformed_message'],
    ['a list', '[]', 'malformed_message'],
    ['nothing', '{}', 'malformed_message'],
    [
      'two names',
      '{"end_of_source_media":{},"source_media_chunk":{"data":""}}',
      'malformed_message',
    ],
    ['no payload', '{"source_media_chunk":null}', 'malformed_message'],
    ['no data', '{"source_media_chunk":{}}', 'malformed_message'],
    ['foreign letters in base64', '{"source_media_chunk":{"data":"AQ*="}}', 'malformed_message'],
    ['base64 for URLs', '{"source_media_chunk":{"data":"-_-_"}}', 'malformed_message'],
    ['base64 of a wrong length', '{"source_media_chunk":{"data":"AQI"}}', 'malformed_message'],
    ['an escape in base64', '{"source_media_chunk":{"data":"AQI\\n"}}', 'malformed_message'],
    ['an unknown name', '{"hello":{}}', 'unknown_message'],
    ['a prototype', '{"__proto__":{}}', 'unknown_message'],
  ])('with %s are refused', (_what, text, expected) => {
    expect(() => json(text)).toThrow(code(expected));
  });

  it.each([
    ['cut short', Buffer.from([0x81]), 'malformed_message'],
    ['of text', encode({ source_media_chunk: { data: 'AQI=' } }), 'malformed_message'],
    ['of a number', encode(5), 'malformed_message'],
    ['with a huge map', Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff]), 'malformed_message'],
    ['nested deeply', Buffer.alloc(20_000, 0x91), 'malformed_message'],
    [
      'with trailing bytes',
      Buffer.concat([encode({ end_of_source_media: {} }), Buffer.of(1)]),
      'malformed_message',
    ],
    ['of an unknown name', encode({ hello: {} }), 'unknown_message'],
  ])('in MessagePack %s are refused', (_what, frame, expected) => {
    expect(() => decodeClientMessage(frame, 'msgpack')).toThrow(code(expected));
  });

  it('larger than the contract allows are refused in both formats', () => {
    for (const format of ['json', 'msgpack'] as const) {
      const frame = Buffer.from(encodeClientMessage(chunk(MAX_CHUNK_BYTES + 1), format) as string);
      expect(() => decodeClientMessage(frame, format)).toThrow(code('chunk_too_large'));
    }
  });
});

it('server messages read the same in both formats', () => {
  const message = { end_of_target_transcript: { language: 'zh-HANS' } };
  for (const format of ['json', 'msgpack'] as const) {
    expect(decodeServerMessage(encodeServerMessage(message, format))).toEqual(message);
  }
});

it('base64 goes there and back, and nothing else passes for it', () => {
  const bytes = Uint8Array.from([0, 255, 16]);
  expect(fromBase64(toBase64(bytes))).toEqual(Buffer.from(bytes));
  for (const text of ['A', 'AB=C', 'AQ-_', 'AQI=\n']) expect(fromBase64(text)).toBeUndefined();
});
