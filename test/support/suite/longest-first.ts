/**
 * Starts the files that take longest before all others, so that none of them is left alone at the end.
 * Others keep vitest's order.
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
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? LONGEST.length : place;
    };
    const usual = await super.sort(files);
    return usual.toSorted(
      (one, other) =>
        one.project.config.sequence.groupOrder - other.project.config.sequence.groupOrder ||
        rank(one) - rank(other),
    );
  }
}
