/** Pieces of a stream to samples, for the two paths that schedule sound themselves. */

/** Takes pieces and hands over what they sound like, in order. */
export interface SampleSource {
  /** Of what is handed over, in Hz. */
  readonly sampleRateHz: number;
  append(pieces: readonly Uint8Array[]): void;
  close(): void;
}

interface SampleSourceOptions {
  onSamples: (samples: Float32Array<ArrayBuffer>) => void;
  onFailure: (cause: unknown) => void;
}

/** s16le: most browsers run on little-endian machines only, so the bytes are samples already. */
export function pcmSamples({ onSamples }: SampleSourceOptions): SampleSource {
  return {
    sampleRateHz: 24_000,
    append(pieces) {
      const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
      const samples = new Float32Array(sizeBytes >> 1);
      let filled = 0;
      for (const piece of pieces) {
        const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
        for (let byte = 0; byte + 1 < piece.length; byte += 2) {
          samples[filled++] = view.getInt16(byte, true) / 32_768;
        }
      }
      if (filled > 0) onSamples(samples);
    },
    close: () => undefined,
  };
}

/** Opus always decodes at 48 kHz. */
const OPUS_RATE_HZ = 48_000;
/** Packets of 20 ms are put together to this, in samples: each seam costs the browser a node. */
const BATCH_SAMPLES = OPUS_RATE_HZ / 5;
const PACKET_US = 20_000;

/** Opus in Ogg pages, by WebCodecs. */
export function opusSamples({ onSamples, onFailure }: SampleSourceOptions): SampleSource {
  const batch = new Float32Array(BATCH_SAMPLES);
  let filled = 0;
  /** Packets that were given to the decoder, and that came out of it. */
  let given = 0;
  let decoded = 0;
  /** `given` after each chunk: sentences begin with one, so buffers do too. */
  const chunkEnds: number[] = [];

  function handOver(): void {
    if (filled > 0) onSamples(batch.slice(0, filled));
    filled = 0;
  }
  const decoder = new AudioDecoder({
    output(data) {
      const { numberOfFrames: count } = data;
      if (filled + count > BATCH_SAMPLES) handOver();
      data.copyTo(batch.subarray(filled, filled + count), { planeIndex: 0, format: 'f32-planar' });
      data.close();
      filled += count;
      // Not by flush(): it makes the decoder forget the sound that the next packet builds on.
      if (++decoded < (chunkEnds[0] ?? Infinity)) return;
      chunkEnds.shift();
      handOver();
    },
    error: onFailure,
  });
  decoder.configure({ codec: 'opus', sampleRate: OPUS_RATE_HZ, numberOfChannels: 1 });
  return {
    sampleRateHz: OPUS_RATE_HZ,
    append(pieces) {
      for (const data of pieces.flatMap(pagePackets)) {
        if (isOpusHeader(data)) continue;
        const packet = { type: 'key', timestamp: given * PACKET_US, data: data as BufferSource };
        decoder.decode(new EncodedAudioChunk(packet as EncodedAudioChunkInit));
        given++;
      }
      chunkEnds.push(given);
    },
    close() {
      if (decoder.state !== 'closed') decoder.close();
    },
  };
}

const PAGE_HEADER_BYTES = 27;
/** "OggS". */
const CAPTURE_PATTERN = 0x4f676753;
/** "Opus", as in OpusHead and OpusTags. */
const OPUS_HEADER = 0x4f707573;

/**
 * The packets of one Ogg page (RFC 3533, RFC 7845). The gateway never spreads a packet over two pages.
 *
 * @throws RangeError when it is no Ogg page, or a part of one
 */
function pagePackets(page: Uint8Array): Uint8Array[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  if (view.getUint32(0) !== CAPTURE_PATTERN) throw new RangeError('This is not an Ogg page.');
  const lacingCount = view.getUint8(26);
  const packets: Uint8Array[] = [];
  let start = PAGE_HEADER_BYTES + lacingCount;
  let end = start;
  for (let index = 0; index < lacingCount; index++) {
    const length = view.getUint8(PAGE_HEADER_BYTES + index);
    end += length;
    // A packet goes on while its parts are full.
    if (length === 255) continue;
    if (end > page.length) throw new RangeError('The Ogg page is cut off.');
    packets.push(page.subarray(start, end));
    start = end;
  }
  return packets;
}

/** Whether a packet is OpusHead or OpusTags; sound never begins like this. */
function isOpusHeader(packet: Uint8Array): boolean {
  if (packet.length < 8) return false;
  return new DataView(packet.buffer, packet.byteOffset).getUint32(0) === OPUS_HEADER;
}
