// Many long lists at once, over one connection and over many.

import {
  exchange,
  formatRequest,
  RawConnection,
  readLoopDelay,
  type ServiceProcess,
} from '../../scripts/harness';
import { useServices } from '../service/use-services';
import { leastOf } from '../support/least-of';
import { useLargeSchool } from './large-school';

/** While lists were counted only when they were made, this was 3 s at the least; now it is what one or two take. */
const LONGEST_STALL_MS = 1500;
/** A list alone takes some milliseconds; on a busy machine the service itself has to wait. */
const LONGEST_ALONE_MS = 500;
const LISTS = 440;

describe('55 Lists of 0, 1, 30 and 10,000 students', () => {
  const services = useServices();
  const school = useLargeSchool();

  it('have as many entries, and one after the other keep nobody waiting', async () => {
    const service = await services.start({ settings: school.settings });
    const longest = await leastOf(LONGEST_ALONE_MS, async () => {
      await longestStall(service);
      for (const students of [0, 30, 1_000, 10_000]) {
        const answer = await exchange(service.port, school.list(students));
        expect(answer.status).toBe(200);
        expect(answer.text.match(/<StudentInfo>/g) ?? []).toHaveLength(students);
      }
      return longestStall(service);
    });
    expect(longest).toBeLessThan(LONGEST_ALONE_MS);
    await service.stop();
  });

  it.each([
    ['one connection', 1],
    ['forty connections', 40],
  ])(
    'asked for at once over %s do not keep others waiting',
    async (_what, connections) => {
      const service = await services.start({ settings: school.settings });
      const list = formatRequest({ ...school.list(10_000), keepAlive: true }, 'h');
      const first = await exchange(service.port, school.list(10_000));
      expect(first.text.match(/<StudentInfo>/g)).toHaveLength(10_000);

      const longest = await leastOf(LONGEST_STALL_MS, async () => {
        const attackers = await Promise.all(
          Array.from({ length: connections }, () => RawConnection.open(service.port)),
        );
        await longestStall(service);
        for (const attacker of attackers) {
          attacker.write(Buffer.concat(Array.from({ length: LISTS / connections }, () => Buffer.from(list))));
        }
        let longestAnswer = 0;
        for (let round = 0; round < 20; round += 1) {
          const start = performance.now();
          expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
          longestAnswer = Math.max(longestAnswer, performance.now() - start);
        }
        const stall = await longestStall(service);
        for (const attacker of attackers) attacker.close();
        return Math.max(stall, longestAnswer);
      });
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
      await service.stop();
    },
    60_000,
  );
});

/** How long the event loop stood still at most since this was asked last, in milliseconds. */
async function longestStall(service: ServiceProcess): Promise<number> {
  return readLoopDelay((await service.askAdmin({ path: '/metrics' })).text).longestMs;
}
