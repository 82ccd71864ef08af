import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type ConfigError, readConfig } from '../server/config.ts';
import { improvers, recognisers, speakers, translators } from '../server/engines/index.ts';
import { settingGroups, settingsSchema } from '../server/settings.ts';
import { temporaryFolder } from './support/machine/temporary-folder.ts';
import { projectFolder } from './support/product/server.ts';

it('every setting has a default or is optional', () => {
  expect(readConfig({})).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, DEMO: 'local' });
});

it('all configuration problems are reported at once, each with the possible values', () => {
  const wrong = {
    PORT: 'eighty',
    PUBLIC_URL: 'ftp://x',
    TRUST_PROXY: 'yes',
    DEMO: 'maybe',
    RECOGNISER: 'ear',
    VOICE_MAX_SESSIONS: '0',
    VOICE_TOKEN_SECONDS: '0',
    VOICE_IDLE_SECONDS: 'x',
    VOICE_CONNECTION_SECONDS: '-1',
    STOP_SECONDS: '-1',
    LOG_LEVEL: 'loud',
    TLS_KEY_FILE: 'key.pem',
    DATA_DIR: 'package.json',
    SMTP_FROM: 'nobody',
  };
  let problems: readonly string[] = [];
  try {
    readConfig({ ...wrong, SMTP_URL: 'smtp://mail.example.org' });
  } catch (error) {
    problems = (error as ConfigError).problems;
  }
  expect(problems).toHaveLength(Object.keys(wrong).length);
  for (const name of Object.keys(wrong)) expect(problems.join('\n')).toContain(name);
  expect(problems.join('\n')).toMatch(/DEMO.*auto, on, off/);
});

it.each([
  [{ PUBLIC_URL: 'https://bad host:99999' }, /PUBLIC_URL/],
  // Links, QR codes and the API's documents would show the password, and browsers refuse it.
  [
    { PUBLIC_URL: 'https://user:secret@host' },
    /PUBLIC_URL: the value .* without user and password/,
  ],
  [{ CHAT_URL: 'localhost:11434/v1' }, /CHAT_URL: the value cannot be used\. It begins with http/],
  [
    { TLS_CERT_FILE: 'package.json', TLS_KEY_FILE: '/nowhere.pem' },
    /^ {2}TLS_KEY_FILE: \/nowhere\.pem cannot be read \(ENOENT\)\.$/m,
  ],
  [{ TLS_CERT_FILE: 'package.json', TLS_KEY_FILE: 'package.json' }, /TLS_CERT_FILE.*PEM/],
  [{ DATA_DIR: 'package.json' }, /DATA_DIR/],
  [{ DATA_DIR: 'package.json/below' }, /DATA_DIR/],
  // Root may write there, and nobody can create a folder.
  [{ DATA_DIR: '/proc/below' }, /DATA_DIR: \/proc\/below cannot be written/],
  [{ BROKER_URL: 'redis://127.0.0.1:6379' }, /BROKER_URL: .*Set STORAGE_URL to a PostgreSQL/],
  [{ BROKER_URL: 'redis://bad host' }, /BROKER_URL: not an address/],
  [{ BROKER_URL: 'redis://user:100%@host' }, /BROKER_URL: a % .* must be written as %25/],
  [{ SMTP_URL: 'smtp://us%er:secret@host' }, /SMTP_URL: a % .* must be written as %25/],
  [{ BROKER_URL: 'http://127.0.0.1:6379' }, /BROKER_URL: the value cannot be used/],
  [{ CLUSTER_NAME: 'a*' }, /CLUSTER_NAME/],
  [{ METRICS_KEY: 'two words' }, /METRICS_KEY: the value cannot be used.*ASCII without blanks/],
  [{ METRICS_KEY: 'schlüssel' }, /METRICS_KEY/],
  // As pasted with typographic quotes, or with another line.
  ...['CHAT', 'DEEPL', 'OPENAI_REALTIME', 'OPENAI_TRANSCRIPTION', 'SPEECH'].flatMap(
    (service): [Record<string, string>, RegExp][] =>
      ['“secret”', 'secret\nother'].map((key) => [
        { [`${service}_KEY`]: key },
        new RegExp(`${service}_KEY: the value cannot be used. It is one word of ASCII`),
      ]),
  ),
  [{ MODELS_DIR: 'package.json' }, /MODELS_DIR: package\.json is no folder to read/],
])('%j is reported before anything starts', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});

it('a data folder below a link to nothing is reported before anything starts', () => {
  const link = path.join(temporaryFolder(), 'data');
  symlinkSync('nowhere', link);
  for (const folder of [link, path.join(link, 'below')]) {
    expect(() => readConfig({ DATA_DIR: folder })).toThrow(`${folder} cannot be written (ENOENT)`);
  }
});

it('an IPv6 address may have the brackets that it has in the address of a page', () => {
  expect(readConfig({ HOST: '[::1]' })).toMatchObject({ HOST: '::1', DEMO: 'local' });
});

it.each([
  [{ HOST: '127.0.0.1' }, 'local'],
  [{ HOST: 'localhost' }, 'local'],
  [{ HOST: '0.0.0.0' }, 'off'],
  [{ PUBLIC_URL: 'https://live.example.org' }, 'off'],
  [{ TRUST_PROXY: 'on' }, 'off'],
  [{ HOST: '0.0.0.0', DEMO: 'on' }, 'on'],
  [{ DEMO: 'off' }, 'off'],
])('with %j the demo is %s', (environment, state) => {
  expect(readConfig(environment).DEMO).toBe(state);
});

it('an engine declares its own settings: no other file of the server names them', () => {
  const central = ['server/settings.ts', 'server/running-engines.ts', 'server/config.ts']
    .map((file) => readFileSync(path.join(projectFolder, file), 'utf8'))
    .join('');
  const lists = [recognisers, speakers, translators, improvers];
  const engines = lists.flatMap((list) => Object.values<{ settings: object }>(list));
  // Language detection also uses the dictionaries of Apertium.
  const names = engines
    .flatMap(({ settings }) => Object.keys(settings))
    .filter((name) => name !== 'APERTIUM_MODES');
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => central.includes(name))).toEqual([]);
  expect(Object.keys(settingsSchema.properties)).toEqual(expect.arrayContaining(names));
});

it('the settings page lists each setting with its default', async () => {
  const groups = Object.entries(settingGroups).map(([title, settings]) => {
    const lines = Object.entries(settings).map(([name, schema]) => {
      const { default: fallback, description } = schema as unknown as {
        default?: string;
        description: string;
      };
      return `- **\`${name}\`**${fallback === undefined ? '' : ` (\`${fallback}\`)`}: ${description}\n`;
    });
    return `## ${title}\n\n${lines.join('')}`;
  });
  const introduction =
    '# Settings\n\n' +
    'Environment variables, with their defaults. All problems are reported at once at the start.\n';
  // `npm test -- config -u` updates the page.
  await expect([introduction, ...groups].join('\n')).toMatchFileSnapshot(
    path.join(projectFolder, 'server/docs/settings.md'),
  );
});

it('the README links to every page of documentation', () => {
  const readme = readFileSync(path.join(projectFolder, 'README.md'), 'utf8');
  const pages = ['server', 'shared', 'widget'].flatMap((folder) =>
    readdirSync(path.join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.posix.join(folder, file))
      .filter((file) => /\/docs\/[^/]+\.md$/.test(file)),
  );
  expect(pages.length).toBeGreaterThan(20);
  for (const page of pages) expect(readme).toContain(`(${page})`);
  expect(readme.split('\n').length).toBeLessThanOrEqual(200);
});
