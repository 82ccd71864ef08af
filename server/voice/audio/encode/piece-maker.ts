/** Packets of one stream to pieces of its container. */
import type { Container, EncodedPiece, Packet } from './packet.ts';

export interface PieceMaker {
  /** Takes packets; answers the pieces that are full. */
  add(packets: readonly Packet[]): EncodedPiece[];
  /** What is left, as a piece that may be short. */
  flush(): EncodedPiece[];
}

export function createPieceMaker({
  container,
  sampleRateHz,
}: {
  container: Container;
  sampleRateHz: number;
}): PieceMaker {
  const maxSamples = (container.pieceMs * sampleRateHz) / 1000;
  let waiting: Packet[] = [];
  let waitingSamples = 0;
  let startSample = 0;

  function* flush(): Generator<EncodedPiece> {
    if (waiting.length === 0) return;
    const data = container.wrap(waiting, startSample);
    yield { data, durationMs: (waitingSamples / sampleRateHz) * 1000 };
    startSample += waitingSamples;
    waiting = [];
    waitingSamples = 0;
  }

  function* add(packets: readonly Packet[]): Generator<EncodedPiece> {
    for (const packet of packets) {
      if (waitingSamples + packet.samples > maxSamples) yield* flush();
      waiting.push(packet);
      waitingSamples += packet.samples;
      if (waitingSamples >= maxSamples) yield* flush();
    }
  }

  return { add: (packets) => [...add(packets)], flush: () => [...flush()] };
}
