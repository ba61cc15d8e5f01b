import Sequencer from '@jest/test-sequencer';

/**
 * Files that look at the engine's own coverage: a look goes over all code that the process ever loaded, and takes
 * ten times as long where other files ran before.
 */
const FIRST = /(?:fuzz\/guided|harness\/coverage-guided|csv\/read-csv)\.test\.ts$/;
/**
 * Files that mostly start services or browsers and wait for them, or that take long for their size, by which Jest orders
 * those that it has not run before: begun late, they would be alone at the end.
 */
const SOON =
  /test\/(?:endurance|service|commands|simulation|faults|reference|asmx\/fuzz)\/|\/browser-[^/]*\.test\.ts$/;

/** The order of the test files; within each part Jest's own, the longest first. */
export default class extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (FIRST.test(path) ? 0 : SOON.test(path) ? 1 : 2);
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
