// Notes for unknown schools: each waits for a day, in case the school is loaded in time.

import { join } from 'node:path';

import type { Store } from '../../src/store';
import { PACKAGE_ROOT } from '../../scripts/harness';
import type { RunningDelivery } from '../delivery/running-delivery';
import { useDeliveries } from '../delivery/use-deliveries';
import { ENGINES } from '../harness/test-databases';

const SAMPLE_SCHOOL = join(PACKAGE_ROOT, 'scripts', 'sample-school');
const HOUR = 3_600_000;
/** Notes that wait for the data of one school. */
const MOST_OF_SCHOOL = 500;

describe.each(ENGINES)('notes for unknown schools on %s', (engine) => {
  const deliveries = useDeliveries(engine);
  let store: Store;
  let service: RunningDelivery;
  beforeEach(() => {
    ({ store } = deliveries);
    service = deliveries.start({});
  });

  const junk = (school: number, note: number): Promise<string> =>
    service.sendMarks('1A', `N${String(note)}`, `http://junk-${String(school)}.example`);

  it('are checked once, and not again when other schools are loaded', async () => {
    const id = await junk(1, 1);
    expect(await service.line({ messageId: id })).toMatchObject({ state: 'queued', waitMs: 24 * HOUR });
    service.pass(HOUR);
    await store.importFolder(SAMPLE_SCHOOL);
    service.delivery.wake('mark');
    // What comes later is dealt with later.
    const good = await service.sendMarks();
    await service.line({ messageId: good, state: 'open' });
    expect(service.messages.filter(({ messageId }) => messageId === id)).toHaveLength(1);
  });

  it('wait up to a limit per school; one more fails at once', async () => {
    const ofOneSchool = Array.from({ length: MOST_OF_SCHOOL + 1 }, (_, at) => junk(0, at));
    const ids = [...(await Promise.all(ofOneSchool)), await junk(1, 0)];
    await service.lines(ids.length, { channel: 'mark' });
    const failed = service.messages.filter(({ state }) => state === 'failed');
    expect(failed.map(({ messageId }) => ids.indexOf(messageId))).toEqual([MOST_OF_SCHOOL]);
    expect(new Set(failed.map(({ reason }) => reason))).toEqual(new Set(['too_many_waiting']));

    // Those of a school that there is wait all the same, and others are sent.
    await store.importFolder(SAMPLE_SCHOOL);
    const early = await service.sendMarks('1A', 'not-yet');
    expect(await service.line({ messageId: early })).toMatchObject({ state: 'queued' });
    await service.line({ messageId: await service.sendMarks(), state: 'open' });
  });
});
