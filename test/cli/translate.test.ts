import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTranslationDisplay } from '../../server/cli/translate-output.ts';
import { runDragoman, startDragoman } from '../support/product/command-line.ts';
import { until } from '../support/product/server.ts';
import { sharedServer, type SharedServer } from '../support/product/shared-server.ts';
import { makeCertificate } from '../support/machine/certificate.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

let server: SharedServer;
beforeAll(async () => {
  server = await sharedServer();
});

/** The address and the key come from the settings, as on the server's machine. */
const settings = (): Record<string, string> => ({
  DATA_DIR: server.dataFolder,
  PORT: new URL(server.url).port,
});
const translate = (...args: string[]) => runDragoman(['translate', ...args], settings());

const LETTER = 'The house is big.\n\nThe red car.\n';

/** Writes the file into a new folder; returns its path. */
function written(name: string, content: string | Buffer = LETTER): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

const namesBeside = (file: string) => readdirSync(path.dirname(file)).sort();

describe('translate', () => {
  it('accepts several files, languages and formats, and continues after a bad one', async () => {
    const bad = written('bad.xlf', '<xliff version="2.1"><file>');
    const page = written('the "best" ñandú — 1.HTM', '<p>The <b>red</b> car</p>');
    const folder = path.dirname(page);
    mkdirSync(path.join(folder, 'out'));
    const result = await translate(
      ...[bad, page, '--to', 'es,es-419', '--from', 'en', '--output', path.join(folder, 'out')],
    );
    expect(result.code).toBe(1);
    expect(result.errors).toContain(`${bad}: `);
    expect(result.errors).toContain('not well-formed XML');
    expect(readdirSync(path.join(folder, 'out')).sort()).toEqual([
      'the "best" ñandú — 1.es-419.HTM',
      'the "best" ñandú — 1.es.HTM',
    ]);
    expect(readFileSync(path.join(folder, 'out/the "best" ñandú — 1.es.HTM'), 'utf8')).toBe(
      '<p>El coche <b>rojo</b></p>',
    );
    expect(result.output.split('\n').filter(Boolean)).toHaveLength(2);
  });

  it('writes beside the file with a glossary and prints the name, but overwrites only with --force, and never its own input', async () => {
    const homes = {
      ...{ name: 'Homes', source_lang: 'en', target_lang: 'es' },
      ...{ entries: 'house\thogar', entries_format: 'tsv' },
    };
    const authorisation = { Authorization: `DeepL-Auth-Key ${server.ownApiKey}` };
    const response = await server.post('/v2/glossaries', homes, authorisation);
    const { glossary_id: id } = (await response.json()) as { glossary_id: string };
    // As long as the name of a file may be, once the language is in it.
    const name = 'b'.repeat(248);
    const file = written(`${name}.txt`);
    const output = file.replace('.txt', '.es.txt');
    writeFileSync(output, 'mine');
    const refused = await translate(file, '--to', 'es');
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toContain('.es.txt: exists already. Replace it with --force.');
    expect(refused.errors).not.toContain('sending');
    expect(readFileSync(output, 'utf8')).toBe('mine');
    const missing = await translate(file, '--to', 'es', '--glossary', id, '--force');
    expect(missing.errors).toContain('--glossary: name the language of the files with --from');

    const link = path.join(path.dirname(file), 'link.txt');
    symlinkSync(file, link);
    const own = await translate(file, '--to', 'es', '--output', link, '--force');
    expect(own).toMatchObject({ code: 1 });
    expect(own.errors).toContain('is a file to be translated');
    expect(readFileSync(file, 'utf8')).toBe(LETTER);

    const wished = ['--to', 'ES', '--from', 'en', '--glossary', id, '--force'];
    const { code, output: said, errors } = await translate(file, ...wished);
    expect({ code, said }).toEqual({ code: 0, said: `${output}\n` });
    expect(errors).toMatch(/^b+\.txt: sending\n(b+\.txt: [^\n]+\n)*$/);
    expect(readFileSync(output, 'utf8')).toMatch(/hogar[^]*\n\nEl coche rojo\.\n$/);
    // No other file is left.
    expect(namesBeside(file)).toEqual([`${name}.es.txt`, `${name}.txt`, 'link.txt']);
  });

  it('lists the possible formats of a file, and requests a different one', async () => {
    const file = written('letter.txt');
    const wrong = await translate(file, '--to', 'es', '--output', file.replace('.txt', '.docx'));
    expect(wrong.errors).toContain('a txt file can become txt, not letter.docx');
    const pdf = written('paper.pdf', '%PDF-1.7\nnothing else');
    const asked = await translate(pdf, '--to', 'es', '--output', 'docx');
    // The server accepts the job but cannot read the file.
    expect(asked).toMatchObject({ code: 1 });
    expect(asked.errors).toMatch(/paper\.pdf: sending\n[^]*paper\.pdf: The PDF/);
    expect(namesBeside(pdf)).toEqual(['paper.pdf']);
  });

  it.each([
    ['no such file', ['gone.txt', '--to', 'es'], /gone\.txt: there is no such file/],
    ['another kind', ['package.json', '--to', 'es'], /package\.json: only docx, .* are translated/],
    ['a folder', ['server', '--to', 'es'], /server: is not a file/],
    ['no language', ['README.md'], /--to <languages>/],
    ['a language that is none', ['README.md', '--to', 'spanish!'], /Name languages such as es/],
  ])('refuses %s before it sends anything', async (_name, args, message) => {
    const { code, errors } = await translate(...args);
    expect(code).toBe(1);
    expect(errors).toMatch(message);
  });

  it('gives advice about a missing language, key or server', async () => {
    const file = written('letter.txt');
    const language = await translate(file, '--to', 'ja', '--from', 'en');
    expect(language).toMatchObject({ code: 1 });
    expect(language.errors).toMatch(/ja|target/i);
    const key = await translate(file, '--to', 'es', '--key', 'wrong');
    expect(key).toMatchObject({ code: 1 });
    expect(key.errors).toContain('--key');
    const noKey = await translate(file, '--to', 'es', '--key', 'schlüssel');
    expect(noKey.errors).toBe(
      '--key: this is no API key. A key is one word of ASCII characters.\n',
    );
    const away = await translate(file, '--to', 'es', '--url', 'http://127.0.0.1:9');
    expect(away).toMatchObject({ code: 1 });
    expect(away.errors).toContain(
      'no answer from http://127.0.0.1:9. Start the server with npm start',
    );
    const proxy = https.createServer(makeCertificate(temporaryFolder())).listen(0, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const unsigned = await translate(file, '--to', 'es', '--url', `https://127.0.0.1:${port}`);
    expect(unsigned.errors).toMatch(/certificate is not trusted .* NODE_EXTRA_CA_CERTS/);
    expect(namesBeside(file)).toEqual(['letter.txt']);
  });

  /** Starts the command with a server that answers the upload, and what `later` says to other requests. */
  async function translating(answerUpload: (answer: () => void) => void, later: object = {}) {
    const asked: string[] = [];
    const service = http.createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const handle = { document_id: 'one', document_key: 'key' };
      const answer = (body: object) => response.end(JSON.stringify(body));
      request.resume().once('end', () => {
        if (asked.length > 1) answer(later);
        else answerUpload(() => answer(handle));
      });
    });
    onTestFinished(() => void service.close());
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const file = written('letter.txt');
    const to = ['--to', 'es', '--url', `http://127.0.0.1:${port}`, '--key', 'any'];
    const child = startDragoman(['translate', file, ...to], settings());
    const said = { errors: '' };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.errors += text));
    return { asked, child, file, said };
  }

  it('exits with 130 on Ctrl+C, and when its terminal is closed, deletes the document and leaves nothing behind', async () => {
    const status = { document_id: 'one', status: 'translating', seconds_remaining: 100 };
    const { asked, child, file, said } = await translating((answer) => answer(), status);
    await until(() => said.errors.includes('letter.txt: translating'));
    child.kill('SIGHUP');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said.errors).toMatch(/Stopped\.\n$/);
    expect(asked.at(-1)).toBe('DELETE /v2/document/one?document_key=key');
    expect(namesBeside(file)).toEqual(['letter.txt']);
  });

  it('deletes a document whose upload is answered only after Ctrl+C', async () => {
    const { asked, child } = await translating((answer) => {
      child.kill('SIGINT');
      setTimeout(answer, 500);
    });
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(asked).toEqual(['POST /v2/document', 'DELETE /v2/document/one?document_key=key']);
  });

  it('stops without an error when nobody reads its output any more', async () => {
    const [first, second] = [written('letter.txt'), written('second.txt')];
    const args = ['translate', first, second, '--to', 'es', '--from', 'en'];
    const child = startDragoman(args, settings());
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.stdout.destroy();
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(errors).toMatch(/Stopped\.\n$/);
    expect([namesBeside(first).length, namesBeside(second).length]).toEqual([2, 1]);
  });

  it('checks that it can write before it sends anything', async () => {
    const file = written('letter.txt');
    const { code, errors } = await translate(file, '--to', 'es', '--output', '/proc/letter.txt');
    expect({ code, errors }).toEqual({
      code: 1,
      errors: '/proc: cannot be written to. Name another folder with --output.\n',
    });
  });
});

describe('the progress bar', () => {
  function terminal(columns: number) {
    const lines: string[] = [];
    const out = {
      isTTY: true,
      columns,
      write: (text: string) => lines.push(text.replace('\r\u001b[2K', '')) > 0,
    } as unknown as NodeJS.WriteStream;
    return { lines, out };
  }

  it('moves in place, and never backwards when the estimate grows', () => {
    const { lines, out } = terminal(100);
    const display = createTranslationDisplay({ out, label: 'report.docx' });
    display.show('sending', 1);
    display.show('translating', 0.5, 10);
    display.show('translating', 0.2, 400);
    display.show('fetching', 1);
    display.end();
    const shares = lines.flatMap((line) => /(\d+) %/.exec(line)?.[1] ?? []).map(Number);
    expect(shares).toEqual([8, 52, 52, 100]);
    expect(lines[1]).toMatch(/^report\.docx {2}━+─+ +52 % {2}translating, about 10 s left$/);
    expect(lines[2]).toContain('about 7 min left');
    expect(lines.at(-1)).toBe('');
  });

  it.each([20, 40, 60, 100, 200])('fits into %i columns', (columns) => {
    const { lines, out } = terminal(columns);
    const label = `${'long '.repeat(30)}.docx`;
    createTranslationDisplay({ out, label }).show('translating', 0.5, 5_000);
    expect(lines[0]!.length).toBeLessThan(columns);
    expect(lines[0]).toContain('52 %');
    createTranslationDisplay({ out, label: `a${'野𠮷'.repeat(12)}.docx` }).show('sending', 1);
    const wide = /[^\x00-\u2fff]/gu;
    expect(lines[1]!.replace(wide, '--').length).toBeLessThan(columns);
    expect(lines[1]!).not.toMatch(/\p{Cs}/u);
  });
});
