/** The FFmpeg processes of all streams: how many there may be, and that none is left behind. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { FfmpegProgram } from '../ffmpeg-program.ts';
import { ffmpegMissing } from './decodable-formats.ts';
import { FfmpegStream, type FfmpegOptions } from './ffmpeg.ts';

export interface FfmpegPool {
  /** @throws ServiceError audio_format_unsupported without FFmpeg, too_many_sessions */
  start(options: Pick<FfmpegOptions, 'coding' | 'sampleRateHz' | 'events'>): FfmpegStream;
  /** Ends all processes; resolves when they are gone. */
  close(): Promise<void>;
}

export function createFfmpegPool({
  program,
  maxProcesses,
  watchdogMs,
}: {
  program: FfmpegProgram | undefined;
  maxProcesses: number;
  watchdogMs: number;
}): FfmpegPool {
  const running = new Set<FfmpegStream>();
  return {
    start(options) {
      if (program === undefined) throw ffmpegMissing();
      if (running.size >= maxProcesses) {
        throw new ServiceError('too_many_sessions', 'No audio decoder is free. Please try again.');
      }
      const stream = new FfmpegStream({ ...options, program, watchdogMs });
      running.add(stream);
      void stream.gone.then(() => running.delete(stream));
      return stream;
    },
    async close() {
      const all = [...running];
      for (const stream of all) stream.kill();
      await Promise.all(all.map(({ gone }) => gone));
    },
  };
}
