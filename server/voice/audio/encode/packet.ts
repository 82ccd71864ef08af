/** What encoders make, containers wrap, and clients get. */

/** A packet or frame of a codec: what a decoder takes in one go. */
export interface Packet {
  data: Uint8Array;
  /** How many samples it plays, at the rate of its encoder. */
  samples: number;
}

/** Part of a stream that must not be cut: a page, a cluster, a packet or a frame. */
export interface EncodedPiece {
  data: Uint8Array;
  durationMs: number;
}

/** Samples of one stream to packets; s16, one channel, at the encoder's own rate. */
export interface PacketEncoder {
  readonly sampleRateHz: number;
  /** Packets that are complete. */
  encode(samples: Int16Array): Packet[];
  /** Pads with silence until everything taken in has come out. */
  flush(): Packet[];
  free(): void;
}

/** How packets are wrapped; one for each stream, as it counts. */
export interface Container {
  /** Pieces that come before everything else. */
  readonly headers: readonly Uint8Array[];
  /** Packets go together as long as they play no longer than this. */
  readonly pieceMs: number;
  /**
   * One piece with some packets; each call goes on where the one before ended.
   *
   * @param startSample of the first packet, at the encoder's rate
   */
  wrap(packets: readonly Packet[], startSample: number): Uint8Array;
}
