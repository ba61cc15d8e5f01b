// Many long lists at once, over one connection and over many.

import { exchange, formatRequest, RawConnection, readLoopDelay } from '../../scripts/harness';
import { useServices } from '../service/use-services';
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
    readLoopDelay((await service.askAdmin({ path: '/metrics' })).text);
    for (const students of [0, 30, 1_000, 10_000]) {
      const answer = await exchange(service.port, school.list(students));
      expect(answer.status).toBe(200);
      expect(answer.text.match(/<StudentInfo>/g) ?? []).toHaveLength(students);
    }
    const { longestMs } = readLoopDelay((await service.askAdmin({ path: '/metrics' })).text);
    expect(longestMs).toBeLessThan(LONGEST_ALONE_MS);
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

      const attackers = await Promise.all(
        Array.from({ length: connections }, () => RawConnection.open(service.port)),
      );
      readLoopDelay((await service.askAdmin({ path: '/metrics' })).text);
      for (const attacker of attackers) {
        attacker.write(Buffer.concat(Array.from({ length: LISTS / connections }, () => Buffer.from(list))));
      }
      let longest = 0;
      for (let round = 0; round < 20; round += 1) {
        const start = performance.now();
        expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
        longest = Math.max(longest, performance.now() - start);
      }
      const { longestMs } = readLoopDelay((await service.askAdmin({ path: '/metrics' })).text);
      for (const attacker of attackers) attacker.close();
      expect(longestMs).toBeLessThan(LONGEST_STALL_MS);
      expect(longest).toBeLessThan(LONGEST_STALL_MS);
    },
    60_000,
  );
});
