/** Schools to ask for, and requests for them without end, each with the answer it must get. */
export { codeLoad, listLoad, type Load, LOADS, loadsAmong, tokenLoad } from './loads';
export {
  answerChecker,
  type LoadOptions,
  type LoadResult,
  runLoad,
  startTarget,
  withHeader,
} from './run-load';
export { PUPIL_LISTS, pupilNumber, PUPILS } from './pupil-data';
export { BENCH_SCHOOLS, BENCH_STUDENTS, tokenOf } from './school-data';
export { makeDatabases, type SchoolDatabases } from './school-databases';
