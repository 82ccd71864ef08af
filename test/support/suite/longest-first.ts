/**
 * Starts the files of a project that take longest before its others, so that none of them is left alone
 * at the end. Others keep vitest's order, one project after the other: a process that has the modules of
 * a project ends when the next file is not of it.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what each takes on two cores, the longest first; a file that is gone does no harm. */
const LONGEST = [
  'engines/moonshine-supervision',
  'voice/session/socket.realtime',
  'widget/session.realtime',
  'voice/audio/decode-containment.realtime',
  'widget/console',
  'widget/console-language',
  'engines/neural',
  'engines/older-processors',
  'documents/jobs/routes',
  'documents/jobs/document-kills',
  'operation/memory',
].map((name) => `test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    const usual = await super.sort(files);
    const projects = [...new Set(usual.map(({ project }) => project))];
    const place = ({ project }: TestSpecification): number => projects.indexOf(project);
    return usual.toSorted((one, other) => place(one) - place(other) || rank(one) - rank(other));
  }
}
