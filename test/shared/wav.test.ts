import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAudio } from '../../server/cli/listen-audio.ts';
import { isWav, readWavHead, WAV_HEADER_BYTES, wavHeader } from '../../shared/wav.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

/** Half a second of sound as ffmpeg writes it to a pipe, where it cannot go back to fill in sizes. */
function piped(...args: string[]): Buffer {
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=0.5', '-ac', '1'];
  const all = ['-v', 'error', ...tone, ...args, '-f', 'wav', 'pipe:1'];
  return execFileSync('ffmpeg', all);
}

const format = { codec: 1, channels: 1, sampleRateHz: 16_000, bitsPerSample: 16 };

describe('the header of a WAV file', () => {
  it.each([3_200, Infinity])('is read as it was written, with %d bytes of samples', (dataBytes) => {
    const header = wavHeader({ sampleRateHz: 16_000, dataBytes });
    expect(isWav(header)).toBe(true);
    expect(readWavHead(header)).toEqual({ format, dataStart: WAV_HEADER_BYTES, dataBytes });
  });

  it('is read once it is complete, including irrelevant chunks', () => {
    const file = piped('-ar', '16000', '-metadata', 'title=a chunk of an odd size');
    const head = readWavHead(file);
    expect(head).toMatchObject({ format, dataBytes: Infinity });
    expect(head?.dataStart).toBeGreaterThan(WAV_HEADER_BYTES);
    for (let length = 0; length < head!.dataStart; length += 1) {
      expect(readWavHead(file.subarray(0, length))).toBeUndefined();
      expect(isWav(file.subarray(0, length))).toBe(length >= 12);
    }
  });

  it('reveals the sample format of an extensible file', () => {
    const file = piped('-ar', '96000');
    expect(file.readUInt16LE(20)).toBe(0xfffe);
    expect(readWavHead(file)?.format).toEqual({ ...format, sampleRateHz: 96_000 });
  });
});

describe('a WAV file as input', () => {
  it.each([
    ['audio/pcm;encoding=s16le;rate=16000', ['-ar', '16000'], 16_000],
    ['audio/pcm;encoding=alaw;rate=8000', ['-ar', '8000', '-c:a', 'pcm_alaw'], 4_000],
    ['audio/pcm;encoding=ulaw;rate=8000', ['-ar', '8000', '-c:a', 'pcm_mulaw'], 4_000],
    // Other rates are left to ffmpeg.
    ['audio/pcm;encoding=s16le;rate=16000', ['-ar', '22050'], 16_000],
  ])('is sent as %s', async (contentType, args, sizeBytes) => {
    const source = path.join(temporaryFolder(), 'tone.wav');
    writeFileSync(source, piped(...args));
    const input = await openAudio({ source, contentType: undefined, convert: false });
    expect(input.contentType).toBe(contentType);
    let readBytes = 0;
    for await (const chunk of input.audio) readBytes += chunk.length;
    expect(readBytes).toBeCloseTo(sizeBytes, -2);
  });

  it('is converted also where its name could be an address', async () => {
    const folder = process.cwd();
    onTestFinished(() => process.chdir(folder));
    process.chdir(temporaryFolder());
    const source = '2026-11-29T10:30.wav';
    const head = wavHeader({ sampleRateHz: 22_050, dataBytes: 22_050 });
    writeFileSync(source, Buffer.concat([head, Buffer.alloc(22_050)]));
    const { contentType, audio } = await openAudio({
      source,
      contentType: undefined,
      convert: false,
    });
    expect(contentType).toBe('audio/pcm;encoding=s16le;rate=16000');
    let readBytes = 0;
    for await (const chunk of audio) readBytes += chunk.length;
    expect(readBytes).toBeCloseTo(16_000, -2);
  });
});
