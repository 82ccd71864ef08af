/** The gateway's overhead: processor time per chunk of audio, ours against a bare echo server. */
import { encodeClientMessage } from '../../shared/protocol/codec.ts';
import type { MessageFormat } from '../../shared/protocol/messages.ts';
import { openPostgresql } from '../support/machine/postgresql.ts';
import { openRedis, type TestRedis } from '../support/machine/redis.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, spread, verdict } from './figures.ts';
import { clientFrame, OPCODE, serverFrameBytes } from './gateway/load.ts';
import type { LoopDelay } from './gateway/probe.ts';
import { loadBareServer, loadOurServer, type LoadedServer } from './gateway/servers.ts';

export const name = 'gateway';
export const description =
  'processor time the server spends on 100 ms of audio, ours ÷ a bare ws echo server, and one that only receives';

/** Overhead that is aimed at, as a ratio. */
const AIMS: Record<MessageFormat, number> = { msgpack: 1.3, json: 1.5 };
/** With a broker, as a ratio to without. */
const SHARING_AIM = 1.25;
const CONNECTIONS = 100;
const CHUNK_MS = 100;
const SAMPLE_RATE_HZ = 16_000;
const CHUNK_BYTES = (SAMPLE_RATE_HZ * 2 * CHUNK_MS) / 1000;
/** Times real time; the gateway refuses more than 2. */
const SPEED = 1.9;
/** Each time with new processes: how often V8 collects garbage can differ from start to start. */
const STARTS = 3;
/** Of all together, until the compiler has settled: its threads are heard for half a minute after a start. */
const WARM_UP_MS = 28_000;
/** Of each alone after that. */
const SETTLING_MS = 1_000;
/** Of four rounds, per start. */
const GROUPS = 2;
const ROUND_MS = 800;
const CHUNKS_A_ROUND = (CONNECTIONS * SPEED * ROUND_MS) / CHUNK_MS;
/** The event loop is watched this often per start: one stall of the machine is no block of ours. */
const LOOP_ROUNDS = 2;

interface Overhead {
  /** µs per chunk, one per round. */
  oursUs: number[];
  echoUs: number[];
  receiveUs: number[];
  /** One per group of rounds. */
  ratios: number[];
  /** One per watch. */
  ourLoop: LoopDelay[];
  echoLoop: LoopDelay[];
}

type Results = readonly (readonly [format: MessageFormat, overhead: Overhead])[];

export async function run(print: Print): Promise<void> {
  const perSecond = (CONNECTIONS * SPEED * 1000) / CHUNK_MS;
  print(
    `${CONNECTIONS} connections, ${figure(perSecond)} chunks of ${CHUNK_BYTES} bytes a second, ` +
      `${STARTS} starts of both servers, ${GROUPS * 4} rounds turn by turn after each`,
  );
  const results: Results = [
    ['msgpack', await measure('msgpack')],
    ['json', await measure('json')],
  ];
  printTable(print, overheadRows(results));
  printTable(print, loopRows(results));
  const sharing = [await measureSharing('msgpack'), await measureSharing('json')];
  printTable(print, sharingRows(sharing));
}

/** What it costs that another server could go on: with a broker against without. */
interface Sharing {
  format: MessageFormat;
  aloneUs: number[];
  sharedUs: number[];
  redisUs: number[];
  ratios: number[];
}

async function measureSharing(format: MessageFormat): Promise<Sharing> {
  const sharing: Sharing = { format, aloneUs: [], sharedUs: [], redisUs: [], ratios: [] };
  const options = loadOptions(format);
  const [postgresql, redis] = await Promise.all([openPostgresql(), openRedis()]);
  const servers: LoadedServer[] = [];
  try {
    for (let count = 0; count < STARTS; count += 1) {
      const STORAGE_URL = await postgresql.createDatabase();
      const alone = await loadOurServer(format, options, { STORAGE_URL });
      servers.push(alone);
      const CLUSTER_NAME = `bench-${count}`;
      const settings = { STORAGE_URL: await postgresql.createDatabase(), CLUSTER_NAME };
      const shared = await loadOurServer(format, options, { ...settings, BROKER_URL: redis.url });
      servers.push(shared);
      await alternate({ alone, shared, redis }, sharing);
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([postgresql.stop(), redis.stop()]);
  }
  return sharing;
}

async function alternate(
  { alone, shared, redis }: Record<'alone' | 'shared', LoadedServer> & { redis: TestRedis },
  { aloneUs, sharedUs, redisUs, ratios }: Sharing,
): Promise<void> {
  await warmUp([alone, shared]);
  for (let group = 0; group < GROUPS; group += 1) {
    const before = await processorUsOf(redis);
    const turns = await byTurns(alone, shared, group);
    redisUs.push(((await processorUsOf(redis)) - before) / (turns.other.length * CHUNKS_A_ROUND));
    aloneUs.push(...turns.one);
    sharedUs.push(...turns.other);
    ratios.push(total(turns.other) / total(turns.one));
  }
}

async function warmUp(servers: readonly LoadedServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.run(WARM_UP_MS)));
  for (const server of servers) await server.run(SETTLING_MS);
}

/** Processor time of a Redis since its start, in µs. */
async function processorUsOf(redis: TestRedis): Promise<number> {
  const told = String(await redis.ask('INFO', 'cpu'));
  const seconds = told.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
  return total([...seconds].map(([, value]) => Number(value) * 1e6));
}

/** A B B A, in every other group B A A B: what drifts meanwhile touches both alike. In µs a chunk. */
async function byTurns(one: LoadedServer, other: LoadedServer, group: number) {
  const us: { one: number[]; other: number[] } = { one: [], other: [] };
  const [outer, inner] = group % 2 === 0 ? [one, other] : [other, one];
  for (const server of [outer, inner, inner, outer]) {
    us[server === one ? 'one' : 'other'].push(await server.cpuUsPerChunk(ROUND_MS));
  }
  return us;
}

function sharingRows(all: readonly Sharing[]): string[][] {
  return [
    ['', 'alone, µs a chunk', 'with a broker', 'Redis', 'with ÷ alone', 'aim'],
    ...all.map(({ format, aloneUs, sharedUs, redisUs, ratios }) => [
      format,
      spread(aloneUs),
      spread(sharedUs),
      spread(redisUs),
      spread(ratios),
      verdict(median(ratios), SHARING_AIM),
    ]),
  ];
}

/** Ours ÷ echo, a ratio for each group of four rounds after one start of the servers. */
export async function overheadRatios(format: MessageFormat, groups: number): Promise<number[]> {
  return (await measure(format, { starts: 1, groups, loopRounds: 0, receives: false })).ratios;
}

interface Extent {
  starts: number;
  /** Of four rounds, per start. */
  groups: number;
  /** In which the event loop is watched, per start. */
  loopRounds: number;
  /** Whether a server that only receives is measured beside them. */
  receives: boolean;
}

const WHOLE: Extent = { starts: STARTS, groups: GROUPS, loopRounds: LOOP_ROUNDS, receives: true };

async function measure(format: MessageFormat, extent = WHOLE): Promise<Overhead> {
  const overhead: Overhead = {
    oursUs: [],
    echoUs: [],
    receiveUs: [],
    ratios: [],
    ourLoop: [],
    echoLoop: [],
  };
  const options = loadOptions(format);
  for (let count = 0; count < extent.starts; count += 1) {
    const servers: LoadedServer[] = [];
    const started = async (server: Promise<LoadedServer>) => {
      servers.push(await server);
      return server;
    };
    try {
      const ours = await started(loadOurServer(format, options));
      const echo = await started(loadBareServer('echo', options));
      const receive = extent.receives
        ? await started(loadBareServer('receive', options))
        : undefined;
      await compare({ ours, echo, receive }, extent, overhead);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return overhead;
}

function loadOptions(format: MessageFormat) {
  const payload = encodeClientMessage({ type: 'source_media_chunk', data: hum() }, format);
  const bytes = Buffer.from(payload);
  const opcode = format === 'json' ? OPCODE.text : OPCODE.binary;
  return {
    connections: CONNECTIONS,
    intervalMs: CHUNK_MS / SPEED,
    frame: clientFrame(bytes, opcode),
    echoBytes: serverFrameBytes(bytes.length),
  };
}

/** A chunk of sound that is not silence, so that no byte is a special one. */
function hum(): Uint8Array {
  const samples = Int16Array.from({ length: CHUNK_BYTES / 2 }, (_, index) =>
    Math.round(8000 * Math.sin(index * 0.07) + 3000 * Math.sin(index * 1.13)),
  );
  return new Uint8Array(samples.buffer);
}

async function compare(
  {
    ours,
    echo,
    receive,
  }: Record<'ours' | 'echo', LoadedServer> & { receive: LoadedServer | undefined },
  { groups, loopRounds }: Extent,
  overhead: Overhead,
): Promise<void> {
  await warmUp(receive === undefined ? [ours, echo] : [ours, echo, receive]);
  for (let group = 0; group < groups; group += 1) {
    const turns = await byTurns(ours, echo, group);
    if (receive !== undefined) overhead.receiveUs.push(await receive.cpuUsPerChunk(ROUND_MS));
    overhead.oursUs.push(...turns.one);
    overhead.echoUs.push(...turns.other);
    overhead.ratios.push(total(turns.one) / total(turns.other));
  }
  for (let count = 0; count < loopRounds; count += 1) {
    overhead.ourLoop.push(await ours.loopDelay(ROUND_MS));
    overhead.echoLoop.push(await echo.loopDelay(ROUND_MS));
  }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function overheadRows(results: Results): string[][] {
  return [
    ['', 'ours, µs a chunk', 'echo', 'receiving alone', 'ours ÷ echo', 'aim'],
    ...results.map(([format, { oursUs, echoUs, receiveUs, ratios }]) => [
      format,
      spread(oursUs),
      spread(echoUs),
      spread(receiveUs),
      spread(ratios),
      verdict(median(ratios), AIMS[format]),
    ]),
  ];
}

function loopRows(results: Results): string[][] {
  const row = (label: string, delays: readonly LoopDelay[]) => [
    label,
    spread(delays.map(({ p50Ms }) => p50Ms)),
    spread(delays.map(({ p99Ms }) => p99Ms)),
    spread(delays.map(({ longestMs }) => longestMs)),
  ];
  return [
    ['event loop late, ms', 'p50', 'p99', 'longest block'],
    ...results.flatMap(([format, { ourLoop, echoLoop }]) => [
      row(`${format}, ours`, ourLoop),
      row(`${format}, echo`, echoLoop),
    ]),
  ];
}
