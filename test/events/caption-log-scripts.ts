/** Arbitrary operations on a caption log, with arbitrary faults of its database. */
import fc from '../support/suite/properties.ts';
import { faults } from './faulty-store.ts';

export const TRACKS = [
  { roomId: 'a', name: 'spoken' },
  { roomId: 'a', name: 'es' },
  { roomId: 'b', name: 'spoken' },
];

const track = fc.nat(TRACKS.length - 1);
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('append'),
      track,
      isKept: fc.boolean(),
      isLate: fc.boolean(),
      line: fc.nat(9),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('read'), track, after: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom('find', 'transcript', 'follow', 'unfollow'),
      track,
      line: fc.nat(9),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom('forget', 'forget', 'erase', 'expire', 'release'),
      track,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('restart', 'answer'), track }) },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('wait'), turns: fc.integer({ min: 1, max: 6 }) }),
  },
);
export interface Script {
  operations: Operation[];
  faults: string[];
}
export interface Operation {
  act: string;
  track?: number;
  isKept?: boolean;
  isLate?: boolean;
  line?: number;
  after?: number;
  turns?: number;
}
export const script = fc.record({
  operations: fc.array(operation, { minLength: 5, maxLength: 40 }),
  faults: fc.array(faults, { minLength: 1, maxLength: 20 }),
});
