// Many long lists at once, over one connection and over many.

import { exchange, formatRequest, RawConnection, type ServiceProcess } from '../../scripts/harness';
import { removeMark } from '../../src/store/keeping/marks';
import { onSqlite } from '../../src/store/sqlite/sqlite-session';
import { useServices } from '../service/use-services';
import { useLargeSchool } from './large-school';

/** Limits the processor's time, which no other program makes longer. One list takes some tens of milliseconds. */
const MAX_MS = 500;
const LISTS = 440;
const OTHERS = 10;
/** One or two lists delay other requests; if they did not take turns, all lists would. */
const MAX_LISTS_MEANWHILE = 150;

describe('55 Lists of 0, 1, 30 and 10,000 students', () => {
  const services = useServices();
  const school = useLargeSchool();
  let service: ServiceProcess;
  beforeAll(async () => {
    // No list of a database without a version is remembered: each takes its whole time.
    await onSqlite(school.settings['DATABASE_URL']?.replace('sqlite:', '') ?? '', ({ kysely }) =>
      removeMark(kysely, 'students'),
    );
    service = await services.start({ settings: school.settings });
  });

  it('are complete, and do not delay others when requested one after the other', async () => {
    for (const students of [0, 30, 1_000, 10_000]) {
      const before = service.usage.cpuMicros;
      const answer = await exchange(service.port, school.list(students));
      expect((service.usage.cpuMicros - before) / 1000).toBeLessThan(MAX_MS);
      expect(answer.status).toBe(200);
      expect(answer.text.match(/<StudentInfo>/g) ?? []).toHaveLength(students);
    }
  });

  it.each([
    ['one connection', 1],
    ['forty connections', 40],
  ])('requested at once over %s do not delay others', async (_what, connections) => {
    const list = formatRequest({ ...school.list(10_000), keepAlive: true }, 'h');
    const before = await listsAnswered(service);
    const attackers = await Promise.all(
      Array.from({ length: connections }, () => RawConnection.open(service.port)),
    );
    for (const attacker of attackers) {
      attacker.write(Buffer.concat(Array.from({ length: LISTS / connections }, () => list)));
    }
    for (let other = 0; other < OTHERS; other += 1) {
      expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
    }
    const meanwhile = (await listsAnswered(service)) - before;
    for (const attacker of attackers) attacker.close();
    expect(meanwhile).toBeLessThan(MAX_LISTS_MEANWHILE);
  });
});

/** How many lists the service has answered so far. */
async function listsAnswered(service: ServiceProcess): Promise<number> {
  const { text } = await service.askAdmin({ path: '/metrics' });
  const [, count] =
    /^service_requests_total\{operation="GetStudentSchool",binding="get",outcome="ok"\} (\d+)$/m.exec(text) ??
    [];
  return Number(count ?? 0);
}
