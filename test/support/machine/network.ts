/**
 * A network of its own for machines of a test: network namespaces (Linux) with addresses of their own, on
 * two switches, and cables that can be pulled out and made slow. It is nowhere to be seen from outside:
 * any number of them may be there at once. Nothing of it has a name, so that the kernel takes it away
 * with the last process in it, in whatever way the tests have ended.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** `front` is where clients are, `back` leads to the databases. */
export type Switch = 'front' | 'back';
const SWITCHES: readonly Switch[] = ['front', 'back'];

/** What a slow cable does; what this kernel cannot do is left out. */
export interface Slowness {
  /** In each direction, in kbit a second. */
  kbits: number;
  /** On the way to the machine, in ms. */
  delayMs?: number;
  /** Packets that are lost on the way to the machine. */
  lossPercent?: number;
}

/** A machine, as far as its network goes. */
export interface Machine {
  /** What stands before a command that is to run there. */
  readonly enter: readonly string[];
  address(where: Switch): string;
  /** Pulls out its cable, or both. */
  cut(...where: Switch[]): void;
  /** Puts it in again. */
  mend(...where: Switch[]): void;
  slow(where: Switch, slowness: Slowness): void;
  /** As fast as ever. */
  hasten(where: Switch): void;
}

export interface TestNetwork {
  /** By their names. */
  machine(name: string): Machine;
  close(): Promise<void>;
}

/** Why there can be no networks here; undefined where there can be. */
export function whyNoNetworks(): string | undefined {
  const tries: [why: string, command: string][] = [
    ['ip and tc of iproute2 are missing', 'ip -V && tc -V'],
    ['network namespaces take root on Linux', 'unshare --net true'],
    ['the kernel has no bridges', 'unshare --net ip link add name b0 type bridge'],
    ['the kernel has no pairs of veth', 'unshare --net ip link add name v0 type veth peer name v1'],
    [
      'the kernel has no tbf',
      'unshare --net tc qdisc add dev lo root tbf rate 1mbit burst 4kb latency 1ms',
    ],
  ];
  return tries.find(([, command]) => !works(command))?.[0];
}

/** Whether the kernel can delay and lose packets. */
export function canDelay(): boolean {
  return works('unshare --net tc qdisc add dev lo root netem delay 1ms');
}

function works(command: string): boolean {
  return spawnSync('/bin/sh', ['-c', command], { stdio: 'ignore' }).status === 0;
}

/**
 * Makes a network of machines, which are on both switches.
 *
 * @throws Error where {@link whyNoNetworks} says why
 */
export async function openNetwork(names: readonly string[]): Promise<TestNetwork> {
  // Everything in it reads from our end of the pipe, and is gone when that is closed or we are dead.
  const script = [
    'set -e; exec 3<&0',
    'ip link set lo up',
    ...SWITCHES.flatMap((each) => [`ip link add ${each} type bridge`, `ip link set ${each} up`]),
    ...names.flatMap((_, index) => [
      `unshare --net cat <&3 >/dev/null & pid=$!`,
      // Until it is in a namespace of its own.
      `while [ "$(readlink /proc/$pid/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done`,
      `nsenter --target $pid --net ip link set lo up`,
      ...SWITCHES.flatMap((each) => [
        `ip link add ${portOf(index, each)} type veth peer name ${each} netns $pid`,
        `ip link set ${portOf(index, each)} master ${each} up`,
        `nsenter --target $pid --net ip address add ${addressOf(index, each)}/24 dev ${each}`,
        `nsenter --target $pid --net ip link set ${each} up`,
      ]),
      'echo $pid',
    ]),
    'read -r _ || true',
  ].join('\n');
  const keeper = spawn('unshare', ['--net', '/bin/sh', '-c', script], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const pids = await pidsOf(keeper, names.length);
  const within = (pid: number) => ['nsenter', '--target', `${pid}`, '--net', '--'];
  const [outer, machines] = [within(keeper.pid ?? 0), new Map<string, Machine>()];
  names.forEach((name, index) => {
    const inner = within(pids[index]!);
    machines.set(name, machineAt(index, { outer, inner }));
  });
  return {
    machine(name) {
      const machine = machines.get(name);
      if (machine === undefined) throw new Error(`There is no machine ${name}.`);
      return machine;
    },
    async close() {
      const ended = once(keeper, 'exit');
      keeper.stdin.end();
      await ended;
    },
  };
}

/** Of each machine, as they are told. */
async function pidsOf({ stdout, stderr }: ChildProcess, count: number): Promise<number[]> {
  let problem = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => (problem += text));
  const pids: number[] = [];
  for await (const line of createInterface({ input: stdout! })) {
    pids.push(Number(line));
    if (pids.length === count) return pids;
  }
  throw new Error(`There is no network: ${problem}`);
}

function portOf(index: number, where: Switch): string {
  return `${where}${index}`;
}

function addressOf(index: number, where: Switch): string {
  return `10.0.${SWITCHES.indexOf(where)}.${index + 1}`;
}

function machineAt(
  index: number,
  { outer, inner }: { outer: readonly string[]; inner: readonly string[] },
): Machine {
  const run = ([program = '', ...before]: readonly string[], command: string): void => {
    execFileSync(program, [...before, ...command.split(' ')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  const ends = (where: Switch): [readonly string[], string][] => [
    [outer, portOf(index, where)],
    [inner, where],
  ];
  const clear = (where: Switch): void => {
    for (const [place, device] of ends(where)) {
      try {
        run(place, `tc qdisc del dev ${device} root`);
      } catch {
        // It is as fast as can be.
      }
    }
  };
  return {
    enter: inner,
    address: (where) => addressOf(index, where),
    cut(...where) {
      for (const each of where) run(outer, `ip link set ${portOf(index, each)} down`);
    },
    mend(...where) {
      for (const each of where) run(outer, `ip link set ${portOf(index, each)} up`);
    },
    slow(where, { kbits, delayMs = 0, lossPercent = 0 }) {
      clear(where);
      for (const [place, device] of ends(where)) {
        const filter = `tbf rate ${kbits}kbit burst 16kb latency 400ms`;
        run(place, `tc qdisc add dev ${device} root handle 1: ${filter}`);
        if (place !== outer || (delayMs === 0 && lossPercent === 0) || !canDelay()) continue;
        const worse = `netem delay ${delayMs}ms loss ${lossPercent}%`;
        run(place, `tc qdisc add dev ${device} parent 1: handle 2: ${worse}`);
      }
    },
    hasten: clear,
  };
}
