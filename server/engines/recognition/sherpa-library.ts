/** Types of the parts of `sherpa-onnx-node` in use; the package has none of its own. */
import { createRequire } from 'node:module';

interface Waveform {
  samples: Float32Array;
  sampleRate: number;
}

/** Audio of one utterance during recognition. */
export interface SherpaStream {
  acceptWaveform(waveform: Waveform): void;
  setOption(key: string, value: string): void;
}

export interface SherpaOnlineStream extends SherpaStream {
  inputFinished(): void;
}

/** A result; timestamps in seconds from the first sample, one per token. */
export interface SherpaResult {
  text: string;
  tokens?: string[];
  timestamps?: number[];
  /** Set by offline models that detect the language: `en` or `<|en|>`. */
  lang?: string;
}

export interface SherpaOnlineRecognizer {
  createStream(): SherpaOnlineStream;
  isReady(stream: SherpaOnlineStream): boolean;
  decode(stream: SherpaOnlineStream): void;
  getResult(stream: SherpaOnlineStream): SherpaResult;
}

export interface SherpaOfflineRecognizer {
  createStream(hotwords?: string): SherpaStream;
  setConfig(config: object): void;
  decodeAsync(stream: SherpaStream): Promise<SherpaResult>;
}

export interface SherpaPunctuation {
  addPunct(text: string): string;
}

export interface SherpaTts {
  readonly numSpeakers: number;
  readonly sampleRate: number;
  generateAsync(request: {
    text: string;
    sid: number;
    speed: number;
    enableExternalBuffer: boolean;
    /** Receives each sentence as it is synthesised; `false` stops. */
    onProgress?: (made: { samples: Float32Array; progress: number }) => boolean;
  }): Promise<Waveform>;
}

export interface SherpaLibrary {
  OnlineRecognizer: new (config: object) => SherpaOnlineRecognizer;
  OfflineRecognizer: new (config: object) => SherpaOfflineRecognizer;
  OnlinePunctuation: new (config: object) => SherpaPunctuation;
  OfflinePunctuation: new (config: object) => SherpaPunctuation;
  OfflineTts: new (config: object) => SherpaTts;
}

/** Loads the native library; only in child processes. Throws Error where no build exists for this machine. */
export function loadSherpa(): SherpaLibrary {
  return createRequire(import.meta.url)('sherpa-onnx-node') as SherpaLibrary;
}
