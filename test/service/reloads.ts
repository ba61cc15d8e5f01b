import { hashKey } from '../../src/access';
import { type LogLine, reloadsIn } from '../../scripts/harness';
import type { ServiceHere } from './use-services-here';

/** Returns the text of an access file in which one caller has these keys. */
export const accessFileWith = (...keys: readonly string[]): string =>
  JSON.stringify({ callers: { portal: { key: { header: 'X-Key', secret: keys.map(hashKey) } } } });

/** Returns the lines about reloads once there are this many. */
export function reloads(service: ServiceHere, count: number): Promise<readonly LogLine[]> {
  return service.lines(
    (lines) => {
      const found = reloadsIn(lines);
      return found.length >= count ? found : undefined;
    },
    `before ${String(count)} reloads`,
  );
}
