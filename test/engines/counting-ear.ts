/**
 * A stand-in for a speech model, for tests of the processes around it: turns each half second of audio into
 * a word that depends on its loudness. Its words show which audio it received. In Perl, which every Debian
 * has: it starts at a tenth of the cost of Node, and tests start it dozens of times.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import { fromHearing, toHearing } from '../../server/engines/recognition/hearing-protocol.ts';
import type { MoonshineOptions } from '../../server/engines/recognition/moonshine.ts';
import { moonshine } from './moonshine-support.ts';

const WORD_BYTES = 16_000;
const WORD_MS = WORD_BYTES / 32;
/** The word that ends the process that hears it. */
const DEADLY_WORD = 666;

/** Its arguments: a word by which tests find recogniser processes, and whether it loads forever. */
const script = `
  $| = 1;
  binmode STDIN;
  binmode STDOUT;
  my %lines;
  sub take {
    my ($size, $taken) = (@_, '');
    while (length $taken < $size) { read(STDIN, $taken, $size - length $taken, length $taken) or exit }
    return $taken;
  }
  sub tell_parent { print pack('VC', length $_[1], $_[0]), $_[1] }
  sub words { map { unpack 's<', substr($_[0], $_ * ${WORD_BYTES}, 2) } 0 .. length($_[0]) / ${WORD_BYTES} - 1 }
  sub heard {
    my @words = words($_[0]);
    my @timed = map {
      sprintf '{"text":"%d","startMs":%d,"endMs":%d}', $words[$_], $_ * ${WORD_MS}, ($_ + 1) * ${WORD_MS}
    } 0 .. $#words;
    return sprintf '{"text":"%s","agreed":"%1$s","words":[%s]}', "@words", join(',', @timed);
  }
  take(1) while $ARGV[1];
  tell_parent(${fromHearing.ready}, '');
  for (;;) {
    my ($size, $kind) = unpack 'VC', take(5);
    my ($number, $rest) = unpack 'a4 a*', take($size);
    $lines{$number} = '' if $kind == ${toHearing.open};
    if ($kind == ${toHearing.audio}) {
      my $before = words($lines{$number});
      $lines{$number} .= $rest;
      tell_parent(${fromHearing.heard}, $number . pack('V', length $rest));
      my @words = words($lines{$number});
      exit 1 if grep { $_ == ${DEADLY_WORD} } @words;
      tell_parent(${fromHearing.partial}, $number . heard($lines{$number})) if @words > $before;
    }
    tell_parent(${fromHearing.final}, $number . heard($lines{$number})) if $kind == ${toHearing.end};
    delete $lines{$number} if $kind == ${toHearing.end} || $kind == ${toHearing.drop};
  }`;

/** Starts a process with this stand-in. */
export function startEar({ loadsForever = false } = {}): ChildProcessWithoutNullStreams {
  const args = ['-e', script, 'moonshine-child', ...(loadsForever ? ['forever'] : [])];
  return spawn('perl', args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Creates the built-in recogniser with stand-ins in its processes; the caller closes it. */
export function countingEar(options: Partial<MoonshineOptions> = {}): Promise<RecognitionEngine> {
  return moonshine({ startProcess: () => startEar(), ...options });
}

/** Returns audio of that many words, and the text recognised in it. */
export function counted(words: number): { audio: Buffer; text: string } {
  return named(Array.from({ length: words }, (_, index) => 101 + index));
}

/** Returns audio that ends every process that hears it. */
export const deadly = (): Buffer => named([101, DEADLY_WORD]).audio;

function named(names: readonly number[]): { audio: Buffer; text: string } {
  const audio = names.map((name) => {
    const samples = new Int16Array(WORD_BYTES / 2).fill(name);
    return Buffer.from(samples.buffer);
  });
  return { audio: Buffer.concat(audio), text: names.join(' ') };
}
