/**
 * What Redis does in one step. The first line of a script tells Redis what it may do: those that take
 * no more room also run when there is none left, the others are refused before they have begun.
 *
 * Every script that is sent again, because its answer was lost, leaves things as one does that is sent
 * once; `count` alone may count twice, and what is taken from a bucket may be two.
 */
import { createHash } from 'node:crypto';

export interface Script {
  readonly lua: string;
  /** By which Redis knows it once it is loaded. */
  readonly sha: string;
}

type Flags = '' | ' flags=allow-oom' | ' flags=no-writes';

function script(flags: Flags, body: string): Script {
  const lua = `#!lua${flags}\n${body.trim()}\n`;
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/**
 * A script that is told of many at once. Each is done by itself: what is wrong with one is its answer,
 * and touches no other.
 *
 * @param before what is there for all
 * @param body what is done for one, with its KEYS and ARGV
 */
function scriptForMany(flags: Flags, before: string, body: string): Script {
  return script(
    flags,
    `${before}
local function doOne(KEYS, ARGV)
${body.trim()}
end
local keysEach, argsEach = tonumber(ARGV[1]), tonumber(ARGV[2])
local answers = {}
for index = 0, #KEYS / keysEach - 1 do
  local keys, args = {}, {}
  for each = 1, keysEach do keys[each] = KEYS[index * keysEach + each] end
  for each = 1, argsEach do args[each] = ARGV[2 + index * argsEach + each] end
  local isDone, answer = pcall(doOne, keys, args)
  if not isDone and type(answer) ~= 'table' then answer = { err = 'ERR ' .. tostring(answer) } end
  answers[index + 1] = answer or false
end
return answers`,
  );
}

/** ms since the epoch by the clock of Redis; whole numbers must not be written as 1.7e+12. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end`;

/** Length of a version, which stands before the value: random letters that a writer makes up. */
export const VERSION_LENGTH = 16;

/** KEYS: record. ARGV: version, value, ttl, condition (`any`, `absent` or a version). */
const write = `
local version = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_LENGTH - 1})
if version == ARGV[1] then return 1 end
if ARGV[4] == 'absent' and version ~= '' then return 0 end
if ARGV[4] ~= 'absent' and ARGV[4] ~= 'any' and version ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
return 1`;

const writeRecord = script('', write);

/** For a version that is there already: what it replaces is about as large. */
const replaceRecord = script(' flags=allow-oom', write);

/** KEYS: lease. ARGV: holder, ttl, time it is remembered besides, 1: only one given back. Answers the epoch, or nothing. */
const acquireLease = script(
  '',
  `${clock}
local lease = redis.call('HMGET', KEYS[1], 'holder', 'epoch', 'until')
local holder, epoch = lease[1], tonumber(lease[2] or '0')
if holder and holder ~= ARGV[1] and tonumber(lease[3]) > now then return false end
if ARGV[4] == '1' and holder ~= ARGV[1] and (holder or epoch == 0) then return false end
-- By the clock, so that it is greater than those nobody remembers.
if holder ~= ARGV[1] then epoch = math.max(now, epoch + 1) end
redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'epoch', whole(epoch), 'until', whole(now + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2] + ARGV[3])
return epoch`,
);

/** Whether a lease, of the key given in Lua, has this epoch and a holder. */
const holds = `
local function holds(lease, epoch)
  local held = redis.call('HMGET', lease, 'holder', 'epoch')
  return held[1] and held[2] == epoch
end`;

/** For many. KEYS: lease. ARGV: epoch, ttl, time it is remembered besides. */
const renewLease = scriptForMany(
  ' flags=allow-oom',
  `${clock}${holds}`,
  `
if not holds(KEYS[1], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'until', whole(now + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2] + ARGV[3])
return 1`,
);

/** KEYS: lease. ARGV: epoch. */
const releaseLease = script(
  ' flags=allow-oom',
  `${holds}
if holds(KEYS[1], ARGV[1]) then redis.call('HDEL', KEYS[1], 'holder') end`,
);

/** KEYS: lease. Answers holder and epoch, or nothing. */
const findLease = script(
  ' flags=no-writes',
  `${clock}
local lease = redis.call('HMGET', KEYS[1], 'holder', 'epoch', 'until')
if not lease[1] or tonumber(lease[3]) <= now then return false end
return { lease[1], tonumber(lease[2]) }`,
);

/** Sits down: ARGV are member and ttl, KEYS the limits. */
const sit = `
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, whole(now + ARGV[2]), ARGV[1])
  if redis.call('PTTL', key) < tonumber(ARGV[2]) then redis.call('PEXPIRE', key, ARGV[2]) end
end`;

/** How often each node says that the keys are theirs, in ms. */
export const CLAIM_EVERY_MS = 1_000;
/** Keys that no node has claimed for so long were out of their sight: some may be old, or have run out, in ms. */
const UNCLAIMED_MS = 3_000;
/** How long it then takes nodes to come back, in ms. */
const COME_BACK_MS = 3_000;

/** What the mark of a cluster says besides whose it is: since when its keys are good, and the last claim. */
const times = `'(%d+) (%d+)$'`;

/** The mark is the last of KEYS. How long nodes take to come back yet, in ms; 0 when they have. */
const comingBack = `${clock}
local function comingBack()
  local since, claimed = string.match(redis.call('GET', table.remove(KEYS)) or '', ${times})
  if not since or now - claimed > ${UNCLAIMED_MS} then return ${CLAIM_EVERY_MS} end
  return math.max(0, since + ${COME_BACK_MS} - now)
end`;

/** KEYS: the mark of the cluster. */
const awaitNodes = script(
  ' flags=no-writes',
  `${comingBack}
return comingBack()`,
);

/**
 * KEYS: limits, the mark of the cluster. ARGV: member, ttl, the most of each. Answers which is full, from
 * 1; 0 for none; and while nodes come back less: the ms to wait, below 0.
 */
const takeSeats = script(
  '',
  `${comingBack}
local wait = comingBack()
if wait > 0 then return -wait end
for index, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', whole(now))
  local isIn = redis.call('ZSCORE', key, ARGV[1])
  if not isIn and redis.call('ZCARD', key) >= tonumber(ARGV[index + 2]) then return index end
end
${sit}
return 0`,
);

/** For many. KEYS: limits. ARGV: member, ttl. */
const keepSeats = scriptForMany(' flags=allow-oom', clock, sit);

/** KEYS: limits. ARGV: member. */
const leaveSeats = script(
  ' flags=allow-oom',
  `for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`,
);

/** KEYS: limit. */
const listMembers = script(
  ' flags=no-writes',
  `${clock}
return redis.call('ZRANGE', KEYS[1], '(' .. whole(now), '+inf', 'BYSCORE')`,
);

/** KEYS: counter. ARGV: the most, window. Answers the ms left, or nothing when counted. */
const count = script(
  '',
  `
local counted = redis.call('GET', KEYS[1])
if tonumber(counted or '0') >= tonumber(ARGV[1]) then
  return counted and math.max(1, redis.call('PTTL', KEYS[1])) or tonumber(ARGV[2])
end
if counted then
  redis.call('INCRBY', KEYS[1], 1)
else
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[2])
end
return false`,
);

/**
 * KEYS: buckets, of each of which is kept when it will be full again. ARGV: of each burst and interval.
 * Answers the ms until all have one, or nothing.
 */
const wait = `${clock}
local fullAt, wait = {}, 0
for index, key in ipairs(KEYS) do
  local burst, every = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  fullAt[index] = math.max(now, tonumber(redis.call('GET', key) or '0')) + every
  wait = math.max(wait, fullAt[index] - now - burst * every)
end
if wait > 0 then return wait end`;

/** Refused where takers are: whoever is answered by one alone would learn which of them it was. */
const lookAtBuckets = script('', `${wait}\nreturn false`);

const takeFromBuckets = script(
  '',
  `${wait}
for index, key in ipairs(KEYS) do
  redis.call('SET', key, whole(fullAt[index]), 'PX', whole(fullAt[index] - now))
end
return false`,
);

/** Where the id, the mark and so on of an entry are among its fields. */
export const entryFields = { previous: 1, mark: 3, bytes: 5 } as const;

/** Entries in which one that was appended before is looked for, to answer its id. */
const LOOKED_AT = 100;

/**
 * For many. KEYS: stream, its last id, the last number of the appender, and the lease of a fence.
 * ARGV: bytes, appender, number, most entries, ttl, time ids are remembered besides, channel, epoch, the
 * first id that is not removed. Answers the id, or nothing when the fence refuses.
 */
const append = scriptForMany(
  '',
  `${clock}${holds}`,
  `
local last, number = tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(ARGV[3])
local mark = ARGV[2] .. ' ' .. ARGV[3]
if number <= tonumber(redis.call('GET', KEYS[3]) or '0') then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', ${LOOKED_AT})) do
    if entry[2][${entryFields.mark + 1}] == mark then return tonumber(string.match(entry[1], '%d+')) end
  end
  return last
end
if KEYS[4] and not holds(KEYS[4], ARGV[8]) then return false end
local id = math.max(now, last + 1)
redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[4], whole(id) .. '-0', 'previous', whole(last), 'mark', mark, 'bytes', ARGV[1])
if ARGV[9] ~= '' then redis.call('XTRIM', KEYS[1], 'MINID', ARGV[9]) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('SET', KEYS[2], whole(id), 'PX', ARGV[5] + ARGV[6])
redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[5] + ARGV[6])
redis.call('PUBLISH', ARGV[7], '')
return id`,
);

/**
 * KEYS: the mark of a cluster. ARGV: whose it is, the last claim that the caller knows of. Answers the
 * mark that is there. A last claim before that, or long ago, is of a Redis that came back as it once was,
 * or stood still: then the keys are good from now on.
 */
const claim = script(
  ' flags=allow-oom',
  `${clock}
local mark, known = redis.call('GET', KEYS[1]), tonumber(ARGV[2])
local ours, since, claimed = string.match(mark or '', '^(.*) ' .. ${times})
if mark and ours ~= ARGV[1] then return mark end
claimed = tonumber(claimed or '0')
if claimed < known or now - claimed > ${UNCLAIMED_MS} then since = whole(now) end
mark = ARGV[1] .. ' ' .. since .. ' ' .. whole(math.max(now, claimed, known))
redis.call('SET', KEYS[1], mark)
return mark`,
);

export const scripts = {
  claim,
  ...{ writeRecord, replaceRecord, acquireLease, renewLease, releaseLease, findLease },
  ...{ awaitNodes, takeSeats, keepSeats, leaveSeats, listMembers, count },
  ...{ lookAtBuckets, takeFromBuckets, append },
};
