/**
 * A private network for the machines of a test: Linux network namespaces with addresses of their own, on two
 * switches, with cables that can be pulled and slowed. Networks are isolated, so any number can exist at
 * once. None of their parts has a name, so the kernel removes a network with its last process, however the
 * tests end.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** `front` is the network of the clients; `back` leads to the databases. */
export type Switch = 'front' | 'back';
const SWITCHES: readonly Switch[] = ['front', 'back'];

/** Properties of a slow cable; those that this kernel does not support are ignored. */
export interface Slowness {
  /** Rate in each direction, in kbit/s. */
  kbits: number;
  /** Delay on the way to the machine, in ms. */
  delayMs?: number;
  /** Share of packets lost on the way to the machine, in percent. */
  lossPercent?: number;
}

/** The network side of a machine. */
export interface Machine {
  /** Command prefix that runs a command on the machine. */
  readonly enter: readonly string[];
  address(where: Switch): string;
  /** Pulls out one cable or both. */
  cut(...where: Switch[]): void;
  /** Reconnects cables. */
  mend(...where: Switch[]): void;
  slow(where: Switch, slowness: Slowness): void;
  /** Restores a cable's full speed. */
  restoreSpeed(where: Switch): void;
}

export interface TestNetwork {
  /** Returns a machine by name. */
  machine(name: string): Machine;
  close(): Promise<void>;
}

/** Returns why networks cannot be created here; undefined if they can. */
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

/** Returns whether the kernel can delay and drop packets. */
function canDelay(): boolean {
  return works('unshare --net tc qdisc add dev lo root netem delay 1ms');
}

function works(command: string): boolean {
  return spawnSync('/bin/sh', ['-c', command], { stdio: 'ignore' }).status === 0;
}

/**
 * Creates a network of machines, each on both switches.
 *
 * @throws Error if {@link whyNoNetworks} gives a reason
 */
export async function openNetwork(names: readonly string[]): Promise<TestNetwork> {
  // Every process inside reads from this end of the pipe, and ends when it closes or the test process dies.
  const script = [
    'set -e; exec 3<&0',
    'ip link set lo up',
    ...SWITCHES.flatMap((each) => [`ip link add ${each} type bridge`, `ip link set ${each} up`]),
    ...names.flatMap((_, index) => [
      `unshare --net cat <&3 >/dev/null & pid=$!`,
      // Waits until the process is in a namespace of its own.
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

/** Reads the process id of each machine, as the script prints them. */
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
        // The cable has no limits to remove.
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
    restoreSpeed: clear,
  };
}
