import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError, readConfig, settingsSchema } from '../../server/config.ts';
import { projectFolder } from '../support/server.ts';

it('every setting has a default or may be absent', () => {
  expect(readConfig({})).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, DEMO: true });
});

it('all problems are told at once, each with what is possible', () => {
  const read = () =>
    readConfig({
      ...{ PORT: 'eighty', DEMO: 'maybe', VOICE_IDLE_SECONDS: '0' },
      ...{ PUBLIC_URL: 'ftp://x', TLS_KEY_FILE: 'key.pem' },
    });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    /PORT.*\n.*PUBLIC_URL.*\n.*DEMO.*auto, on, off.*\n.*VOICE_IDLE.*\n.*TLS_CERT/,
  );
});

it.each([
  [{ HOST: '127.0.0.1' }, true],
  [{ HOST: 'localhost' }, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ PUBLIC_URL: 'https://live.example.org' }, false],
  [{ TRUST_PROXY: 'on' }, false],
  [{ HOST: '0.0.0.0', DEMO: 'on' }, true],
  [{ DEMO: 'off' }, false],
])('with %j the demo is on: %s', (environment, isOn) => {
  expect(readConfig(environment).DEMO).toBe(isOn);
});

it('the table of the README names every setting with its default and nothing else', () => {
  const readme = readFileSync(path.join(projectFolder, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, name, fallback, description]) => [name, fallback, description],
  );
  const expected = Object.entries(settingsSchema.properties).map(([name, schema]) => {
    const { default: fallback, description } = schema as unknown as {
      default?: string;
      description: string;
    };
    return [name, fallback === undefined ? '–' : `\`${fallback}\``, description];
  });
  expect(rows).toEqual(expected);
});
