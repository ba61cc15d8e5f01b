/** Schools to ask for, and requests for them without end, each with the answer it must get. */
export { answerChecker } from './check-answer';
export { type Binding, BINDING_TITLES } from './load-requests';
export { codeLoad, listLoad, type Load, LOADS, tokenLoad } from './loads';
export { type LoadOptions, type LoadResult, runLoad } from './run-load';
export { BENCH_SCHOOLS, tokenOf } from './school-data';
export { makeDatabases, type SchoolDatabases } from './school-databases';
