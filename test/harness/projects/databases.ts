import { buildProgram, prepareDatabases } from '../surroundings';

/** Global set-up of the projects "databases" and "endurance": PostgreSQL, and the compiled program. */
export default async function setUp(): Promise<void> {
  buildProgram();
  await prepareDatabases();
}
