/** Several servers that share their state. */
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster, withKey } from '../support/product/cluster.ts';
import type { LiveVoiceSessionList } from '../../shared/schemas/console.ts';
import { firstLink, signedIn } from '../support/product/console-client.ts';
import { type TestServer, until } from '../support/product/server.ts';
import {
  connect,
  connectWith,
  PCM_16K,
  requestSession,
  upgradeStatus,
  type VoiceClient,
} from '../support/product/voice-client.ts';

const REQUEST = { source_media_content_type: PCM_16K, source_language: 'en' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(2, {
    VOICE_MAX_SESSIONS_PER_KEY: '10',
    RATE_LIMIT_PER_MINUTE: '100',
  });
});
afterAll(() => cluster.stop());

/** The nodes with the key of a new account. */
async function nodesForNewcomer() {
  const { secret } = await cluster.newcomer();
  return cluster.nodes.map((node) => withKey(node, secret));
}

/** Sends audio and waits until the server reacts to it. */
async function expectHeard(client: VoiceClient): Promise<void> {
  const before = client.messages.length;
  client.sendAudio(new Uint8Array(3_200));
  await until(() => client.messages.length > before);
}

/** Polls rarely, so as not to load the servers: the awaited effect takes seconds. */
const untilAnswered = (ask: () => Promise<boolean>) => until(ask, 180_000, 500);

const voiceKeys = async () =>
  ((await cluster.redis.ask('KEYS', '*')) as string[]).filter((key) => /tokens|sessions/.test(key));

describe('several servers', () => {
  it('enforce the limit of a key exactly, and take no seats for invalid requests', async () => {
    const nodes = await nodesForNewcomer();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const request = index % 3 === 0 ? { ...REQUEST, source_language: 'xx' } : REQUEST;
        const answer = await nodes[index % 2]!.post('/v3/voice/realtime', request);
        await answer.text();
        return answer.status;
      }),
    );
    for (const status of [200, 400, 429]) {
      expect(statuses.filter((each) => each === status)).toHaveLength(10);
    }
  });

  it('admit exactly one of many connections with one token', async () => {
    const [node] = await nodesForNewcomer();
    const { streaming_url, token } = await requestSession(node!);
    const url = `${streaming_url}?token=${token}`;
    const statuses = await Promise.all(Array.from({ length: 8 }, () => upgradeStatus(url)));
    expect(statuses.filter((status) => status === 101)).toHaveLength(1);
  });

  it('leave nothing of a session that is over', async () => {
    const nodes = await nodesForNewcomer();
    const before = await voiceKeys();
    const client = await connect(nodes[0]!);
    expect((await voiceKeys()).length).toBeGreaterThan(before.length);
    client.socket.close(1000);
    await expect
      .poll(async () => (await voiceKeys()).filter((key) => !before.includes(key)), {
        interval: 250,
      })
      .toEqual([]);
  });

  it('count the requests of a key together', async () => {
    const nodes = await nodesForNewcomer();
    const statuses: number[] = [];
    // Each node is asked sequentially, as a busy machine counts concurrent requests too late.
    const ask = async (node: (typeof nodes)[number]) => {
      for (let times = 0; times < 60; times += 1) {
        const headers = { Authorization: `Service-Auth-Key ${node.apiKey}` };
        const answer = await fetch(`${node.url}/v2/usage`, { headers });
        await answer.text();
        statuses.push(answer.status);
      }
    };
    await Promise.all(nodes.map(ask));
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('end the sessions of a deactivated key on all nodes', async () => {
    const [first, second] = cluster.nodes;
    const administrator = await cluster.newcomer({ features: ['admin'] }, { kind: 'admin' });
    const admin = withKey(first!, administrator.secret);
    const made = await admin.post('/v2/admin/developer-keys', {});
    const { key, key_id } = (await made.json()) as { key: string; key_id: string };
    const clients = [await connect(withKey(first!, key)), await connect(withKey(second!, key))];
    const ended = await admin.send('/v2/admin/developer-keys/deactivate', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ key_id }),
    });
    expect(ended.status).toBe(200);
    for (const { closed } of clients) expect((await closed).code).toBe(4403);
    for (const client of clients) expect(client.error()?.reason_code).toBe(4030005);
  });

  it('list all sessions at each node, and end them from there', async () => {
    const [first, second] = cluster.nodes as [TestServer, TestServer];
    const operator = await signedIn(first, firstLink(first));
    const clients = [await connect(first), await connect(second)];
    const shown = async () => {
      const { body } = await operator.ask<LiveVoiceSessionList>('GET', 'voice-sessions');
      return body.sessions.map(({ session_id }) => session_id);
    };
    const ids = clients.map(({ sessionId }) => sessionId);
    await untilAnswered(async () => {
      const now = await shown();
      return ids.every((id) => now.includes(id));
    });
    const metrics = async () => (await second.get('/metrics')).text();
    const counted = (text: string) => /^dragoman_cluster_voice_sessions (\d+)$/m.exec(text)?.[1];
    await untilAnswered(async () => Number(counted(await metrics())) >= ids.length);
    for (const id of ids) {
      expect((await operator.ask('DELETE', `voice-sessions/${id}`)).status).toBe(204);
    }
    for (const client of clients) {
      await client.closed;
      expect(client.error()?.error_message).toBe('The session was ended in the console.');
    }
    expect((await operator.ask('DELETE', 'voice-sessions/nobody')).status).toBe(404);
    await untilAnswered(async () => /^dragoman_cluster_servers 2$/m.test(await metrics()));
  });

  it('issue no token to a client that leaves before the answer', async () => {
    const [node] = (await nodesForNewcomer()) as [TestServer];
    const session = await requestSession(node, { acknowledgements: true });
    cluster.redis.pause();
    try {
      const { hostname, port } = new URL(node.url);
      const asking = net.connect(Number(port), hostname);
      asking.end(
        `GET /v3/voice/realtime?token=${session.token}&last_sequence=0 HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Service-Auth-Key ${node.apiKey}\r\n\r\n`,
      );
      await once(asking.resume(), 'close');
    } finally {
      cluster.redis.resume();
    }
    const client = await connectWith(session, 'json');
    await expectHeard(client);
    client.socket.close(1000);
  });

  it('find a session of another server right after the broker has lost everything', async () => {
    const [node, other] = (await nodesForNewcomer()) as [TestServer, TestServer];
    const session = await requestSession(node, { acknowledgements: true });
    const client = await connectWith(session, 'json');
    await expectHeard(client);
    await cluster.redis.ask('FLUSHALL');
    const ask = async (token: string) => {
      const question = `/v3/voice/realtime?token=${token}&last_sequence=0`;
      const answer = await other.get(question, {
        Authorization: `Service-Auth-Key ${other.apiKey}`,
      });
      await answer.text();
      return answer.status;
    };
    let status = 0;
    await untilAnswered(async () => (status = await ask(session.token)) !== 503);
    expect(status).toBe(200);
    // A session counts as unknown only after all nodes have restored theirs.
    await untilAnswered(async () => (await ask(`${session.token}x`)) === 400);
    client.socket.terminate();
  });

  it('keep sessions and texts going while the broker is away, and open new ones afterwards', async () => {
    const nodes = await nodesForNewcomer();
    const [node] = nodes as [(typeof nodes)[number]];
    const client = await connect(node, { acknowledgements: true });
    const kept = await requestSession(node);
    await expectHeard(client);
    await cluster.redis.kill();
    await expectHeard(client);
    const refused = await node.post('/v3/voice/realtime', REQUEST);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('try again');
    expect((await node.send('/v2/usage', {})).status).toBe(200);
    await cluster.redis.start();
    await untilAnswered(
      async () => (await node.post('/v3/voice/realtime', REQUEST)).status === 200,
    );
    // Its token was lost and has been restored.
    const resumed = await connectWith(kept, 'json');
    resumed.socket.close(1000);
    await expectHeard(client);
    client.end();
    await until(() => client.messages.some(({ type }) => type === 'end_of_stream'));
    expect(client.error()).toBeUndefined();
  });
});
