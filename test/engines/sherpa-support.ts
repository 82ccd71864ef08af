/** Tone models in temporary folders, and the processes that recognise and speak with them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import {
  createSherpaRecognisers,
  type SherpaRecogniserOptions,
} from '../../server/engines/recognition/sherpa.ts';
import { findModels } from '../../server/models/find-models.ts';
import type { LocalModel, ModelDescription } from '../../server/models/local-model.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  writeToneCtc,
  writeToneTransducer,
  type TonePiece,
} from '../support/models/tone-models.ts';

const folders: string[] = [];

/** Creates a folder for models, removed by {@link removeModelFolders}. */
export function modelsFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-models-'));
  folders.push(folder);
  return folder;
}

export function removeModelFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Writes the description of a model into its folder. */
export function describeModel(
  folder: string,
  description: Partial<ModelDescription> & Pick<ModelDescription, 'family'>,
): void {
  const text = JSON.stringify({ kind: 'recognition', languages: ['en'], ...description });
  writeFileSync(path.join(folder, 'dragoman-model.json'), text);
}

/** Writes a CTC model of tones, and returns the folder of models. */
export function toneModels(kind: 'streaming' | 'whole'): string {
  const folder = modelsFolder();
  const place = path.join(folder, kind);
  writeToneCtc(place, { isStreaming: kind === 'streaming' });
  describeModel(place, { family: kind === 'streaming' ? 'streaming-nemo-ctc' : 'nemo-ctc' });
  return folder;
}

/** Writes a transducer of tones with the list of its pieces, as text or in SentencePiece form. */
export function toneTransducer(
  pieces: readonly TonePiece[],
  { file, content }: { file: string; content: string | Buffer },
): string {
  const folder = modelsFolder();
  const place = path.join(folder, 'transducer');
  writeToneTransducer(place, pieces);
  writeFileSync(path.join(place, file), content);
  describeModel(place, { family: 'streaming-transducer' });
  return folder;
}

/** Returns the models in a folder. @throws Error if one of them is unusable */
export async function usableModels(folder: string): Promise<LocalModel[]> {
  const { models, unusable } = await findModels(folder);
  if (unusable.length > 0) throw new Error(unusable.map(({ reason }) => reason).join('\n'));
  return models;
}

/** Returns the only recogniser of a folder. */
export async function sherpaEngine(
  folder: string,
  options: Partial<SherpaRecogniserOptions> = {},
): Promise<RecognitionEngine> {
  const models = await usableModels(folder);
  const [engine] = await createSherpaRecognisers({ models, log: recordLog(), ...options });
  if (engine === undefined || 'reason' in engine) throw new Error(engine?.reason ?? 'No engine');
  return engine;
}

/** Returns child processes that run a module, by their command line. */
export function childPids(module: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(name, module))
    .map(Number);
}

function isOurs(pid: string, module: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const isAlive = !/^State:\s+Z/m.test(status);
    return isAlive && status.includes(`\nPPid:\t${process.pid}\n`) && command.includes(module);
  } catch {
    return false; // The process has ended in the meantime.
  }
}
