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
  type: 'source_media_chunk' as const,
  data: Uint8Array.from({ length: size }, (_, index) => (index * 37) & 255),
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
        expect(decoded.type === 'source_media_chunk' && Buffer.from(decoded.data)).toEqual(
          Buffer.from(chunk(size).data),
        );
      }
    },
  );

  it('may contain white space and unknown fields', () => {
    expect(json('{ "source_media_chunk": { "data": "AQI=", "extra": 1 } }')).toEqual({
      type: 'source_media_chunk',
      data: Buffer.from([1, 2]),
    });
    expect(json('{"end_of_source_media":{"why":"done"}}')).toEqual({ type: 'end_of_source_media' });
  });

  it('may escape slashes, as some JSON writers do', () => {
    const data = Buffer.from([255, 255, 255]);
    expect(json('{"source_media_chunk":{"data":"\\/\\/\\/\\/"}}')).toEqual({
      type: 'source_media_chunk',
      data,
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

  /** Lists of one element nested in each other, around a number. */
  const nested = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x91), Buffer.of(0)]);
  const head = encode({ end_of_source_media: { nobody_knows: 0 } }).subarray(0, -1);
  const endFrame = (field: Uint8Array) => Buffer.concat([head, field]);
  const endWith = (field: Uint8Array) => decodeClientMessage(endFrame(field), 'msgpack');

  it('in MessagePack may have unknown fields, with limits on depth and number', () => {
    const known = { type: 'end_of_source_media' };
    expect(endWith(nested(30))).toEqual(known);
    expect(() => endWith(nested(31))).toThrow(code('malformed_message'));
    const lists = (count: number) =>
      encode(Array.from({ length: count }, () => Array.from({ length: 50 }, () => 0)));
    expect(endWith(lists(19))).toEqual(known);
    expect(() => endWith(lists(21))).toThrow(code('malformed_message'));
  });

  it.each([
    ['texts', ['', 'a'.repeat(31), 'b'.repeat(32), 'c'.repeat(255), 'd'.repeat(4096)]],
    ['bytes', [0, 255, 256, 65_535, 65_536].map((size) => new Uint8Array(size))],
    [
      'numbers',
      [0, 127, 128, 65_535, 65_536, 2 ** 32, 0.5, -1, -33, -129, -32_769, -(2 ** 31) - 1],
    ],
    ['others', [null, true, false, new Date(0), new Date(1), new Date(2 ** 35 * 1000)]],
    ['maps and lists', [{}, [], { a: { b: [] } }, Array.from({ length: 64 }, () => [])]],
    ['a large map', [Object.fromEntries(Array.from({ length: 64 }, (_, key) => [key, [key]]))]],
  ])('in MessagePack may contain %s, which are skipped', (_what, values) => {
    const rest = Object.fromEntries(
      (values as readonly unknown[]).map((value, index) => [`field ${index}`, value]),
    ) as Record<string, unknown>;
    const message = { source_media_chunk: { ...rest, data: chunk(100).data } };
    expect(decodeClientMessage(encode(message), 'msgpack')).toEqual(chunk(100));
    // Whatever is skipped, the fields after it are found.
    expect(() => endWith(encode([...values, ...values.map(() => [nested(40)])]))).not.toThrow();
    const deep = Buffer.concat([Buffer.of(0x92), encode(values), nested(31)]);
    expect(() => endWith(deep)).toThrow(code('malformed_message'));
  });

  it('in MessagePack nested 99 KB deep are refused at low cost', () => {
    const frame = endFrame(nested(99_000));
    const startedAtMs = performance.now();
    for (let count = 0; count < 500; count += 1) {
      expect(() => decodeClientMessage(frame, 'msgpack')).toThrow(code('malformed_message'));
    }
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });

  it('larger than the contract allows are refused in both formats', () => {
    for (const format of ['json', 'msgpack'] as const) {
      const frame = Buffer.from(encodeClientMessage(chunk(MAX_CHUNK_BYTES + 1), format) as string);
      expect(() => decodeClientMessage(frame, format)).toThrow(code('chunk_too_large'));
    }
  });
});

it('decodes server messages identically in both formats', () => {
  const message = { type: 'end_of_target_transcript', language: 'zh-HANS' } as const;
  for (const format of ['json', 'msgpack'] as const) {
    expect(decodeServerMessage(encodeServerMessage(message, format))).toEqual(message);
  }
});

it('round-trips base64, and rejects everything else', () => {
  const bytes = Uint8Array.from([0, 255, 16]);
  expect(fromBase64(toBase64(bytes))).toEqual(Buffer.from(bytes));
  for (const text of ['A', 'AB=C', 'AQ-_', 'AQI=\n']) expect(fromBase64(text)).toBeUndefined();
});
