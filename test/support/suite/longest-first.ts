/**
 * Starts the slowest test files of a project first, so that none of them runs alone at the end. Apart from
 * that it keeps vitest's order, one project after the other, because a process with a project's modules ends
 * when the next file belongs to another project. Isolated projects come first: they contain the slowest files
 * of all.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slowest files by their time on two cores, longest first; a file that no longer exists does no harm. */
const LONGEST = [
  'engines/older-processors',
  'engines/apertium-translations',
  'models/npm-models',
  'documents/formats/xliff-limits',
  'memories/matching/memory-files',
  'operation/memory',
  'widget/event-live.realtime',
  'voice/session/handover.realtime',
  'voice/session/network.realtime',
  'voice/session/handover-media.realtime',
  'voice/path/speech.realtime',
  'voice/session/outages.realtime',
  'voice/session/reconnect.realtime',
  'voice/session/session-update.realtime',
  'voice/session/socket.realtime',
  'client/room-silence.realtime',
  'widget/event-speaker.realtime',
  'events/speaking.realtime',
  'widget/session.realtime',
  'engines/moonshine-supervision',
  'widget/console',
  'engines/neural',
  'documents/formats/conformance',
  'widget/console-language',
  'voice/audio/decode-conformance',
  'documents/jobs/routes',
  'documents/jobs/document-kills',
].map((name) => `test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    const usual = await super.sort(files);
    const projects = [...new Set(usual.map(({ project }) => project))].sort(
      (one, other) => Number(other.config.isolate) - Number(one.config.isolate),
    );
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    return usual.toSorted((one, other) => place(one) - place(other) || rank(one) - rank(other));
  }
}
