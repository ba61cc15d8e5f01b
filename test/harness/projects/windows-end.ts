import { endWine } from '../../windows/wine';

/** Global end of the project "windows". */
export default function tearDown(): void {
  endWine();
}
