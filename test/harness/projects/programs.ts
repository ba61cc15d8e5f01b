import { buildProgram, prepareFiles } from '../surroundings';

/** Global set-up of the project "programs": its tests start the compiled program. */
export default async function setUp(): Promise<void> {
  buildProgram();
  await prepareFiles();
}
