import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SynthesisEngine } from '../../server/engines/engine.ts';
import { createPico } from '../../server/engines/synthesis/pico.ts';
import { recordLog } from '../support/product/log-record.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { describeSynthesisEngine, english, pitchHz, say } from './synthesis-conformance.ts';

const log = recordLog();

async function create(program?: string): Promise<SynthesisEngine> {
  const made = await createPico({ log, ...(program !== undefined && { program }) });
  if (made === undefined || 'reason' in made) throw new Error(made?.reason ?? 'Not installed.');
  return made;
}

/**
 * Creates a program with Pico's command line, `-l voice -w file` and the text at standard input; flite lends
 * it a voice.
 */
function standIn(known: string): string {
  const program = path.join(temporaryFolder(), 'pico-stand-in');
  const speak = `cat >> "$0.text"; flite -voice kal -t hello -o "$4"`;
  writeFileSync(program, `#!/bin/sh\ncase "$2" in ${known}) ${speak};; *) exit 1;; esac\n`);
  chmodSync(program, 0o755);
  return program;
}

describe('SVOX Pico', () => {
  it('is not reported where it is not installed', async () => {
    expect(await createPico({ log, program: '/nowhere/pico2wave' })).toBeUndefined();
    // What a missing program looks like where a folder of the PATH may not be entered.
    expect(await createPico({ log, program: import.meta.filename })).toBeUndefined();
  });

  it('reports what to install when it has no voice', async () => {
    const made = await createPico({ log, program: standIn('xx-XX') });
    expect(made !== undefined && 'reason' in made && made.reason).toContain('libttspico-data');
  });

  it('offers only the languages of installed voices', async () => {
    expect((await create(standIn('de-DE|en-GB'))).languages).toEqual(['de']);
    expect((await create(standIn('en-US|fr-FR'))).languages).toEqual(['en', 'fr']);
  });

  it('receives no commands from a text', async () => {
    const program = standIn('*');
    const engine = await create(program);
    const text = `</pitch><usesig file="/etc/passwd">größer${'!'.repeat(500)}</usesig>`;
    await say(engine, text, { language: 'de', gender: 'male' });
    const given = readFileSync(`${program}.text`, 'utf8');
    const ours = ['<pitch level="70">', '</pitch>'];
    expect(new Set(given.match(/<[^>]*>/g))).toEqual(new Set(ours));
    expect(given).toContain('größer!');
    expect(given).not.toContain('!!');
  });
});

const isInstalled = (() => {
  try {
    execFileSync('pico2wave', ['--help'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('the real pico2wave', () => {
  if (!isInstalled) {
    it('fulfils the contract of synthesis engines', ({ skip }) =>
      skip('libttspico-utils is not installed: it is not free software'));
    return;
  }
  const sentences = {
    de: 'Guten Morgen, wie geht es Ihnen heute? Wir treffen uns um drei.',
    en: english.sentences['en'] ?? '',
    es: 'Buenos días, ¿cómo está usted hoy?',
    fr: 'Bonjour, comment allez-vous aujourd’hui ?',
    it: 'Buongiorno, come sta oggi?',
  };
  describeSynthesisEngine('pico', create, { ...english, sentences });

  it('has British and American English, and deeper male voices', async () => {
    const engine = await create();
    expect([...engine.languages].sort()).toEqual(Object.keys(sentences));
    const spoken = (language: string, gender?: 'male') =>
      say(engine, sentences.en, { language, ...(gender !== undefined && { gender }) });
    expect((await spoken('en-GB')).samples).not.toEqual((await spoken('en')).samples);
    const [woman, man] = [await spoken('en-GB', undefined), await spoken('en-GB', 'male')];
    expect(pitchHz(woman)).toBeGreaterThan(1.3 * pitchHz(man));
    await engine.close();
  });
});
