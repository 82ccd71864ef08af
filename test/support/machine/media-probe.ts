/** Inspects streams of target media with ffmpeg and ffprobe. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import { samplesOf } from '../audio/audio-files.ts';

const run = promisify(execFile);

export interface ProbedMedia {
  /** Name as reported by ffprobe. */
  container: string;
  codec: string;
  sampleRateHz: number;
  channels: number;
  /** Length by the times of the packets, in ms. */
  packetsMs: number;
  /** Length stated by the container or estimated by ffprobe, in ms; live streams may not have one. */
  toldMs: number | undefined;
}

/** Returns the input options of raw samples; every other format describes itself. */
function inputOptions({ container, codec, sampleRateHz }: TargetMediaFormat): string[] {
  if (container !== 'pcm') return [];
  const name = codec === 'ulaw' ? 'mulaw' : codec;
  return ['-f', name, '-ar', `${sampleRateHz}`, '-ac', '1'];
}

/** Inspects a file with ffprobe. Rejects on any warning. */
export async function probe(file: string, format: TargetMediaFormat): Promise<ProbedMedia> {
  const entries = 'format=format_name,duration:stream=codec_name,sample_rate,channels';
  const { stdout, stderr } = await run('ffprobe', [
    ...[
      '-v',
      'warning',
      '-of',
      'json',
      '-show_entries',
      `${entries}:packet=pts_time,duration_time`,
    ],
    ...[...inputOptions(format), file],
  ]);
  const complaints = stderr.split('\n').filter((line) => line !== '' && !isUsual(line));
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  const found = JSON.parse(stdout) as {
    format: { format_name: string; duration?: string };
    streams: { codec_name: string; sample_rate: string; channels: number }[];
    packets: { pts_time: string; duration_time: string }[];
  };
  const [stream, ...others] = found.streams;
  if (stream === undefined || others.length > 0) throw new Error('There is not one stream.');
  const [first, last] = [found.packets[0], found.packets.at(-1)];
  const endS = Number(last?.pts_time) + Number(last?.duration_time);
  const { duration } = found.format;
  return {
    container: found.format.format_name,
    codec: stream.codec_name,
    sampleRateHz: Number(stream.sample_rate),
    channels: stream.channels,
    packetsMs: (endS - Number(first?.pts_time)) * 1000,
    toldMs: duration === undefined ? undefined : Number(duration) * 1000,
  };
}

/** For raw samples the length is always estimated from the bit rate, and exact. */
function isUsual(line: string): boolean {
  return line.includes('Estimating duration from bitrate');
}

/** Decodes a file to s16le of one channel. Rejects if ffmpeg reports an error. */
export async function decode(
  file: string,
  format: TargetMediaFormat,
): Promise<{ samples: Int16Array; sampleRateHz: number }> {
  const [samples = new Int16Array()] = await decodeTogether([{ file, format }]);
  return { samples, sampleRateHz: DECODED_HZ };
}

export const DECODED_HZ = 24_000;

/** Like {@link decode}, for many files in one run of ffmpeg, whose start takes longer than a file. */
export async function decodeTogether(
  files: readonly { file: string; format: TargetMediaFormat }[],
): Promise<Int16Array[]> {
  const outputs = files.map(({ file }) => `${file}.decoded`);
  const { stderr } = await run('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-y'],
    ...files.flatMap(({ file, format }) => [...inputOptions(format), '-i', file]),
    ...outputs.flatMap((output, index) => [
      ...['-map', `${index}:a`, '-f', 's16le', '-ar', `${DECODED_HZ}`, output],
    ]),
  ]);
  if (stderr !== '') throw new Error(stderr);
  return outputs.map((output) => samplesOf(readFileSync(output)));
}
