/**
 * Lua scripts, each executed by Redis as one atomic step. The first line declares flags: scripts that need no
 * additional memory also run when none is left; the others are then refused before they begin.
 *
 * A script that is repeated because its reply was lost has the same effect as one run. Exceptions are
 * `count`, which may count twice, and `takeFromBuckets`, which may take two.
 */
import { createHash } from 'node:crypto';

export interface Script {
  readonly lua: string;
  /** SHA-1 by which Redis knows the loaded script. */
  readonly sha: string;
}

type Flags = '' | ' flags=allow-oom' | ' flags=no-writes';

function script(flags: Flags, body: string): Script {
  const lua = `#!lua${flags}\n${body.trim()}\n`;
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/**
 * Makes a script that executes a batch of calls. Each call succeeds or fails by itself, and its error is its
 * own reply.
 *
 * @param before definitions shared by all calls
 * @param body executed for each call, with its own KEYS and ARGV
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

/** ms since the epoch by the clock of Redis. `whole` formats integers, as Lua would write 1.7e+12. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end`;

/** Length of a version, which precedes the value: random characters chosen by the writer. */
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

/** For replacing an existing version, which is about as large, so that it also runs without free memory. */
const replaceRecord = script(' flags=allow-oom', write);

/**
 * KEYS: lease. ARGV: holder, ttl, additional time to remember it, `1` to require a released lease. Returns
 * the epoch, or nothing.
 */
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

/** Whether a lease, by its key, has a holder and this epoch. */
const holds = `
local function holds(lease, epoch)
  local held = redis.call('HMGET', lease, 'holder', 'epoch')
  return held[1] and held[2] == epoch
end`;

/** Batched. KEYS: lease. ARGV: epoch, ttl, additional time to remember it. */
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

/** KEYS: lease. Returns holder and epoch, or nothing. */
const findLease = script(
  ' flags=no-writes',
  `${clock}
local lease = redis.call('HMGET', KEYS[1], 'holder', 'epoch', 'until')
if not lease[1] or tonumber(lease[3]) <= now then return false end
return { lease[1], tonumber(lease[2]) }`,
);

/** Takes or extends seats. KEYS: limits. ARGV: member, ttl. */
const sit = `
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, whole(now + ARGV[2]), ARGV[1])
  if redis.call('PTTL', key) < tonumber(ARGV[2]) then redis.call('PEXPIRE', key, ARGV[2]) end
end`;

/** Interval at which each node renews the cluster's claim, in ms. */
export const CLAIM_EVERY_MS = 1_000;
/** After this long without a claim, nodes were cut off: data may be old or have expired; in ms. */
const UNCLAIMED_MS = 3_000;
/** Time that nodes then need to write their data again, in ms. */
const COME_BACK_MS = 3_000;

/** Pattern of the two times at the end of a mark: since when the data is continuous, and the last claim. */
const times = `'(%d+) (%d+)$'`;

/**
 * Returns how long nodes still need to come back, in ms; 0 if they have. Removes the mark from the end of
 * KEYS.
 */
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
 * KEYS: limits, the mark of the cluster. ARGV: member, ttl, the maximum of each limit. Returns the 1-based
 * index of the first full limit; 0 if none is; or, while nodes come back, the negated time to wait in ms.
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

/** Batched. KEYS: limits. ARGV: member, ttl. */
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

/** KEYS: counter. ARGV: maximum, window. Returns the ms left, or nothing if counted. */
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
 * KEYS: buckets, each stored as the time at which it is full again. ARGV: burst and interval of each. Returns
 * the ms until all have a token, or nothing.
 */
const wait = `${clock}
local fullAt, wait = {}, 0
for index, key in ipairs(KEYS) do
  local burst, every = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  fullAt[index] = math.max(now, tonumber(redis.call('GET', key) or '0')) + every
  wait = math.max(wait, fullAt[index] - now - burst * every)
end
if wait > 0 then return wait end`;

/**
 * Not flagged read-only, so that it fails exactly when taking fails: if only one of them failed, a client
 * could tell which was called.
 */
const lookAtBuckets = script('', `${wait}\nreturn false`);

const takeFromBuckets = script(
  '',
  `${wait}
for index, key in ipairs(KEYS) do
  redis.call('SET', key, whole(fullAt[index]), 'PX', whole(fullAt[index] - now))
end
return false`,
);

/** Positions of the values among the fields of an entry. */
export const entryFields = { previous: 1, mark: 3, bytes: 5 } as const;

/** Entries searched for one that was appended before, to return its id. */
const LOOKED_AT = 100;

/**
 * Batched. KEYS: stream, its last id, the last number of the appender, and the fence's lease. ARGV: bytes,
 * appender, number, maximum length, ttl, additional time to remember ids, channel, epoch, the first id to
 * keep. Returns the id, or nothing if the fence refuses.
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
 * KEYS: the mark of a cluster. ARGV: its owner, the last claim that the caller knows of. Returns the current
 * mark. If the stored last claim is older than the known one, or long ago, Redis was restored to an earlier
 * state or stood still: the data then counts as continuous from now on.
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
