import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAudio } from '../../server/cli/listen-audio.ts';
import { runDragoman, startDragoman } from '../support/product/command-line.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { until } from '../support/product/server.ts';
import { inTones, wavFile } from '../support/audio/tone-speech.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

let recogniser: VoskServer;
let server: HostedServer;
let greeting: string;
beforeAll(async () => {
  const { spelling, speech } = inTones(['good morning everybody']);
  [greeting] = speech.map(wavFile) as [string];
  recogniser = await startVoskServer({ spelling });
  server = await startHosted({ RECOGNISER: 'vosk', VOSK_URL: recogniser.url });
});
afterAll(async () => {
  await server.stop();
  await recogniser.close();
});

interface Transcript {
  tracks: {
    kind: string;
    language: string;
    text: string;
    segments: { text: string; start_time: number; end_time: number }[];
  }[];
}

/** The address and the key come from the settings, as on the server's machine. */
const settings = (): Record<string, string> => ({
  DATA_DIR: server.dataFolder,
  PORT: new URL(server.url).port,
});
const listen = (...args: string[]) => runDragoman(['listen', ...args], settings());
/** Language tags are case-insensitive. */
const english = ['--from', 'EN', '--to', 'ES'];

describe('listen', () => {
  it('prints the captions of a WAV file and writes subtitles in every language', async () => {
    const output = path.join(temporaryFolder(), 'talk.srt');
    const {
      code,
      output: printed,
      errors,
    } = await listen(...[greeting, ...english, '--output', output]);
    expect(errors).toContain('talk.es.srt');
    expect(code).toBe(0);
    expect(printed).toMatch(/^en +\w.*morning/m);
    expect(printed).toMatch(/^es +\w/m);
    const subtitles = readFileSync(output.replace('.srt', '.en.srt'), 'utf8');
    expect(subtitles).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n.*morning/);
    expect(readFileSync(output.replace('.srt', '.es.srt'), 'utf8')).toContain(' --> ');
  });

  it('converts formats unknown to the protocol with ffmpeg, and needs no settings for a remote server', async () => {
    const folder = temporaryFolder();
    const stereo = path.join(folder, 'stereo.wav');
    execFileSync('sox', [greeting, '-r', '22050', '-c', '2', stereo]);
    const output = path.join(folder, 'talk.vtt');
    const remote = ['--url', server.url, '--key', server.apiKey];
    const args = ['listen', stereo, '--from', 'en', '--output', output, ...remote];
    const { code, errors } = await runDragoman(args, {});
    expect({ code, errors }).toMatchObject({ code: 0 });
    expect(readFileSync(output, 'utf8')).toMatch(/^WEBVTT\n\n00:00:0[^]*morning/);
  });

  it('advises to convert what has two channels, or is of another format than its name says', async () => {
    const folder = temporaryFolder();
    const stereo = path.join(folder, 'stereo.mp3');
    execFileSync('ffmpeg', ['-loglevel', 'error', '-i', greeting, '-ac', '2', stereo]);
    const other = path.join(folder, 'mp4.mp3');
    writeFileSync(other, `\0\0\0\x18ftypisom\0\0\0\0isommp42${'\0'.repeat(100)}`);
    for (const file of [stereo, other]) {
      const { code, errors } = await listen(file, '--from', 'en');
      expect({ code, errors }).toMatchObject({ code: 1 });
      expect(errors).toMatch(/\.mp3: The .*Let ffmpeg convert it with --convert\./);
    }
  });

  it.each([
    ['talk.ogg', 'OggS', 'audio/ogg'],
    ['talk', 'OggS', 'audio/ogg'],
    ['talk.webm', '\x1a\x45\xdf\xa3', 'audio/webm'],
    ['talk.mka', '\x1a\x45\xdf\xa3', 'audio/x-matroska'],
    ['talk', '\x1a\x45\xdf\xa3', 'audio/auto'],
    ['talk.MP3', '\xff\xfb\x10\xc4', 'audio/mpeg'],
    ['talk.mp3', 'ID3\x04\0\0\0\0\0\x04none\xff\xfb\x10\xc4', 'audio/mpeg'],
    ['talk.flac', 'ID3\x04\0\0\0\0\0\x04nonefLaC', 'audio/flac'],
    ['talk.mp3', 'fLaC', 'audio/flac'],
  ])('takes the type of %s from its start, %j', async (name, start, contentType) => {
    const source = path.join(temporaryFolder(), name);
    const magic = start.replace(/^ID3.*none/s, '');
    const body = Buffer.from('sound '.repeat(4));
    writeFileSync(source, Buffer.concat([Buffer.from(start, 'latin1'), body]));
    const opened = await openAudio({ source, contentType: undefined, convert: false });
    expect(opened.contentType).toBe(contentType);
    const sent: Uint8Array[] = [];
    for await (const chunk of opened.audio) sent.push(chunk);
    expect(Buffer.concat(sent).toString('latin1')).toBe(`${magic}${body.toString()}`);
    expect(opened.sizeBytes).toBe(magic.length + body.length);
  });

  it.each([
    ['--output', 'link.json'],
    ['--speak', 'hard.wav'],
  ])('never overwrites its own input: %s %s', async (option, name) => {
    const folder = temporaryFolder();
    const input = path.join(folder, 'talk.json');
    copyFileSync(greeting, input);
    symlinkSync(input, path.join(folder, 'link.json'));
    linkSync(input, path.join(folder, 'hard.wav'));
    const { code, errors } = await listen(input, ...english, option, path.join(folder, name));
    expect({ code, errors }).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is the audio that is read') as string,
    });
    expect(readFileSync(input).equals(readFileSync(greeting))).toBe(true);
  });

  it('accepts compressed audio at the lowest bit rate, and prints the transcript when its file cannot be written at the end', async () => {
    const file = path.join(temporaryFolder(), 'talk.ogg');
    const encoding = ['-c:a', 'libopus', '-b:a', '16k'];
    execFileSync('ffmpeg', ['-loglevel', 'error', '-i', greeting, ...encoding, file]);
    const pipe = path.join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const folder = path.join(temporaryFolder(), 'gone');
    mkdirSync(folder);
    // Nor can the speech be written.
    const full = path.join(temporaryFolder(), 'speech.webm');
    symlinkSync('/dev/full', full);
    const files = ['--output', path.join(folder, 'talk.json'), '--speak', full];
    const listening = listen(pipe, ...english, ...files);
    // Its reader opens it after the files to be written were looked at.
    const input = await open(pipe, 'w');
    rmdirSync(folder);
    await input.writeFile(readFileSync(file));
    await input.close();
    const { code, output } = await listening;
    expect(code).toBe(1);
    expect(output).toMatch(/"tracks"[^]*morning/);
  });

  it('reports an empty file, whatever its name', async () => {
    const file = path.join(temporaryFolder(), 'talk.wav');
    writeFileSync(file, '');
    const { code, errors } = await listen(file, '--from', 'en');
    expect({ code, errors }).toEqual({ code: 1, errors: `${file}: there is no audio in it.\n` });
  });

  it('concludes standard input on Ctrl+C, and when its terminal is closed, and still writes all times as JSON', async () => {
    const output = path.join(temporaryFolder(), 'talk.json');
    const child = startDragoman(['listen', '-', ...english, '--output', output], settings());
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    // Raw samples without a header; standard input stays open, like a microphone.
    child.stdin.write(readFileSync(greeting).subarray(44));
    await until(() => /morning/.test(printed));
    child.kill('SIGHUP');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
    const { tracks } = JSON.parse(readFileSync(output, 'utf8')) as Transcript;
    expect(tracks.map(({ kind, language }) => [kind, language])).toEqual([
      ['source', 'en'],
      ['target', 'es'],
    ]);
    const [source] = tracks;
    expect(source!.text).toMatch(/morning/);
    const pieces = source!.segments.map(({ text }) => text);
    expect(pieces.join('').trim()).toBe(source!.text);
    for (const { start_time, end_time } of source!.segments) {
      expect(end_time).toBeGreaterThan(start_time);
    }
  });

  it.each([
    [['nowhere.wav'], /nowhere\.wav/],
    [['server'], /^server: is not a file/],
    [['-', ...english], /^Standard input: there is no audio in it/],
    [['README.md'], /--content-type/],
    [['README.md', '--convert'], /^README\.md: Invalid data/],
    [['tsconfig.json', '--content-type', 'audio/mpeg'], /no sound was found in it as audio\/mpeg/],
    [['README.md', '--content-type', 'audio/aac'], /source_media_content_type/],
    [['README.md', '--content-type', 'audio/auto', '--output', 'a.doc'], /srt, vtt, txt, json/],
    [['README.md', '--content-type', 'audio/auto', '--speak', 'a.webm'], /--to/],
    [['README.md', '--content-type', 'audio/auto', '--key', 'wrong'], /./],
    [['nowhere.wav', '--output', 'nowhere/talk.srt'], /--output: there is no folder/],
    [
      // One language, and one file of it, however often it is named.
      [
        ...['-', '--to', 'es,ES', '--output', 'a.srt', '--key', 'any'],
        ...['--url', 'http://me:secret@127.0.0.1:1'],
      ],
      /^The server at http:\/\/127\.0\.0\.1:1 cannot be reached\. .*--url/,
    ],
  ])('exits %j with 1 and one clear line', async (args, message) => {
    const { code, output, errors } = await listen(...args);
    expect(errors.trim()).toMatch(message);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).not.toMatch(/\n {4}at /);
  });
});
