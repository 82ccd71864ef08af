/** Helpers shared by the decoding tests: streams from chunks, and samples from streams. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import type { AudioDecoders } from '../../../server/voice/audio/decode.ts';
import type { MediaPiece } from '../../../server/voice/audio/media.ts';
import { samplesOf } from '../../support/audio/audio-files.ts';
import { mediaOf, samplesIn } from '../../support/audio/heard.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';

export interface Given {
  contentType: string;
  sampleRateHz?: number;
  signal?: AbortSignal;
  meter?: (durationMs: number) => void;
}

export function decodeWith(
  decoders: AudioDecoders,
  media: AsyncIterable<MediaPiece>,
  { contentType, sampleRateHz = 16_000, signal = new AbortController().signal, meter }: Given,
): AsyncIterableIterator<Uint8Array> {
  const format = parseSourceMediaType(contentType);
  if (format === undefined) throw new Error(`${contentType} is no media type.`);
  const options = { format, sampleRateHz, signal };
  const given = meter === undefined ? options : { ...options, meter };
  return samplesIn(decoders.decode(mediaOf(media), given));
}

export async function* streamed(chunks: Iterable<MediaPiece>): AsyncGenerator<MediaPiece> {
  yield* chunks;
}

/** Collects all samples of a stream. Throws when a piece ends inside a sample. */
export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Int16Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) {
    if (piece.length % 2 !== 0) throw new Error('A piece ends inside a sample.');
    pieces.push(Uint8Array.from(piece));
  }
  return samplesOf(Buffer.concat(pieces));
}

/** Reads the rest of a stream; resolves to its length in bytes. */
export async function bytesLeft(iterator: AsyncIterator<Uint8Array>): Promise<number> {
  let heard = 0;
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
    heard += step.value.length;
  }
  return heard;
}

/** A live source whose pieces are given one by one. */
export function liveSource() {
  const pieces: MediaPiece[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  async function* media(): AsyncGenerator<MediaPiece> {
    for (;;) {
      for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece;
      if (isOver) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    media: media(),
    give(piece: MediaPiece) {
      pieces.push(piece);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

/** Polls a condition; rejects when it does not come true within the limit. */
export async function until(condition: () => boolean, everyMs = 5): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('The condition did not come true in time.');
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Rewrites WebM the way browsers' recorders write it: with clusters of unknown size. */
export function withUnknownClusterSizes(webm: Uint8Array): Uint8Array {
  const copy = Buffer.from(webm);
  const id = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
  for (let at = copy.indexOf(id); at >= 0; at = copy.indexOf(id, at + 4)) {
    const lengthBytes = Math.clz32(copy[at + 4]!) - 23;
    copy[at + 4] = 0xff >> (lengthBytes - 1);
    copy.fill(0xff, at + 5, at + 4 + lengthBytes);
  }
  return copy;
}

/** Writes an executable shell script that takes FFmpeg's place; returns its path. */
export function program(script: string): string {
  const file = path.join(temporaryFolder(), 'program');
  writeFileSync(file, `#!/bin/sh\ncase "$2" in -decoders) exit 0;; esac\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
