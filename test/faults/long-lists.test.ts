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

/** A list alone takes some milliseconds; on a busy machine the service itself has to wait. */
const LONGEST_ALONE_MS = 1000;
const LISTS = 440;
/** While they were counted only when they were made, forty or more stood in the way at once; now it is one or two. */
const MOST_IN_THE_WAY = process.env['CHILD_COVERAGE'] === undefined ? 24 : 240; // Counting what runs is most of it then.
/** How long so many may take where a list is quick: below that, a stall is the machine's. */
const LEAST_STALL_MS = 1000;

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
  ])('asked for at once over %s do not keep others waiting', async (_what, connections) => {
    const service = await services.start({ settings: school.settings });
    const list = formatRequest({ ...school.list(10_000), keepAlive: true }, 'h');
    const first = await exchange(service.port, school.list(10_000));
    expect(first.text.match(/<StudentInfo>/g)).toHaveLength(10_000);
    let aloneMs = 0;
    for (let round = 0; round < 3; round += 1) {
      const begun = performance.now();
      await exchange(service.port, school.list(10_000));
      aloneMs = Math.max(aloneMs, performance.now() - begun);
    }
    const mostMs = Math.max(LEAST_STALL_MS, MOST_IN_THE_WAY * aloneMs);

    const longest = await leastOf(mostMs, async () => {
      const attackers = await Promise.all(
        Array.from({ length: connections }, () => RawConnection.open(service.port)),
      );
      await longestStall(service);
      for (const attacker of attackers) {
        attacker.write(Buffer.concat(Array.from({ length: LISTS / connections }, () => Buffer.from(list))));
      }
      let longestAnswer = 0;
      for (let round = 0; round < 10; round += 1) {
        const start = performance.now();
        expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
        longestAnswer = Math.max(longestAnswer, performance.now() - start);
      }
      const stall = await longestStall(service);
      for (const attacker of attackers) attacker.close();
      return Math.max(stall, longestAnswer);
    });
    expect(longest).toBeLessThan(mostMs);
    await service.stop();
  });
});

/** How long the event loop stood still at most since this was asked last, in milliseconds. */
async function longestStall(service: ServiceProcess): Promise<number> {
  return readLoopDelay((await service.askAdmin({ path: '/metrics' })).text).longestMs;
}
